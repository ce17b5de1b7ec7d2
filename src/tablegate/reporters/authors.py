"""The part of the handbook for those who write policies of their own."""

from __future__ import annotations

AUTHORS = """\
## Policies of your own

### As data

Each `[[policy]]` table in `tablegate.toml` is a policy. Nothing of it is code.

| key | needed | meaning |
| --- | --- | --- |
| `id` | yes | 2 to 8 capital letters and 3 or 4 digits, such as `ACME001` |
| `severity` | yes | critical, high, medium, low or info |
| `title` | yes | the rule, in one sentence |
| `path` | yes | a JSONPath that begins at the subject; `tablegate show INPUT --path PATH` tries it |
| `must` | yes | what must be true of the values that the path selects: one of the conditions below |
| `when` | no | a `path` and one condition: where it does not hold, the policy is not applicable |
| `subject` | no | what the path begins at: `table` (the default), `index`, `replica`, or `resource` |
| `dialect` | no | `terraform-plan`, `terraform-source`, `terraform-state` or `cloudformation`: only there |
| `name` | no | a name in kebab-case; without it, the id |
| `rationale`, `docs`, `fix` | no | why, a link, and what to write instead |
| `on` | no | false: the policy runs only if it is selected |

With `subject = "resource"`, the path begins at the resource as it is written: `$.Properties.TableName`, `$.name`.

| condition | true if |
| --- | --- |
| `exist = true` | something is there and is not empty; `exist = false`: nothing is |
| `equal = VALUE` | each value equals this one |
| `one-of = [VALUES]` | each value is one of these |
| `match = "EXPRESSION"` | each value is a text in which the regular expression is found |
| `at-least = NUMBER` | each value is a number, and not smaller |
| `at-most = NUMBER` | each value is a number, and not larger |

A condition is true if all values that the path selects satisfy it. An unknown value makes the result unknown.

```toml
[[policy]]
id = "ACME101"
name = "expiry-of-sessions"
severity = "medium"
title = "Tables for sessions must expire their items"
path = "$.ttl.enabled"
must = { equal = true }
when = { path = "$.name", match = "session" }
fix = "ttl {\\n  attribute_name = \\"expires\\"\\n  enabled        = true\\n}"

[[policy]]
id = "ACME102"
severity = "low"
title = "An index must not copy every attribute"
subject = "index"
path = "$.projection"
must = { one-of = ["KEYS_ONLY", "INCLUDE"] }
on = false

[[policy]]
id = "ACME103"
severity = "high"
title = "Tables must be destroyed by nobody"
subject = "resource"
dialect = "cloudformation"
path = "$.Properties.DeletionProtectionEnabled"
must = { exist = true }
```

### In Python

A policy is a function with the decorator `tablegate.policy.policy`; `help(tablegate.policy)` names all that it may use.
Its keyword-only parameters are its options. An error in it is a fault with the line of the pack, and the gate does not
open (exit 4).

`tablegate.testing` proves a pack by cases: `cases/ID/fails-WHY/template.yaml`, or `plan.json` as Terraform made it. The
name of a folder begins with what the policy must return: `fails`, `holds`, `unknown` or `exempt`. `expect.toml` beside
the input names what else must be so, and `options.toml` sets options.

```python
from tablegate.testing import cases, gaps, prove


def prove_all(pack, folder):
    for case in cases(pack, folder):
        prove(case)  # raises AssertionError with what is different
    return gaps(pack, folder)  # what is missing: a case, or a remedy that no case has
```

"""
