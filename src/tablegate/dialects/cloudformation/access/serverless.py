"""The roles that SAM makes for functions and state machines: their policies in every form, and what it adds unasked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from tablegate.access.documents import Hole
from tablegate.access.grants import HolderForm, HolderKind, Maker, MakerKind
from tablegate.access.integrations import STATES
from tablegate.access.managed import managed_policies
from tablegate.dialects.cloudformation.access import identities
from tablegate.dialects.cloudformation.access.attachments import Attachments
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.access.sam_templates import EXECUTION, POLICY_TEMPLATES, Given
from tablegate.dialects.cloudformation.template import FUNCTION, STATE_MACHINE
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.syntax.node import Node

_SERVICES = {FUNCTION: "lambda.amazonaws.com", STATE_MACHINE: "states.amazonaws.com"}
_ARN = "arn:aws:iam::aws:policy/"


class Serverless:
    """Gathers what SAM makes of one template."""

    def __init__(self, ground: Ground, attachments: Attachments) -> None:
        self._ground = ground
        self._attachments = attachments
        self._paths = {policy.name: path for path, policy in managed_policies().items()}

    def gather(self) -> None:
        """A holder for each role that is made, with all that is attached to it."""
        for there in self._ground.resources(FUNCTION, STATE_MACHINE):
            made = self._is_made(there)
            if made is not False:
                self._role(There(there.resource, self._with_globals(there), there.sure and made is True))

    def _is_made(self, there: There) -> bool | None:
        """Whether SAM makes the role: not where one is given, and with that its policies are silenced."""
        if "Role" not in there.section:
            return True
        values = self._ground.trees.values(there.section["Role"])
        given = [value for value in values if not _is_nothing(value)]
        if len(given) == len(values):
            return False
        return None if given else True

    def _with_globals(self, there: There) -> Mapping[str, Node]:
        if there.resource.type != FUNCTION:
            return there.section
        shared = self._ground.resolver.template.globals.get("Function")
        return (
            {**shared.content, **there.section}
            if shared is not None and isinstance(shared.content, dict)
            else there.section
        )

    def _role(self, there: There) -> None:
        ground, service = self._ground, _SERVICES[there.resource.type]
        draft = ground.draft(HolderForm.ROLE, there.resource, HolderKind.RUNTIME, f"trusts {service}")
        draft.services.add(service)
        identities.trust(ground, draft, there.section.get("AssumeRolePolicyDocument"))
        if there.resource.type == STATE_MACHINE:
            draft.declared = frozenset({STATES})
        self._attachments.bound(draft, there.section)
        documents = 0
        used: dict[str, int] = {}
        for value, sure in ground.items(there.section, "Policies"):
            part = There(there.resource, there.section, sure and there.sure)
            if isinstance(value, Unsettled):
                self._attachments.attach(draft, value, there.address, sure=part.sure)
            elif not isinstance(value.content, dict):
                self._named(draft, value, part)
            elif "Statement" in value.content:
                for piece in ground.documents.read(value, sure=part.sure, within=str(documents) if documents else None):
                    ground.hand(draft, piece, there.address)
                documents += 1
            else:
                self._templates(draft, value, part, used)
        self._event(draft, there)

    def _named(self, draft: Draft, value: Node, there: There) -> None:
        """A managed policy by its name or ARN."""
        name = self._ground.shown(value)
        arn = name if name.startswith("arn:") else f"{_ARN}{self._paths.get(name, name)}"
        if self._attachments.policy(value) is not None:
            self._attachments.attach(draft, value, there.address, sure=there.sure)
        else:
            draft.attach(arn, there.address, self._ground.place(value), self._ground.spelling, sure=there.sure)

    def _templates(self, draft: Draft, value: Node, there: There, used: dict[str, int]) -> None:
        """A policy template with its parameters; those of other services grant nothing on tables."""
        content = value.content if isinstance(value.content, dict) else {}
        if len(content) != 1:
            self._ground.resolver.misfit(value, "a policy is a name, a document, or one policy template")
            return
        for name, node in content.items():
            if name in POLICY_TEMPLATES:
                used[name] = used.get(name, 0) + 1
                within = name if used[name] == 1 else f"{name} {used[name]}"
                parameters = {key: self._texts(parameter) for key, parameter in _mapping(node).items()}
                statements = [_statement(given, self._resources(given, parameters)) for given in POLICY_TEMPLATES[name]]
                piece = self._ground.documents.composed(value, statements, within, sure=there.sure)
                self._ground.hand(draft, piece, there.address, by=Maker(MakerKind.TEMPLATE, name))
            elif name.startswith("DynamoDB"):
                self._ground.resolver.misfit(value, f"there is no policy template {name[:40]!r}")

    def _texts(self, node: Node) -> tuple[str, ...]:
        """All that a parameter of a policy template can be: it stands in an ARN, so that a hole is one unknown name."""
        found = [text for value, _ in self._ground.items({"": node}, "") if (text := self._ground.texts.every(value))]
        return tuple(text for texts in found for text in texts)

    def _resources(self, given: Given, parameters: Mapping[str, tuple[str, ...]]) -> list[str | Hole]:
        texts = self._ground.texts
        head = f"arn:{texts.partition}:dynamodb:{texts.region}:{texts.account}:table/"
        tables, streams = parameters.get("TableName", ()), parameters.get("StreamName", ("",))
        made = [
            f"{head}{table}{behind.replace('{StreamName}', stream)}"
            for table, behind, stream in product(tables, given.behind, streams)
        ]
        return list(dict.fromkeys(text for each in made for text in texts.canonical(each)))

    def _event(self, draft: Draft, there: There) -> None:
        """What SAM attaches for an event without being asked: once, however many events there are."""
        for name, node in self._events(there):
            place, by = self._ground.resolver.place(node), Maker(MakerKind.EVENT, name)
            arn = f"{_ARN}{EXECUTION}"
            draft.attach(arn, there.address, place, self._ground.spelling, sure=there.sure, by=by)
            return

    def _events(self, there: There) -> Iterator[tuple[str, Node]]:
        events = there.section.get("Events")
        for name, node in _mapping(events).items() if events is not None else ():
            kind = _mapping(node).get("Type")
            if kind is not None and kind.content == "DynamoDB" and there.resource.type == FUNCTION:
                yield name, node


def _statement(given: Given, resources: list[str | Hole]) -> dict[str, object]:
    return {"Effect": "Allow", "Action": list(given.actions), "Resource": resources}


def _mapping(node: Node) -> Mapping[str, Node]:
    return node.content if isinstance(node.content, dict) else {}


def _is_nothing(value: Node | Unsettled | None) -> bool:
    """Whether a property is left out, or set to nothing."""
    return value is None or (isinstance(value, Node) and value.content in (None, ""))
