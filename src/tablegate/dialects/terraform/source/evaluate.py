"""Evaluates expressions of Terraform source. What cannot be known becomes an UnknownValue with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.functions import call_function
from tablegate.dialects.terraform.source.scalars import (
    FailedError,
    InexactError,
    UntypedError,
    as_bool,
    as_number,
    as_text,
    calculated,
    composed,
    negated,
)
from tablegate.dialects.terraform.source.values import (
    EvaluationScope,
    SetValue,
    holds_only_texts,
    identity,
    joined_text,
    length_of,
    merged_unknown,
    same_type_and_content,
    unified_with,
    unknowns,
)
from tablegate.syntax.hcl.nodes import (
    LONG_NUMBER,
    Access,
    At,
    Attr,
    Binary,
    Call,
    Conditional,
    Expression,
    For,
    Literal,
    Name,
    Object,
    Opaque,
    Splat,
    Step,
    Template,
    Tuple,
    Unary,
)

_ARITHMETIC = frozenset("+-*/%")
_MAX_ITEMS = 10_000  # items of one loop


def instances_as_map(content: object) -> object:
    """A resource with count or for_each as its map or list of instances. Other content is returned as it is."""
    if not hasattr(content, "keys") or isinstance(content, dict):
        return content
    return content.keys()


def put_item(target: dict[str, object], key: str, result: object, *, grouped: bool) -> None:
    """Add an item to an object. A repeated key is allowed only when grouping (``...``)."""
    if grouped:
        group = target.setdefault(key, [])
        if isinstance(group, list):
            group.append(result)
    elif key in target:
        raise FailedError
    else:
        target[key] = result


def loop_scopes(node: For, everything: object, scope: EvaluationScope) -> Iterator[EvaluationScope]:
    """The scope of each iteration of a ``for`` expression."""
    if isinstance(everything, dict):
        pairs = [(key, everything[key]) for key in sorted(everything)]
    elif isinstance(everything, list):
        pairs = [(item if isinstance(everything, SetValue) else place, item) for place, item in enumerate(everything)]
    else:
        raise FailedError
    if len(pairs) > _MAX_ITEMS:
        raise InexactError("a loop that is too long to be read")
    for key, item in pairs:
        scope.module.budget.spend_step()
        names = {node.names[-1]: item} if len(node.names) == 1 else {node.names[0]: key, node.names[1]: item}
        yield scope._replace(names={**scope.names, **names})


def apply_operator(sign: str, left: object, right: object) -> object:
    """The result of a binary operator on known operands."""
    if sign in ("==", "!="):
        return _equal(left, right) is (sign == "==")
    return calculated(sign, left, right)


def apply_logical(left: object, right: object, *, decisive: bool) -> object:
    """The result of ``||`` (true is decisive) or ``&&`` (false is): one known operand can be enough."""
    sides = [one if type(one) is UnknownValue else as_bool(one) for one in (left, right)]
    if decisive in [one for one in sides if isinstance(one, bool)]:
        return decisive
    doubts = [one for one in sides if type(one) is UnknownValue]
    return merged_unknown(doubts) if doubts else not decisive


def _equal(left: object, right: object) -> bool:
    """Terraform's ``==``: values of different types are not equal, but 1 equals 1.0."""
    if isinstance(left, (list, dict)) or isinstance(right, (list, dict)):
        if isinstance(left, SetValue) is not isinstance(right, SetValue) or identity(left) != identity(right):
            return False
        if isinstance(left, SetValue) and left and not any(isinstance(one, (list, dict)) for one in left):
            return True
        raise UntypedError  # a list is no tuple, and a map no object, though they hold the same
    return identity(left) == identity(right)


def evaluated(node: Expression, scope: EvaluationScope) -> object:
    """Evaluate an expression. One that fails is unknown."""
    try:
        return _evaluate(node, scope)
    except FailedError:
        return UnknownValue("the expression fails, or needs more than the source")
    except RecursionError:
        return UnknownValue("the expression is nested too deeply")


def _evaluate(node: Expression, scope: EvaluationScope) -> object:
    """Evaluate an expression. One that fails raises FailedError, for ``try`` and ``can``."""
    try:
        return _literal(node) if type(node) is Literal else _RULES[type(node)](node, scope)
    except InexactError as error:
        return UnknownValue(error.reason)


def _literal(node: Literal) -> object:
    content = node.content
    if type(content) is str:
        return composed(content)
    return as_number(content) if type(content) is float else content


def _name(node: Name, scope: EvaluationScope) -> object:
    if node.name in scope.names:
        return scope.names[node.name]
    raise FailedError


def _access(node: Access, scope: EvaluationScope) -> object:
    base, steps = node.base, node.steps
    if type(base) is Name and base.name not in scope.names:
        content, steps = _rooted(base.name, steps, scope)
    else:
        content = _evaluate(base, scope)
    return _into(content, steps, scope)


def _rooted(name: str, steps: tuple[Step, ...], scope: EvaluationScope) -> tuple[object, tuple[Step, ...]]:
    """The object that a reference begins with (``var.x``, ``data.t.n``), and the remaining steps."""
    first = steps[0].name if isinstance(steps[0], Attr) else None
    module = scope.module
    if first is None:
        raise FailedError
    if name == "var":
        return module.variable(first), steps[1:]
    if name == "local":
        return module.local(first), steps[1:]
    if name == "each":
        return _each(first, scope), steps[1:]
    if name == "count":
        return (scope.key if scope.counts else _missing("count.index")), steps[1:]
    if name == "module":
        return module.module(first), steps[1:]
    if name in ("ephemeral", "path", "self", "terraform"):
        return UnknownValue(f"{name}.{first} is not evaluated"), ()
    mode, type_ = ("data", first) if name == "data" else ("managed", name)
    rest = steps[1:] if mode == "data" else steps
    if not rest or not isinstance(rest[0], Attr):
        raise FailedError
    return module.resource(mode, type_, rest[0].name), rest[1:]


def _each(what: str, scope: EvaluationScope) -> object:
    if scope.counts or scope.key is None:
        return _missing(f"each.{what}")
    return scope.key if what == "key" else scope.value


def _missing(what: str) -> UnknownValue:
    return UnknownValue(f"{what} is not known")


def _into(content: object, steps: tuple[Step, ...], scope: EvaluationScope) -> object:
    for number, step in enumerate(steps):
        if type(content) is UnknownValue:
            return _inside(content, steps[number:])
        if isinstance(step, Splat):
            return _splatted(content, steps[number + 1 :], scope)
        content = _member(content, step.name) if isinstance(step, Attr) else _item(content, step, scope)
    return content


def _inside(whole: UnknownValue, steps: tuple[Step, ...]) -> UnknownValue:
    """A member of an unknown value. Its label keeps it apart from other members."""
    names = [name for step in steps if (name := _named_by(step)) is not None]
    label = "".join((whole.label, *names)) if whole.label and len(names) == len(steps) else ""
    return UnknownValue(whole.reason, whole.settle, names=whole.names, references=whole.references, label=label)


def _named_by(step: Step) -> str | None:
    """A step that is a name or a literal key, in one spelling."""
    if isinstance(step, Attr):
        return f".{step.name}"
    key = step.key.content if isinstance(step, At) and isinstance(step.key, Literal) else None
    return None if key is None else f".{key}" if isinstance(key, str) else f"[{key}]"


def _splatted(content: object, rest: tuple[Step, ...], scope: EvaluationScope) -> object:
    items: object = content
    if hasattr(content, "each"):
        items = content.each()
    if type(items) is UnknownValue:
        return _of_each(items, rest) if hasattr(content, "each") else items
    if not isinstance(items, list):
        items = [] if items is None else [items]
    return [_into(item, rest, scope) for item in items]


def _of_each(instances: UnknownValue, steps: tuple[Step, ...]) -> UnknownValue:
    """An attribute of each of some instances whose number is not known."""
    first = steps[0].name if steps and isinstance(steps[0], Attr) else ""
    references = tuple((module, f"{text}.{first}".removesuffix(".")) for module, text in instances.references)
    return UnknownValue(instances.reason, instances.settle, names=instances.names, references=references)


def _member(content: object, name: str) -> object:
    if isinstance(content, dict):
        if name not in content:
            raise FailedError
        return content[name]
    if hasattr(content, "get"):
        return content.get(name)
    if isinstance(content, list) and name.isdigit():
        return _at(content, int(name))
    raise FailedError


def _item(content: object, step: At, scope: EvaluationScope) -> object:
    key = _evaluate(step.key, scope)
    if type(key) is UnknownValue:
        return merged_unknown([key, *unknowns(content)])
    if hasattr(content, "at"):
        return content.at(key)
    return _at(content, key)


def _at(content: object, key: object) -> object:
    if isinstance(content, dict):
        if as_text(key) not in content:
            raise FailedError
        return content[as_text(key)]
    if isinstance(content, list) and not isinstance(content, SetValue):
        number = as_number(key)
        if isinstance(number, int) and 0 <= number < len(content):
            return content[number]
    raise FailedError


def _template(node: Template, scope: EvaluationScope) -> object:
    return _counted(joined_text([_evaluate(part, scope) for part in node.parts]), scope)


def _counted(content: object, scope: EvaluationScope) -> object:
    """The content. If it is a long text, it is counted: texts can double from one local to the next."""
    scope.module.budget.spend_text(length_of(content))
    return content


def _object(node: Object, scope: EvaluationScope) -> object:
    members: dict[str, object] = {}
    for key, item in node.items:
        name = _evaluate(key, scope)
        if type(name) is UnknownValue:
            return merged_unknown([name])  # an object, without the parts of the text
        members[as_text(name)] = _evaluate(item, scope)
    return members


def _call(node: Call, scope: EvaluationScope) -> object:
    if node.name == "try":
        return _first_that_works(node, scope)
    if node.name == "can":
        attempt = _attempt(node.arguments[0], scope) if len(node.arguments) == 1 else FailedError
        return attempt if type(attempt) is UnknownValue else attempt is not FailedError
    if node.name in ("sensitive", "ephemeralasnull"):
        scope.module.note_sensitive()
    arguments = [_evaluate(one, scope) for one in node.arguments]
    if node.spread:
        last = arguments.pop()
        if type(last) is UnknownValue:
            return merged_unknown([last, *unknowns(arguments)])
        if not isinstance(last, list):
            raise FailedError
        arguments += last
    arguments = [instances_as_map(one) for one in arguments]
    return _counted(call_function(node.name, arguments), scope)


def _first_that_works(node: Call, scope: EvaluationScope) -> object:
    for one in node.arguments:
        attempt = _attempt(one, scope)
        if attempt is not FailedError:
            return attempt
    raise FailedError


def _attempt(node: Expression, scope: EvaluationScope) -> object:
    try:
        return _evaluate(node, scope)
    except FailedError:
        return FailedError


def _conditional(node: Conditional, scope: EvaluationScope) -> object:
    test = _evaluate(node.test, scope)
    if type(test) is not UnknownValue:
        wanted, other = (node.yes, node.no) if as_bool(test) else (node.no, node.yes)
        content = _evaluate(wanted, scope)
        if isinstance(content, str) and isinstance(other, (Literal, Template)):
            return content
        if isinstance(content, (dict, list)) and _is_number(other):
            raise FailedError
        opposite = evaluated(other, scope)
        if isinstance(content, str) and not isinstance(opposite, (dict, list)):
            return content
        if holds_only_texts(content) and isinstance(content, dict) and isinstance(opposite, dict):
            return content
        return unified_with(content, opposite)
    both = [evaluated(one, scope) for one in (node.yes, node.no)]
    doubts = [one for side in both for one in unknowns(side)]
    if not doubts and same_type_and_content(*both):
        return both[0]
    joined = merged_unknown([test, *doubts])
    return UnknownValue(
        joined.reason,
        joined.settle,
        names=joined.names,
        references=joined.references,
        candidates=() if doubts else tuple(both),
        options=tuple(both),
    )


def _unary(node: Unary, scope: EvaluationScope) -> object:
    content = _evaluate(node.operand, scope)
    if type(content) is UnknownValue:
        return merged_unknown([content])
    return not as_bool(content) if node.operator == "!" else negated(content)


def _binary(node: Binary, scope: EvaluationScope) -> object:
    sign = node.operator
    if sign in ("&&", "||") and (_is_number(node.left) or _is_number(node.right)):
        raise FailedError
    left = _evaluate(node.left, scope)
    if sign in ("&&", "||"):
        return apply_logical(left, _evaluate(node.right, scope), decisive=sign == "||")
    right = _evaluate(node.right, scope)
    doubts = [*unknowns(left), *unknowns(right)]
    return merged_unknown(doubts) if doubts else apply_operator(sign, left, right)


def _is_number(node: Expression) -> bool:
    """Whether an expression can be nothing but a number, also if it has more digits than are counted."""
    match node:
        case Literal():
            return type(node.content) in (int, float)
        case Unary() | Binary():
            return node.operator in _ARITHMETIC
        case _:
            return node == LONG_NUMBER


def _for(node: For, scope: EvaluationScope) -> object:
    everything = instances_as_map(_evaluate(node.all, scope))
    if type(everything) is UnknownValue:
        return everything
    items: list[object] = []
    members: dict[str, object] = {}
    for inner in loop_scopes(node, everything, scope):
        if node.condition is not None:
            wanted = _evaluate(node.condition, inner)
            if type(wanted) is UnknownValue:
                return merged_unknown([wanted])
            if not as_bool(wanted):
                continue
        result = _evaluate(node.result, inner)
        if node.key is None:
            items.append(result)
            continue
        key = _evaluate(node.key, inner)
        if type(key) is UnknownValue:
            return merged_unknown([key])
        put_item(members, as_text(key), result, grouped=node.grouped)
    return items if node.key is None else members


def _opaque(node: Opaque, _: EvaluationScope) -> object:
    return UnknownValue(f"{node.text} is not evaluated")


_RULES: dict[type, Callable[..., object]] = {
    Name: _name,
    Access: _access,
    Template: _template,
    Tuple: lambda node, scope: [_evaluate(item, scope) for item in node.items],
    Object: _object,
    Call: _call,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    For: _for,
    Opaque: _opaque,
}
