"""Roles, users, groups and permission sets: those of this input, and those that are only named in it."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.access.documents import Document
from tablegate.access.grants import HolderForm
from tablegate.dialects.terraform_plan.access.deeds import Deed
from tablegate.dialects.terraform_plan.access.ground import Ground
from tablegate.dialects.terraform_plan.access.policies import Attached
from tablegate.dialects.terraform_plan.references import Mention
from tablegate.dialects.terraform_plan.worlds import Resource
from tablegate.model.record import field, record
from tablegate.model.value import Doubt, Place

TYPES = {
    HolderForm.ROLE: "aws_iam_role",
    HolderForm.USER: "aws_iam_user",
    HolderForm.GROUP: "aws_iam_group",
    HolderForm.PERMISSION_SET: "aws_ssoadmin_permission_set",
}
_ARN = {HolderForm.ROLE: ":role/", HolderForm.USER: ":user/", HolderForm.GROUP: ":group/"}


@record(eq=False, frozen=False, kw_only=False)
class Person:
    """Somebody who holds documents. ``resource`` is None where it is not in this input."""

    form: HolderForm
    address: str
    place: Place | None
    name: str | None
    resource: Resource | None = None
    deeds: dict[str, Deed] = field(default_factory=dict)
    attached: dict[str, Attached] = field(default_factory=dict)
    ceilings: list[Document] = field(default_factory=list)
    ceiling_doubt: Doubt | None = None
    groups: list[Person] = field(default_factory=list)

    def hold(self, deed: Deed | None) -> None:
        """One more document of its own."""
        if deed is not None:
            self.deeds.setdefault(f"{deed.address} {deed.place.path}", deed)

    def attach(self, policy: Attached) -> None:
        """One more managed policy; the same one twice is one."""
        self.attached.setdefault(policy.key, policy)


class People:
    """All the people of one form."""

    def __init__(self, ground: Ground, form: HolderForm) -> None:
        self._world = ground.world
        self._form = form
        self._type = TYPES[form]
        self._known: dict[str, Person] = {}
        self._by_name: dict[str, list[Person]] = {}
        self._outside: dict[str, Person] = {}
        for one in ground.world.of(self._type):
            person = Person(form, one.address, one.here, one.known("name"), one)
            self._known[one.address] = person
            for name in {one.known("name"), one.known("arn"), one.known("id")} - {None}:
                self._by_name.setdefault(str(name), []).append(person)

    @property
    def all(self) -> list[Person]:
        """Those of the input, and those that anything of it is attached to."""
        return [*self._known.values(), *self._outside.values()]

    @property
    def inside(self) -> list[Person]:
        """Those of the input."""
        return list(self._known.values())

    def of(self, resource: Resource, key: str) -> list[Person]:
        """Those that an argument names, by name, by ARN or by reference."""
        content, unknown = resource.root.member(key)
        found: dict[str, Person] = {}
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, str) and item:
                found |= {person.address: person for person in self.named(item, resource)}
        if unknown is True or (isinstance(unknown, list) and True in unknown):
            found |= {person.address: person for person in self._referred(resource, key)}
        return list(found.values())

    def named(self, name: str, resource: Resource) -> list[Person]:
        """Those of this name, or the stranger who has it."""
        return self.known(name, resource) or [self._stranger(self._plain(name), resource)]

    def known(self, name: str, resource: Resource) -> list[Person]:
        """Those of the input that have this name: of several, those of the resource's own provider."""
        found = self._by_name.get(name) or self._by_name.get(self._plain(name)) or []
        same = [one for one in found if one.resource is not None and one.resource.provider == resource.provider]
        return same or found

    def _plain(self, name: str) -> str:
        return name.rpartition("/")[2] if _ARN.get(self._form, "\0") in name else name

    def mentioned(self, mention: Mention) -> list[Person]:
        """Those that a reference leads to."""
        return [self._known[one.address] for one in mention.instances if one.address in self._known]

    def _referred(self, resource: Resource, key: str) -> Iterator[Person]:
        unknown = [one for one in resource.mentions(key) if not self._world.is_known(one)]
        found = [person for one in unknown for person in self.mentioned(one)]
        yield from found or [self._stranger(None, resource)]

    def _stranger(self, name: str | None, resource: Resource) -> Person:
        """Somebody who is not in this input: known by the first thing of it that he is given."""
        key = name or f"\0{resource.address}"
        found = self._outside.setdefault(key, Person(self._form, resource.address, resource.here, name))
        found.address = min(found.address, resource.address)
        return found
