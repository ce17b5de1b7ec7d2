"""Bytes into documents. This room knows languages, not DynamoDB, and touches no file."""
