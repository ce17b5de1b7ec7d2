"""Asks SAM's translator: reads templates, one in a line, and writes what each comes to, or why it is refused.

Runs by the Python of an environment of its own, which has aws-sam-translator and nothing of tablegate.
"""

from __future__ import annotations

import json
import os
import sys

os.environ["AWS_DEFAULT_REGION"] = "eu-west-1"

from samtranslator.parser.parser import Parser
from samtranslator.public.exceptions import InvalidDocumentException
from samtranslator.translator.translator import Translator

AWS = "arn:aws:iam::aws:policy/"
MANAGED = {
    name.rpartition("/")[2]: AWS + name
    for name in (
        "AmazonDynamoDBFullAccess",
        "AmazonDynamoDBReadOnlyAccess",
        "AdministratorAccess",
        "AWSLambdaExecute",
        "service-role/AWSLambdaDynamoDBExecutionRole",
    )
}


def main() -> None:
    """Answer every line with a line."""
    for line in sys.stdin:
        try:
            made = Translator(MANAGED, Parser()).translate(json.loads(line), {"AWS::Region": "eu-west-1"})
        except InvalidDocumentException as error:
            made = {"refused": "; ".join(str(cause.message) for cause in error.causes)}
        sys.stdout.write(json.dumps(made, default=str) + "\n")


main()
