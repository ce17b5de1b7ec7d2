"""A gate in front of a deploy, for DynamoDB."""

__version__ = "0.1.0"
