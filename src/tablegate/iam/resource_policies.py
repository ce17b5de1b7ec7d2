"""What the policy of a table or a stream says about one role or user of the same input.

In one account such a policy is enough to grant access, without any policy of the role itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from tablegate.iam.arns import at_home, has_symbol, is_suffix
from tablegate.iam.conditions import Condition
from tablegate.iam.documents import Document, Patterns, Principal, PrincipalKind, Principals
from tablegate.iam.evaluation import all_of, any_of
from tablegate.iam.grants import DocumentRole, Grant
from tablegate.iam.patterns import intersects, matches, subset
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt

_ACCOUNT, _RESOURCE = 4, 5  # of an ARN's parts
_WHO = Doubt("cannot tell whether its principals include this holder", "name the role or user by its ARN")
_SERVICE_KEYS = frozenset({"aws:principalisawsservice"})
_NEVER_CARRIED = frozenset({"aws:principalservicename", "aws:principalservicenameslist"})


@record(kw_only=False)
class _Identity:
    """A principal in the parts that IAM compares: a name is unique in its account, under any path."""

    account: str
    form: str  # role or user; root for the whole account
    name: str = ""
    session: bool = False


def shared_grants(grants: Iterable[Grant], arns: Collection[str]) -> Iterator[tuple[str, Grant]]:
    """The statements of resources' policies as grants of the roles and users with these ARNs."""
    by_name: dict[str, list[str]] = {}
    for arn in arns:
        by_name.setdefault(arn.rpartition("/")[2], []).append(arn)
    for grant in grants:
        named = _names_in(grant.statement.principals)
        if named is None or any(has_symbol(name) and name not in by_name for name in named):
            named = frozenset(by_name)
        for name in sorted(named & by_name.keys()):
            for arn in by_name[name]:
                held = held_by(grant, arn, by_name)
                if held is not None:
                    yield arn, held


def trusted_among(documents: Iterable[Document], by_name: Mapping[str, str]) -> list[str]:
    """Those of the roles and users, whose ARNs are given by their names, that a trust policy lets assume its role."""
    allowing = [one.principals for document in documents for one in document.statements if one.allows]
    items = [item for one in allowing if one is not None and not one.inverted for item in one.items]
    arns = [(item, by_name.get(item.text.rpartition("/")[2])) for item in items]
    return [arn for item, arn in arns if arn is not None and is_named(item, arn) is True]


def _names_in(principals: Principals | None) -> frozenset[str] | None:
    """The names of the roles and users that a statement can be about; None if it can be about others too."""
    if principals is None:
        return frozenset()
    if principals.inverted or principals.doubt is not None:
        return None
    identities = [_identity(item.text) for item in principals.items if item.kind is PrincipalKind.AWS]
    if any(item.kind is PrincipalKind.ANYONE for item in principals.items) or None in identities:
        return None
    known = [each for each in identities if each is not None]
    return None if any(each.form == "root" for each in known) else frozenset(each.name for each in known)


def is_named(principal: Principal, arn: str, names: Collection[str] = ()) -> bool | None:
    """Whether a principal is this role or user, or a session of it; None if that is not known.

    ``names`` are those of the roles and users of the input: two of them that are spelled differently differ, even if
    they are symbols.
    """
    if principal.kind is not PrincipalKind.AWS:
        return False
    own, other = _identity(arn), _identity(principal.text)
    if own is None or other is None:
        return None
    if own.form != other.form:
        return False
    if own.name != other.name and other.name in names:
        return False
    return all_of((_same(own.name, other.name), _same(own.account, other.account)))


def is_own_account(principal: Principal, arn: str) -> bool:
    """Whether a principal is certainly the account of an ARN, as a whole."""
    account = arn.split(":")[_ACCOUNT]
    other = _identity(principal.text) if principal.kind is PrincipalKind.AWS else None
    return principal.text == account or (other is not None and other.form == "root" and other.account == account)


def held_by(grant: Grant, arn: str, names: Collection[str] = ()) -> Grant | None:
    """A statement of a resource's policy as a grant of the role or user with this ARN; None if it is not about them.

    An Allow for their whole account grants nothing by itself: it lets policies of the account decide. ``names`` are
    those of the roles and users of the input.
    """
    statement, target = grant.statement, grant.target
    principals = statement.principals
    if principals is None or target is None:
        return None
    if statement.allows and _same(target.split(":")[_ACCOUNT], arn.split(":")[_ACCOUNT]) is False:
        return None  # across accounts, a policy of the role has to allow it too
    named = _includes(principals, arn, names, denies=statement.denies)
    met = [(_is_met(condition, arn), condition) for condition in statement.conditions]
    if named is False or any(answer is False for answer, _ in met):
        return None
    own = replace(
        statement,
        resources=_at(target, statement.resources),
        conditions=tuple([condition for answer, condition in met if answer is None]) + _session(principals, arn),
        unsettled=statement.unsettled or (_WHO if named is None else None),
    )
    beyond = any(_passes_boundary(item, arn) for item in principals.items)
    return replace(grant, role=DocumentRole.IDENTITY, statement=own, of_resource=True, beyond_boundary=beyond)


def _session(principals: Principals, arn: str) -> tuple[Condition, ...]:
    """The condition that a statement for some sessions of a role alone comes to."""
    about = [item for item in principals.items if item.kind is PrincipalKind.ANYONE or is_named(item, arn) is not False]
    names = [item.text.rpartition("/")[2] for item in about if ":assumed-role/" in item.text]
    if not names or len(names) < len(about):
        return ()
    return (Condition("StringLike", "aws:userid", tuple(f"*:{name}" for name in names), written="aws:userid"),)


def _includes(principals: Principals, arn: str, names: Collection[str], *, denies: bool) -> bool | None:
    """Whether a statement's principals include a role or user."""
    answers = [_is_among(item, arn, names, denies=denies) for item in principals.items]
    if principals.inverted:
        excepted = any(answer is not False for answer in answers)
        return None if principals.doubt is not None else not excepted
    answer = any_of(answers)
    return None if answer is False and principals.doubt is not None else answer


def _is_among(item: Principal, arn: str, names: Collection[str], *, denies: bool) -> bool | None:
    if item.kind is PrincipalKind.ANYONE:
        return True
    if item.kind is not PrincipalKind.AWS:
        return False
    if is_own_account(item, arn):
        return denies
    other = _identity(item.text)
    if other is None:
        return None if has_symbol(item.text) else False
    if other.form == "root":
        return _same(other.account, arn.split(":")[_ACCOUNT]) if denies else False
    if other.session and denies:
        return False  # its other sessions are not denied
    return is_named(item, arn, names)


def _passes_boundary(item: Principal, arn: str) -> bool:
    """Whether what a principal is allowed does not need the permissions boundary's Allow: not so for a role's ARN."""
    other = _identity(item.text) if item.kind is PrincipalKind.AWS else None
    if other is None:
        return item.kind is PrincipalKind.ANYONE
    return (other.session or other.form == "user") and is_named(item, arn) is not False


def _identity(text: str) -> _Identity | None:
    """A principal's text in its parts; None if it is no role, user or account, or not known."""
    if text.isdigit():
        return _Identity(text, "root")
    parts = text.split(":", _RESOURCE)
    if len(parts) <= _RESOURCE:
        return None
    account, (form, _, path) = parts[_ACCOUNT], parts[_RESOURCE].partition("/")
    if form == "assumed-role":
        return _Identity(account, "role", path.partition("/")[0], session=True)
    known = (form in ("role", "user") and path) or form == "root"
    return _Identity(account, form, path.rpartition("/")[2]) if known else None


def _same(one: str, other: str) -> bool | None:
    """Whether two parts of ARNs are the same; None if that is not known."""
    if one == other:
        return True
    return None if has_symbol(one) or has_symbol(other) else False


def _is_met(condition: Condition, arn: str) -> bool | None:
    """Whether each request of a role or user meets a condition; None if that depends on the request."""
    if condition.is_null or (condition.qualifier is not None and condition.key != "aws:principalarn"):
        return None
    if condition.key in _NEVER_CARRIED and condition.qualifier is None:
        return condition.holds_without
    values = _values_of(condition.key, arn)
    if not values:
        return None
    answers: Iterator[bool | None] = (_equals(condition, text, value) for text in condition.values for value in values)
    answer = any_of(answers)
    if answer is not True and condition.unread:
        answer = None
    return answer if answer is None else answer is not condition.negated


def _values_of(key: str, arn: str) -> Iterable[str]:
    """What a request of this role or user has for a key; nothing if it is not known."""
    if key == "aws:principalarn":
        return (arn,)
    if key == "aws:principalaccount":
        return (arn.split(":")[_ACCOUNT],)
    return ("false",) if key in _SERVICE_KEYS else ()


def _equals(condition: Condition, text: str, value: str) -> bool | None:
    if condition.patterned:
        return matches(text, value)
    if "ignorecase" in condition.operator.lower() or condition.operator.lower() == "bool":
        text, value = text.lower(), value.lower()
    if text == value:
        return True
    literal = text.replace("*", "\0").replace("?", "\0")
    return matches(literal, value)


def _at(target: str, resources: Patterns) -> Patterns:
    """A statement's resources as they work in the policy of a resource: on this one, and what is below it, alone."""
    places = (target,) if "/stream/" in target else (target, f"{target}/index/*")
    if resources.inverted or not resources.texts:
        excepted = resources.doubt is not None or any(
            intersects(at_home(text, target), place) is not False for text in resources.texts for place in places
        )
        paths = tuple(resources.paths[:1] * len(places))
        return Patterns(places, paths=paths, perhaps=places if excepted else ())
    found: dict[str, tuple[tuple[str | int, ...], bool]] = {}
    for index, text in enumerate(resources.texts):
        path = resources.paths[index] if index < len(resources.paths) else ()
        for place, certain in _reached(at_home(text, target), target, places):
            before = found.get(place, (path, False))[1]
            found[place] = path, before or (certain and text not in resources.perhaps)
    if resources.doubt is not None:
        for place in places:
            found.setdefault(place, (next(iter(resources.paths), ()), False))
    return Patterns(
        tuple(found),
        paths=tuple([path for path, _ in found.values()]),
        perhaps=tuple([place for place, (_, certain) in found.items() if not certain]),
    )


def _reached(text: str, target: str, places: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """What a pattern reaches of the target, and whether it certainly does."""
    if text == target or text.startswith(f"{target}/") or (text[:-1] == target and is_suffix(text[-1])):
        yield text, True
        return
    for place in places:
        if subset(place, text):
            yield place, True
        elif intersects(text, place) is not False:
            yield place, False
