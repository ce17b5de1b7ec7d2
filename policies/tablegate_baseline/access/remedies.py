"""Remedies that several policies of the family share: actions by name, on tables by name."""

TERRAFORM = """\
statement {
  actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]
  resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]
}"""

CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query]
  Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]"""

TERRAFORM_PRINCIPAL = """\
principals {
  type        = "AWS"
  identifiers = [aws_iam_role.reader.arn]
}"""

CLOUDFORMATION_PRINCIPAL = """\
Principal:
  AWS: !GetAtt Reader.Arn"""

LEAST = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege"
IDENTITY = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/using-identity-based-policies.html"
REFERENCE = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html"
