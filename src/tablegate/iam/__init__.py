"""What an IAM document means for a table. This room knows IAM and DynamoDB's actions, and no input language."""
