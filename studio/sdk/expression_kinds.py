"""What an expression makes of values of known kinds, so that what never fits is told beforehand."""

import ast
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from studio.bounds.patterns import PatternError, is_found
from studio.errors import ExpressionError
from studio.flow.ports import PortType
from studio.sdk.expressions import Expression

Kind: TypeAlias = Literal["number", "text", "flag", "list", "object", "none", "unknown"]

_BASES: Final[Mapping[str, Kind]] = {
    "text": "text",
    "number": "number",
    "flag": "flag",
    "message": "object",
    "messages": "list",
    "file": "text",
    "image": "text",
}
_WORDS: Final[Mapping[Kind, str]] = {
    "number": "a number",
    "text": "text",
    "flag": "true or false",
    "list": "a list",
    "object": "an object",
    "none": "nothing",
    "unknown": "anything",
}
_NUMBERS: Final = frozenset({"number", "flag"})
_SIZED: Final = frozenset({"text", "list", "object"})
_ORDERED: Final = (_NUMBERS, {"text"}, {"list"})

_CALLS: Final[Mapping[str, tuple[int, int, frozenset[str], Kind]]] = {
    "len": (1, 1, _SIZED, "number"),
    "min": (1, 99, frozenset(), "unknown"),
    "max": (1, 99, frozenset(), "unknown"),
    "sum": (1, 2, frozenset({"list"}), "number"),
    "abs": (1, 1, _NUMBERS, "number"),
    "round": (1, 2, _NUMBERS, "number"),
    "lower": (1, 1, frozenset({"text"}), "text"),
    "upper": (1, 1, frozenset({"text"}), "text"),
    "startswith": (2, 2, frozenset({"text"}), "flag"),
    "endswith": (2, 2, frozenset({"text"}), "flag"),
    "matches": (2, 2, frozenset({"text"}), "flag"),
    "any": (1, 1, frozenset({"list"}), "flag"),
    "all": (1, 1, frozenset({"list"}), "flag"),
}
"""Of each function: how many arguments, least and most; kinds of the first (none: all), and of its result."""


def kind_of(port_type: PortType) -> Kind:
    """The kind of the plain JSON of values of a port's type."""
    return "list" if port_type.depth else _BASES.get(port_type.base, "unknown")


def refuse_misfits(expression: Expression, kinds: Mapping[str, Kind]) -> None:
    """Raise `ExpressionError` where values of these `kinds`, by name, can never be used as they are."""
    _Checker(kinds).kind(expression.tree)


class _Checker:
    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds

    def kind(self, node: ast.expr) -> Kind:  # noqa: C901, PLR0912  # an arm for each kind of expression
        match node:
            case ast.Constant(value=value):
                return _of_constant(value)
            case ast.Name(id=name):
                return self._kinds.get(name, "unknown")
            case ast.List() | ast.Tuple():
                self._all(node.elts)
                return "list"
            case ast.Dict(values=values):
                self._all(values)
                return "object"
            case ast.BoolOp(values=values):
                return _common(self._all(values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.kind(operand)
                return "flag"
            case ast.UnaryOp(operand=operand):
                self._need(operand, _NUMBERS, "a sign stands before a number")
                return "number"
            case ast.BinOp():
                return self._computed(node)
            case ast.Compare():
                self._compared(node)
                return "flag"
            case ast.IfExp(test=test, body=body, orelse=other):
                return _common(self._all([test, body, other])[1:])
            case ast.Subscript():
                return self._part(node)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(node, name, args)
            case _:
                return "unknown"

    def _all(self, nodes: Sequence[ast.expr]) -> list[Kind]:
        return [self.kind(one) for one in nodes]

    def _need(self, node: ast.expr, allowed: frozenset[str], rule: str) -> Kind:
        found = self.kind(node)
        if found != "unknown" and found not in allowed:
            raise _misfit(f"{rule[0].upper()}{rule[1:]}, and this is {_WORDS[found]}.", node)
        return found

    def _computed(self, node: ast.BinOp) -> Kind:
        left, right = self.kind(node.left), self.kind(node.right)
        if left in _NUMBERS and right in _NUMBERS:
            return "number"
        if "unknown" in (left, right):
            return "unknown"
        sign = type(node.op)
        if sign is ast.Add and left == right and left in {"text", "list"}:
            return left
        if sign is ast.Mult and {left, right} & _NUMBERS and (several := {left, right} & {"text", "list"}):
            return "text" if "text" in several else "list"
        raise _misfit(f"{_begun(left)} and {_WORDS[right]} cannot be computed with each other.", node)

    def _compared(self, node: ast.Compare) -> None:
        left = self.kind(node.left)
        for op, other in zip(node.ops, node.comparators, strict=True):
            right = self.kind(other)
            _refuse_comparison(op, left, right, other)
            left = right

    def _part(self, node: ast.Subscript) -> Kind:
        whole = self._need(node.value, _SIZED, "only text, lists and objects have parts")
        if isinstance(node.slice, ast.Slice):
            if whole == "object":
                raise _misfit('A field of an object is named, as in `["name"]`.', node.slice)
            return whole
        if whole in {"text", "list"}:
            self._need(node.slice, _NUMBERS, "a place in it is a number")
        return "text" if whole == "text" else "unknown"

    def _called(self, node: ast.Call, name: str, args: Sequence[ast.expr]) -> Kind:
        least, most, first, given = _CALLS[name]
        if not least <= len(args) <= most:
            wanted = f"{least}" if least == most else f"{least} or more"
            raise _misfit(f"`{name}` takes {wanted} value{'s' if wanted != '1' else ''}.", node)
        if first:
            allowed = " or ".join(_WORDS[kind] for kind in _BASIC if kind in first)
            self._need(args[0], first, f"`{name}` takes {allowed}")
        self._all(args)
        if name in {"startswith", "endswith", "matches"}:
            self._need(args[1], frozenset({"text"}), f"`{name}` looks for text")
        if name == "matches" and isinstance(args[1], ast.Constant):
            _refuse_pattern(args[1])
        return given


_BASIC: Final[Sequence[Kind]] = ("text", "number", "list", "object", "flag")


def _refuse_comparison(op: ast.cmpop, left: Kind, right: Kind, node: ast.expr) -> None:
    if isinstance(op, ast.In | ast.NotIn):
        if right in {"number", "flag", "none"} or (right == "text" and left not in {"text", "unknown"}):
            raise _misfit(f"{_begun(left)} is never in {_WORDS[right]}.", node)
        return
    if "unknown" in (left, right) or left == right or (left in _NUMBERS and right in _NUMBERS):
        if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and {left, right} & {"object", "none"}:
            raise _misfit(f"Nothing is more or less than {_WORDS[right]}.", node)
        return
    if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) and "none" in (left, right):
        return
    raise _misfit(f"{_begun(left)} and {_WORDS[right]} cannot be compared: it would never hold.", node)


def _refuse_pattern(node: ast.Constant) -> None:
    try:
        is_found(str(node.value), "")
    except PatternError as error:
        raise _misfit(error.message, node) from error


def _common(kinds: Sequence[Kind]) -> Kind:
    return kinds[0] if len(set(kinds)) == 1 else "unknown"


def _of_constant(value: object) -> Kind:
    match value:
        case bool():
            return "flag"
        case int() | float():
            return "number"
        case str():
            return "text"
        case _:
            return "none"


def _begun(kind: Kind) -> str:
    return _WORDS[kind][0].upper() + _WORDS[kind][1:]


def _misfit(message: str, node: ast.expr) -> ExpressionError:
    return ExpressionError(message, node.col_offset + 1)
