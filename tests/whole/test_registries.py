"""Every entry of a registry has what it needs: golden files, fixtures, a place in the help, and no way out for secrets.

The registries are the formats of reports (`REPORTERS`), the formats of the matrix (`RENDERERS`), the languages
(`DIALECTS`) and the option table (`OPTIONS`). A test that fails names the entry and what it lacks.
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support import spellings
from support.command import ROOT, tablegate
from support.planted import Planter, shown
from support.reports import fault, finding, report
from tablegate.cli.commands import COMMANDS
from tablegate.config.options import OPTIONS, Option, Scope, options_of
from tablegate.config.schema import schema
from tablegate.dialects import DIALECTS
from tablegate.findings import Counts, Exit, Outcome, Report, Shard, Skipped
from tablegate.iam.matrix import Cell, Column, Matrix, Right, Row
from tablegate.inputs.collect import collect
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.table import Construct, KeyPart
from tablegate.model.value import Doubt, Place, Value
from tablegate.policy import Policy
from tablegate.policy.declare import policies_in
from tablegate.reporters import REPORTERS
from tablegate.reporters.json_reread import reread
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import Sanitizer
from tablegate.reporters.wording import Detail, ReportView
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Source

POLICIES = policies_in("tablegate_baseline")
FIXTURES = ROOT / "fixtures"
SECRETS = sorted(path.parent for path in (FIXTURES / "secrets").glob("*/args"))
CHECK = ("check", "--no-config", "--select", "ALL", "--region", "us-east-1")
VIEWS = [ReportView(colour=colour, detail=detail) for colour, detail in product((False, True), Detail)]

# Paths of the model that `show` prints.
PATHS = (
    "$.name",
    "$.keys",
    "$.attributes",
    "$.ttl.attribute",
    "$.tags",
    "$.encryption",
    "$.indexes",
    "$.arn",
    "$.policy",
)
# Values that are wrong where they are given, and files of values that cannot be read.
WRONG = (
    ("t.yaml", "--param", "s3cr3t-without-a-name"),
    ("t.yaml", "--param", "=s3cr3t"),
    ("t.yaml", "--param", "Number=s3cr3t"),
    ("t.yaml", "--param", "Among=s3cr3t"),
    ("t.yaml", "--param", "Pattern=s3cr3t"),
    ("t.yaml", "--param", "Short=s3cr3t"),
    ("t.yaml", "--params", "broken.json"),
    ("t.yaml", "--params", "odd.json"),
    ("t.yaml", "--params", "text.json"),
    ("main.tf", "--var", "s3cr3t-without-a-name"),
    ("main.tf", "--var", "count=s3cr3t"),
    ("main.tf", "--var", "other=s3cr3t {"),
    ("main.tf", "--var-file", "broken.tfvars"),
    ("main.tf", "--var-file", "odd.tfvars"),
    ("main.tf", "--var-file", "broken.tfvars.json"),
    ("main.tf", "--assume-defaults"),
)
FILES = {
    "t.yaml": """
Parameters:
  Number: {Type: Number, NoEcho: true, Default: 1}
  Among: {Type: String, NoEcho: true, AllowedValues: [s3cr3t-one, s3cr3t-two]}
  Pattern: {Type: String, NoEcho: true, AllowedPattern: "[0-9]+"}
  Short: {Type: String, NoEcho: true, MaxLength: 3}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Ref Among
      BillingMode: !Ref Pattern
      KeySchema: [{AttributeName: id, KeyType: !Ref Short}]
      ProvisionedThroughput: {ReadCapacityUnits: !Ref Number, WriteCapacityUnits: !Ref Short}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: !Ref Short}
""",
    "main.tf": """
variable "count" {
  type      = number
  sensitive = true
  default   = "s3cr3t-count"
}
variable "other" {
  type      = list(string)
  sensitive = true
}
resource "aws_dynamodb_table" "t" {
  name          = var.other
  hash_key      = var.other[5]
  billing_mode  = "x${var.count}"
  read_capacity = var.count
}
""",
    "broken.json": '{"Parameters": {"Among": "s3cr3t',
    "odd.json": '{"Parameters": {"Among": {"s3cr3t": "s3cr3t"}}}',
    "text.json": "s3cr3t s3cr3t",
    "broken.tfvars": 'other = ["s3cr3t"\ncount = s3cr3t\n',
    "odd.tfvars": 'count = "s3cr3t"\nother = { s3cr3t = upper("s3cr3t") }\n',
    "broken.tfvars.json": '{"other": "s3cr3t',
}

TAKE_VALUES = [
    command.name for command in COMMANDS if any(option.name == "param" for option in options_of(command.name))
]

# Tags and documents of the report below, of which no report shows the content.
PRIVATE = {"findings.0.evidence.4", "findings.0.evidence.5"}
# Languages whose spellings of the tables are made by a test.
MADE_BY = {Kind.TERRAFORM_STATE: "tests/whole/test_states.py"}

every_reporter = pytest.mark.parametrize("form", REPORTERS)
every_renderer = pytest.mark.parametrize("form", RENDERERS)
every_dialect = pytest.mark.parametrize("kind", Kind, ids=str)
every_secret = pytest.mark.parametrize("folder", SECRETS, ids=lambda folder: folder.name)


def whole_report() -> Report:
    """A report with every text that one can hold, and counts that add up."""
    reason = Place("variables.tf", 2, 5, 9, "variable.ttl")
    place = Place("main.tf", 6, 37, 42, "$.ttl", because=reason)
    unknown = facts.RECOVERY.doubted(Doubt("known after apply", "pass --param"), place)
    evidence = (
        facts.TTL_ATTRIBUTE.of("expires", place),
        facts.PROJECTED.of(("a", "b")),
        facts.ATTRIBUTES.of({"id": "S"}),
        facts.KEYS.of((KeyPart(attribute="id", role="HASH"),)),
        facts.TAGS.of({"owner": "somebody"}),
        facts.POLICY.of('{"Statement": []}'),
        Value("an option", None),
        unknown,
    )
    findings = (
        finding(evidence=evidence, part={"index": "by-day"}, scenario={"Env": "dev"}, place=place),
        finding(outcome=Outcome.UNKNOWN, evidence=(unknown,), construct=Construct(path="App/Orders", place=place)),
        finding(outcome=Outcome.WAIVED, waived="they know", blocks=False, place=None, fix=None),
    )
    counts = Counts(tables=1, policies=1, verdicts=3, failed=1, unknown=1, waived=1)
    base = report(*findings, counts=counts, exit=Exit.UNREAD)
    return replace(
        base,
        inputs=(replace(base.inputs[0], detail="Terraform 1.11"),),
        faults=(fault(place=replace(place, because=None)), fault(blocks=False)),
        skipped=(Skipped("no input", 2, ("a", "b")),),
        shard=Shard(1, 2, 9, "ab"),
    )


def whole_matrix() -> Matrix:
    """A matrix with every text that one can hold."""
    cells = {0: Cell((Right.READ,)), 1: Cell((), (Right.WRITE,), (Right.DELETE,))}
    rows = (
        Row("aws_iam_role.worker", "role", "runtime", None, cells, "worker"),
        Row("aws_iam_role.other", "role", "runtime", None, cells),
        Row("aws_dynamodb_table.orders", "table", "policy", "arn:aws:iam::1:root", cells),
    )
    columns = (Column("aws_dynamodb_table.orders", "orders"), Column("aws_dynamodb_table.orders", "orders", "by-day"))
    return Matrix("plan.json", columns, rows, ("dynamodb:NewAction",))


# Formats of reports and of the matrix.


@every_reporter
def test_a_report_holds_no_secret(form: str) -> None:
    """No text of an input reaches a report as it is: each goes through the scrubber."""
    planter = Planter()
    planted = replace(planter.plant(whole_report()), secrets=frozenset())
    hidden = {*planter.all()} - {*planter.in_text(REPORTERS["json"](planted, ReportView()))}
    assert {path.partition(".content")[0] for path in hidden} == PRIVATE

    secret = replace(planted, secrets=frozenset(planter.paths))
    line = next(iter(planter.paths))
    texts = [REPORTERS[form](secret, view) for view in VIEWS]
    texts.append(REPORTERS[form](secret, ReportView(detail=Detail.FULL, line=lambda _file, _line: f"x = {line}")))
    texts.append(REPORTERS[form](replace(secret, inputs=secret.inputs * 20), ReportView()))
    leaks = sorted({path for text in texts for path in planter.in_text(text)})
    assert not leaks, f"{form} does not scrub {', '.join(leaks)}"


@every_renderer
def test_a_matrix_holds_no_secret(form: str) -> None:
    """Nor does any text of an input reach a matrix as it is."""
    planter = Planter()
    planted = planter.plant(whole_matrix())
    assert planter.in_text(RENDERERS[form]((planted,), Sanitizer(), 400)) != []
    leaks = planter.in_text(RENDERERS[form]((planted,), Sanitizer(planter.paths), 400))
    assert not leaks, f"{form} does not scrub {', '.join(leaks)}"


@every_reporter
def test_a_report_can_be_rendered_again(form: str) -> None:
    """`tablegate render` writes every format from the JSON report as the check itself wrote it."""
    made = whole_report()
    again = reread(REPORTERS["json"](made, ReportView()).encode())
    for view in VIEWS:
        assert REPORTERS[form](again, view) == REPORTERS[form](made, view)


@every_reporter
def test_a_report_format_is_in_the_help(form: str) -> None:
    """Of both commands that write reports."""
    for command in ("check", "render"):
        assert form in output_option(command), f"tablegate {command} --help does not name {form}"


@every_renderer
def test_a_matrix_format_is_in_the_help(form: str) -> None:
    """Of the command that writes it."""
    assert form in output_option("iam"), f"tablegate iam --help does not name {form}"


def output_option(command: str) -> list[str]:
    """The words that the help has beside ``--output``."""
    (text,) = re.findall(r"--output FORMAT\S*(.*?)\n *-", helped(command), re.DOTALL)
    return re.findall(r"\w+", text)


@cache
def helped(command: str) -> str:
    """The help of a command."""
    return tablegate(command, "--help").stdout.decode()


# Languages.


@every_dialect
def test_a_dialect_has_a_reader(kind: Kind) -> None:
    """Each kind of input that is recognised has a module that reads it."""
    assert kind in DIALECTS, f"{kind} has no line in DIALECTS"
    module = import_module(DIALECTS[kind])
    assert hasattr(module, "read") or hasattr(module, "read_folder"), f"{module.__name__} has no read()"


@every_dialect
def test_a_dialect_spells_the_tables(kind: Kind) -> None:
    """`fixtures/tables` has a spelling in every language, or a test makes one."""
    if kind in MADE_BY:
        assert (ROOT / MADE_BY[kind]).exists()
        return
    names = [name for name, language in spellings.SPELLINGS.items() if language is kind]
    spelled = [folder / name for folder in spellings.folders() for name in names if (folder / name).exists()]
    assert spelled, f"no folder of fixtures/tables has a spelling in {kind}"
    assert kind_of(spellings.source(spelled[0])) is kind


@pytest.mark.parametrize("folder", spellings.folders(), ids=lambda folder: folder.name)
def test_a_table_has_its_spellings(folder: Path) -> None:
    """A plan, its source and a template are the least."""
    missing = {"plan.json", "main.tf", "template.yaml"} - {path.name for path in folder.iterdir()}
    assert not missing, f"{folder.name} lacks {', '.join(sorted(missing))}"


@every_dialect
def test_a_dialect_has_a_fixture_with_secrets(kind: Kind) -> None:
    """`fixtures/secrets/<language>` is an input in that language."""
    folder = FIXTURES / "secrets" / kind
    assert folder in SECRETS, f"fixtures/secrets/{kind} has no args"
    sources = collect([str(folder / arguments(folder)[0])], None).sources
    assert kind in map(kind_of, sources)


def kind_of(source: Source) -> Kind:
    """The language of an input."""
    return Kind.TERRAFORM_SOURCE if source.folder is not None else recognise(source).kind


@every_secret
def test_no_secret_of_an_input_is_printed(folder: Path, tmp_path: Path) -> None:
    """Neither in a report of any format, nor in the matrix, nor in the model, nor in what is said beside them."""
    paths = {f"{command}.{form}": tmp_path / f"{command}.{form}" for command, form in outputs()}
    said = {
        "check": run(folder, *CHECK, "-v", "--debug", *written_to(paths, "check")),
        "check --color": run(folder, *CHECK, "-v", "--color", "always"),
        "iam": run(folder, "iam", *written_to(paths, "iam")),
        "show -o json": run(folder, "show"),
        "show -o yaml": run(folder, "show", "-o", "yaml"),
        **{f"show --path {path}": run(folder, "show", "--path", path) for path in PATHS},
        **{name: path.read_text() for name, path in paths.items()},
    }
    again = tablegate("render", str(paths["check.json"]), "-v", *written_to(paths, "check"))
    said["render"] = (again.stdout + again.stderr).decode() + paths["check.json"].read_text()
    secrets = every_form((folder / "planted").read_text().splitlines())
    leaks = {name: shown(secrets, text) for name, text in said.items()}
    assert not any(leaks.values()), f"printed by {', '.join(name for name in leaks if leaks[name])}"
    assert json.loads(said["check.json"])["findings"]


@pytest.mark.parametrize("command", TAKE_VALUES)
@pytest.mark.parametrize("words", WRONG, ids=lambda words: " ".join(words)[:60])
def test_no_secret_is_in_an_error(command: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """What is wrong with a value or a file of values is said without the value."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    input, *flags = words
    for more in ((), ("--debug",) if command == "check" else ()):
        ran = tablegate(command, input, *flags, *more, cwd=tmp_path, env={"TF_VAR_other": "s3cr3t-of-the-environment"})
        said = (ran.stdout + ran.stderr).decode()
        assert "s3cr3t" not in said, said


def outputs() -> list[tuple[str, str]]:
    """Each format with the command that writes it."""
    return [*(("check", form) for form in REPORTERS), *(("iam", form) for form in RENDERERS)]


def written_to(paths: dict[str, Path], command: str) -> list[str]:
    """The flags that write every format of a command to its file."""
    return [
        word
        for name, path in paths.items()
        if name.startswith(f"{command}.")
        for word in ("-o", f"{form_of(name)}={path}")
    ]


def form_of(name: str) -> str:
    """The format of an output: ``iam.csv`` is csv."""
    return name.partition(".")[2]


def run(folder: Path, *words: str) -> str:
    """What the command prints of the folder's input, on both streams."""
    ran = tablegate(*words, *arguments(folder), cwd=folder)
    assert ran.returncode in (0, 1), ran.stderr.decode()
    return (ran.stdout + ran.stderr).decode()


def arguments(folder: Path) -> list[str]:
    """The input of a folder and its flags."""
    return (folder / "args").read_text().splitlines()


def every_form(texts: list[str]) -> list[str]:
    """The texts, and each as base64 and URLs write it."""
    encoded = [base64.b64encode(text.encode()).decode().rstrip("=") for text in texts]
    return [*texts, *encoded, *(quote(text, safe="") for text in texts)]


# The option table. `tests/config/test_options.py` holds the rest of it against the command line.


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: f"{option.name}-{option.scope.name.lower()}")
def test_an_option_of_the_file_is_in_the_schema(option: Option) -> None:
    """Editors complete every option that a file can set."""
    if option.scope is Scope.PROJECT:
        properties: Any = schema(())["properties"]
        assert option.name in properties, f"the schema lacks {option.name}"


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy.options], ids=lambda policy: policy.id)
def test_an_option_of_a_policy_is_in_the_schema(policy: Policy) -> None:
    """Under the policy's id and under its name."""
    tables: Any = schema(POLICIES)["properties"]
    for name in (policy.id, policy.name):
        missing = {option.name for option in policy.options} - tables["policies"]["properties"][name][
            "properties"
        ].keys()
        assert not missing, f"{name} lacks {', '.join(sorted(missing))}"
