"""Names that the user gives: a flag that fits nothing in the whole run is refused, a file that does is a warning."""

from __future__ import annotations

import json
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.command import PLAN, TEMPLATE, err, out, written
from support.command import tablegate as run
from tablegate import ConfigError, Text, check

TEXT = """\
Parameters: {Stage: {Type: String}}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
SOURCE = 'variable "stage" {}\nresource "aws_dynamodb_table" "t" {\n  name = var.stage\n  hash_key = "id"\n}\n'
OTHER = TEXT.replace("Stage", "Other").replace("Orders", "Carts")


def flat(ran: CompletedProcess[bytes]) -> str:
    """The report as one line."""
    return re.sub(r"[\s|]+", " ", out(ran))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--param", "Stge=prod"), 'no template or change set that was checked has the parameter "Stge"'),
        (("--var", "stage=prod"), 'no root module or plan that was checked has the variable "stage"'),
        (
            ("--param", "A=1", "--param", "B=2"),
            'no template or change set that was checked has the parameters "A", "B"',
        ),
    ],
)
def test_a_flag_that_fits_nothing_is_wrong_usage(tmp_path: Path, flags: tuple[str, ...], message: str) -> None:
    """The value would change nothing, and the gate would be open for another stage than the one that is meant."""
    ran = run("check", *flags, "t.yaml", cwd=written(tmp_path, t__yaml=TEXT))
    assert (2, "") == (ran.returncode, out(ran))
    assert f"tablegate: {flags[0]}: {message}\n" in err(ran)


def test_the_name_that_was_probably_meant_is_told(tmp_path: Path) -> None:
    """It is one of those that the inputs have."""
    ran = run("check", "--param", "Stge=prod", "t.yaml", cwd=written(tmp_path, t__yaml=TEXT))
    assert 'hint: did you mean "Stage"?' in err(ran)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_it_is_enough_if_one_input_of_a_folder_has_the_name(tmp_path: Path, jobs: str) -> None:
    """In several processes too."""
    folder = written(tmp_path, a__yaml=TEXT, b__yaml=OTHER, main__tf=SOURCE)
    names = ("--param", "Stage=a", "--param", "Other=b", "--var", "stage=c")
    assert run("check", "--jobs", jobs, *names, ".", cwd=folder).returncode == 1
    assert run("check", "--jobs", jobs, *names, "--param", "Nope=d", ".", cwd=folder).returncode == 2


@pytest.mark.parametrize(
    ("flags", "code"),
    [(("--var", "region=x"), 2), (("--param", "Env=prod"), 2)],
)
def test_a_plan_takes_only_the_names_of_its_variables(flags: tuple[str, ...], code: int) -> None:
    """It has none of these."""
    assert run("check", *flags, PLAN).returncode == code


def test_a_plan_has_the_variables_of_its_configuration() -> None:
    """The same flags serve source and plan of one module."""
    assert run("check", "-q", "--var", "shared_key=x", "fixtures/plans/keys/plan.json").returncode in (0, 1)


def test_a_name_may_fit_what_could_not_be_read(tmp_path: Path) -> None:
    """Then what is to be done is to make the input readable."""
    folder = written(tmp_path, a__yaml=TEXT, b__yaml="Resources: [\nAWS::DynamoDB::Table")
    ran = run("check", "--param", "Nope=1", ".", cwd=folder)
    assert ran.returncode == 3
    assert "warning[TG002 incomplete] --param: no template" in out(ran)


def test_a_file_may_be_for_other_inputs_too(tmp_path: Path) -> None:
    """Each file is told once, with all its names; what fits still counts."""
    folder = written(tmp_path, t__yaml=TEXT, p__yaml="Stage: prod\nA: 1\nB: 2\nC: 3\nD: 4\nE: 5\nF: 6\n")
    ran = run("check", "--params", "p.yaml", "t.yaml", cwd=folder)
    assert ran.returncode == 1
    assert 'has the parameters "A", "B", "C", "D", "E", … --> p.yaml' in flat(ran)


def test_a_file_of_variables_too(tmp_path: Path) -> None:
    """Terraform warns of the same."""
    folder = written(tmp_path, main__tf=SOURCE, v__tfvars='stage = "x"\nstge = "y"\n')
    ran = run("check", "--var-file", "v.tfvars", ".", cwd=folder)
    assert 'warning[TG002 incomplete] v.tfvars: no root module or plan that was checked has the variable "stge"' in out(
        ran
    )
    broken = run("check", "--var-file", "v.tfvars", ".", cwd=written(folder, v__tfvars="stage = ["))
    assert broken.returncode == 3


def test_so_is_what_the_configuration_and_the_environment_give(tmp_path: Path) -> None:
    """They are for every run in the folder."""
    folder = written(tmp_path, t__yaml=TEXT, tablegate__toml='fail-on = "never"\nparam = ["Nope=1"]\n')
    ran = run("check", "t.yaml", cwd=folder)
    assert ran.returncode == 0
    assert 'has the parameter "Nope" --> tablegate.toml:2' in flat(ran)
    ran = run("check", "t.yaml", cwd=folder, env={"TABLEGATE_PARAM": "Nope=1"})
    assert "warning[TG002 incomplete] TABLEGATE_PARAM: no template" in out(ran)


def test_an_override_for_nothing_is_told_at_its_line(tmp_path: Path) -> None:
    """With stars, and also if it only sets a severity."""
    overrides = "".join(
        f'[[overrides]]\naddress = "{address}"\nseverity = {{ TG301 = "low" }}\n' for address in ("Ord*", "Carts", "X*")
    )
    folder = written(tmp_path, t__yaml=TEXT, tablegate__toml=overrides)
    ran = run("check", "t.yaml", cwd=folder)
    assert out(ran).count("warning[TG002 incomplete] override: nothing that was checked has the address") == 2
    assert 'address "Carts"\n  --> tablegate.toml:5\n' in out(ran)
    assert 'address "X*"\n  --> tablegate.toml:8\n' in out(ran)


@pytest.mark.parametrize("command", ["show", "iam"])
def test_other_commands_refuse_them_too(command: str) -> None:
    """What they print is not what was asked for."""
    ran = run(command, "--param", "Evn=prod", TEMPLATE)
    assert (2, True) == (ran.returncode, 'did you mean "Env"' in err(ran))


def test_programs_are_told_by_an_error() -> None:
    """The argument is named."""
    with pytest.raises(
        ConfigError, match='parameters: no template or change set that was checked has the parameter "X"'
    ):
        check(Text("t.yaml", TEXT), parameters={"X": "1"})
    assert check(Text("t.yaml", TEXT), parameters={"Stage": "1"}).faults == ()


@pytest.mark.parametrize("flag", ["--select", "--extend-select"])
def test_a_selector_that_selects_nothing_is_wrong_usage(flag: str) -> None:
    """Beside one that selects something, too."""
    ran = run("check", flag, "TG301,contract", TEMPLATE)
    assert (2, f'tablegate: {flag[2:]}: no policy that is loaded is "contract"\n') == (
        ran.returncode,
        err(ran).splitlines(True)[0],
    )
    assert run("check", "--ignore", "contract", TEMPLATE).returncode == 1


def test_a_nested_stack_has_only_what_its_parent_gives(tmp_path: Path) -> None:
    """A parameter of the command is one of the stack that is deployed."""
    call = "{TemplateURL: ./t.yaml, Parameters: {Stage: a}}"
    parent = f"Resources:\n  Inner: {{Type: AWS::CloudFormation::Stack, Properties: {call}}}\n"
    folder = written(tmp_path, t__yaml=TEXT, parent__yaml=parent)
    assert run("check", "--param", "Stage=x", "parent.yaml", cwd=folder).returncode == 2


def test_a_stack_of_an_assembly_has_its_parameters(tmp_path: Path) -> None:
    """Each is deployed with parameters of its own."""
    manifest = {
        "version": "36.0.0",
        "artifacts": {"S": {"type": "aws:cloudformation:stack", "properties": {"templateFile": "S.template.json"}}},
    }
    template = {"Parameters": {"Stage": {"Type": "String"}}, "Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "S.template.json").write_text(json.dumps(template))
    assert run("check", "--param", "Stage=x", str(tmp_path)).returncode == 0
    assert run("check", "--param", "Stgae=x", str(tmp_path)).returncode == 2


def test_a_change_set_has_the_parameters_that_it_lists(tmp_path: Path) -> None:
    """Also those whose values it hides."""
    shown = {
        "StackName": "s",
        "ChangeSetName": "c",
        "ChangeSetId": "arn:aws:cloudformation:eu-west-1:111122223333:changeSet/c/1",
        "Status": "CREATE_COMPLETE",
        "Parameters": [{"ParameterKey": "Stage", "ParameterValue": "****"}],
        "Changes": [],
    }
    folder = written(tmp_path, set__json=json.dumps(shown))
    assert run("check", "--param", "Stage=x", "set.json", cwd=folder).returncode == 0
    assert run("check", "--param", "Stgae=x", "set.json", cwd=folder).returncode == 2
