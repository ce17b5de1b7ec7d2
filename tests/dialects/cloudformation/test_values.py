"""A resource as written: an expression is a doubt, and not its own result."""

from __future__ import annotations

from tablegate.dialects.cloudformation.values import unevaluated
from tablegate.model.value import Doubt
from tablegate.syntax.yaml import parse_yaml

TEXT = """\
Name: !Ref Name
Key: !GetAtt Key.Arn
Token: "{{resolve:ssm:/token}}"
Tags:
  - {Key: a, Value: !Sub "${Env}"}
  - {Key: b, Value: c}
Count: 3
Condition: Prod
"""


def test_what_is_computed_is_a_doubt() -> None:
    """Values as written, with a doubt for each expression."""
    assert unevaluated(parse_yaml(TEXT)) == {
        "Name": Doubt("it is computed by Ref, which is not evaluated here"),
        "Key": Doubt("it is computed by Fn::GetAtt, which is not evaluated here"),
        "Token": Doubt("it is looked up when the stack is deployed"),
        "Tags": [
            {"Key": "a", "Value": Doubt("it is computed by Fn::Sub, which is not evaluated here")},
            {"Key": "b", "Value": "c"},
        ],
        "Count": 3,
        "Condition": "Prod",
    }
