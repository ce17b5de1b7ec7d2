"""Terraform source of invented tables: a root module of them, with what stands around them in real ones."""

from __future__ import annotations

from collections.abc import Iterator

from bench.shapes import Shape

HEAD = """\
provider "aws" {
  region = "us-east-1"
}

variable "env" {
  type    = string
  default = "prod"
}

locals {
  tags = { managed-by = "terraform" }
}
"""
AROUND = """
resource "aws_lambda_function" "{label}" {{
  function_name = "${{var.env}}-{key}-handler"
  handler       = "index.handler"
  runtime       = "nodejs22.x"
  filename      = "${{path.module}}/dist/{key}.zip"
  environment {{
    variables = {{
      TABLE     = aws_dynamodb_table.{label}.name
      LOG_LEVEL = "info"
    }}
  }}
  tags = merge(local.tags, {{ service = "{service}" }})
}}

resource "aws_cloudwatch_log_group" "{label}" {{
  name              = "/aws/lambda/${{aws_lambda_function.{label}.function_name}}"
  retention_in_days = 30
}}

resource "aws_s3_bucket" "{label}" {{
  bucket = "${{var.env}}-{key}-export"
  tags   = merge(local.tags, {{ service = "{service}" }})
}}

resource "aws_iam_policy" "{label}" {{
  name = "${{aws_dynamodb_table.{label}.name}}-rw"
  policy = jsonencode({{
    Version = "2012-10-17"
    Statement = [{{
      Effect   = "Allow"
      Action   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]
      Resource = [aws_dynamodb_table.{label}.arn, "${{aws_dynamodb_table.{label}.arn}}/index/*"]
    }}]
  }})
}}

resource "aws_sqs_queue" "{label}" {{
  name                      = "${{var.env}}-{key}-dlq"
  message_retention_seconds = 1209600
  tags                      = merge(local.tags, {{ service = "{service}" }})
}}
"""


def root_module(shapes: list[Shape]) -> str:
    """One file with all of them."""
    return HEAD + "".join("\n".join(_table(shape)) + "\n" + _around(shape) for shape in shapes)


def _around(shape: Shape) -> str:
    return AROUND.format(label=shape.key.replace("-", "_"), key=shape.key, service=shape.service)


def _table(shape: Shape) -> Iterator[str]:
    yield f'\nresource "aws_dynamodb_table" "{shape.key.replace("-", "_")}" {{'
    yield f'  name         = "${{var.env}}-{shape.key}"'
    yield f'  billing_mode = "{"PROVISIONED" if shape.provisioned else "PAY_PER_REQUEST"}"'
    yield '  hash_key     = "pk"'
    if shape.provisioned:
        yield f"  read_capacity  = {shape.capacity}\n  write_capacity = {shape.capacity}"
    if shape.sort_key:
        yield f'  range_key    = "{shape.sort_key}"'
    yield f'  deletion_protection_enabled = var.env == "prod" ? {"true" if shape.exists else "false"} : false'
    for name in shape.attributes:
        yield f'  attribute {{\n    name = "{name}"\n    type = "S"\n  }}'
    for name, key, sort, projection in shape.indexes:
        yield f'  global_secondary_index {{\n    name = "{name}"\n    hash_key = "{key}"'
        if sort:
            yield f'    range_key = "{sort}"'
        yield f'    projection_type = "{projection}"\n  }}'
    yield f"  point_in_time_recovery {{\n    enabled = {'true' if shape.exists else 'false'}\n  }}"
    yield f'  tags = merge(local.tags, {{ service = "{shape.service}" }})\n}}'
