"""What expressions do when they are computed: each kind of expression as a function that was made once.

Everything that is made on the way is weighed before it is made, and all of it together has one bound; what is
given from outside is not.
"""

import ast
import operator
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from studio.bounds.patterns import PatternError, is_found
from studio.bounds.weights import WHOLES, Room, weigh
from studio.errors import ExpressionError

MAX_DIGITS: Final = 40
"""To how many digits, or tens, a number is rounded at most."""

MAX_BITS: Final = 4_096
"""Size of any whole number that is made on the way."""

MAX_MATCHED: Final = 10_000
"""Characters of a text that `matches` looks through."""

MATCHING_SECONDS: Final = 0.1
"""How long `matches` may look, for nothing else of a run goes on meanwhile."""

_LARGE: Final = 1 << MAX_BITS
_NUMBERS: Final = frozenset({int, float, bool})
_SLICED: Final = frozenset({str, list, tuple})


Step: TypeAlias = Callable[[Mapping[str, object], Room], Any]
"""Computes an expression with values for its names."""

_Operation: TypeAlias = Callable[[Any, Any, Room], Any]


def step_of(node: ast.expr) -> Step:  # noqa: C901, PLR0912  # an arm for each kind of expression
    """Make the function that computes an expression of the language, and says where it cannot."""
    match node:
        case ast.Constant(value=value):
            return lambda _values, _room: value
        case ast.Name(id=name):
            return _named(name, node)
        case ast.List(elts=parts):
            return _displayed(list, parts, node)
        case ast.Tuple(elts=parts):
            return _displayed(tuple, parts, node)
        case ast.Dict(keys=keys, values=parts):
            return _object([one for one in keys if one is not None], parts, node)
        case ast.BoolOp(op=op, values=parts):
            return _decided(parts, until=isinstance(op, ast.Or))
        case ast.UnaryOp(op=op, operand=operand):
            return _signed(_UNARY[type(op)], step_of(operand), node)
        case ast.BinOp(left=left, op=op, right=right):
            return _computed(_BINARY[type(op)], step_of(left), step_of(right), node)
        case ast.Compare():
            return _compared(node)
        case ast.IfExp(test=test, body=body, orelse=other):
            return _chosen(step_of(test), step_of(body), step_of(other))
        case ast.Subscript(value=whole, slice=ast.Slice(lower=low, upper=high)):
            return _sliced(step_of(whole), low, high, node)
        case ast.Subscript(value=whole, slice=index):
            return _picked(step_of(whole), step_of(index), node)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _called(name, [step_of(one) for one in args], node)
        case _:
            reason = f"{type(node).__name__} is not part of the language"
            raise TypeError(reason)


def _placed(step: Step, node: ast.expr) -> Step:
    """The same, which says at which column it could not be computed."""
    column = node.col_offset + 1

    def placed(values: Mapping[str, object], room: Room) -> Any:
        try:
            return step(values, room)
        except ExpressionError as error:
            if error.column:
                raise
            raise ExpressionError(error.message, column) from error
        except (LookupError, ArithmeticError, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise ExpressionError(f"The expression cannot be evaluated: {_reason(error)}.", column) from error

    return placed


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {_SHORTENED.repr(error.args[0])}"
    if isinstance(error, LookupError):
        return "the index is out of range"
    return "a value is nested too deep" if isinstance(error, RecursionError) else str(error)


_SHORTENED: Final = reprlib.Repr()
_SHORTENED.maxstring = _SHORTENED.maxother = 80


def _named(name: str, node: ast.expr) -> Step:
    return _placed(lambda values, _: values[name], node)


def _displayed(kind: type[Any], parts: Sequence[ast.expr], node: ast.expr) -> Step:
    steps = [step_of(part) for part in parts]

    def display(values: Mapping[str, object], room: Room) -> Any:
        made = kind([step(values, room) for step in steps])
        room.take(weigh(made, room.left))
        return made

    return _placed(display, node)


def _object(keys: Sequence[ast.expr], parts: Sequence[ast.expr], node: ast.expr) -> Step:
    fields = [(step_of(key), step_of(part)) for key, part in zip(keys, parts, strict=True)]

    def display(values: Mapping[str, object], room: Room) -> Any:
        made = {key(values, room): step(values, room) for key, step in fields}
        room.take(weigh(made, room.left))
        return made

    return _placed(display, node)


def _decided(parts: Sequence[ast.expr], *, until: bool) -> Step:
    """`and` and `or` give the value that decides them, like Python's."""
    steps = [step_of(part) for part in parts]

    def decide(values: Mapping[str, object], room: Room) -> Any:
        result: Any = None
        for step in steps:
            result = step(values, room)
            if bool(result) is until:
                break
        return result

    return decide


def _chosen(test: Step, body: Step, other: Step) -> Step:
    return lambda values, room: body(values, room) if test(values, room) else other(values, room)


def _signed(do: Callable[[Any], Any], operand: Step, node: ast.expr) -> Step:
    return _placed(lambda values, room: do(operand(values, room)), node)


def _computed(do: _Operation, left: Step, right: Step, node: ast.expr) -> Step:
    return _placed(lambda values, room: _small(do(left(values, room), right(values, room), room)), node)


def _compared(node: ast.Compare) -> Step:
    first = step_of(node.left)
    others = [
        (_COMPARE[type(op)], step_of(other)) for op, other in zip(node.ops, node.comparators, strict=True)
    ]
    if len(others) == 1:
        ((do, second),) = others
        return _placed(lambda values, room: do(first(values, room), second(values, room), room), node)

    def compare(values: Mapping[str, object], room: Room) -> Any:
        left, result = first(values, room), True
        for do, other in others:
            right = other(values, room)
            result = do(left, right, room)
            if not result:
                break
            left = right
        return result

    return _placed(compare, node)


def _picked(whole: Step, index: Step, node: ast.expr) -> Step:
    return _placed(lambda values, room: whole(values, room)[index(values, room)], node)


def _sliced(whole: Step, low: ast.expr | None, high: ast.expr | None, node: ast.expr) -> Step:
    begin, end = (None if one is None else step_of(one) for one in (low, high))

    def cut(values: Mapping[str, object], room: Room) -> Any:
        found = whole(values, room)
        part = slice(
            None if begin is None else begin(values, room), None if end is None else end(values, room)
        )
        if type(found) in _SLICED:
            room.take(len(range(*part.indices(len(found)))))
        return found[part]

    return _placed(cut, node)


def _called(name: str, args: Sequence[Step], node: ast.expr) -> Step:
    function = FUNCTIONS[name]
    if name in _COPYING:

        def copy(values: Mapping[str, object], room: Room) -> Any:
            given = [one(values, room) for one in args]
            room.take(sum(len(one) for one in given if isinstance(one, str)))
            return function(*given)

        return _placed(copy, node)
    return _placed(lambda values, room: _small(function(*[one(values, room) for one in args])), node)


def _small(value: Any) -> Any:
    if type(value) is int and not -_LARGE < value < _LARGE:
        raise ExpressionError("The number becomes too large.", 0)
    return value


def _added(left: Any, right: Any, room: Room) -> Any:
    if type(left) not in _NUMBERS and type(left) is type(right):
        room.take(weigh(left, room.left))
        room.take(weigh(right, room.left))
    return left + right


def _multiplied(left: Any, right: Any, room: Room) -> Any:
    if type(left) not in _NUMBERS or type(right) not in _NUMBERS:
        for many, times in ((left, right), (right, left)):
            if type(many) in _SLICED and isinstance(times, int) and times > 0:
                room.take(times * (weigh(many, room.left) - 1))
    return left * right


def _remainder(left: Any, right: Any, _: Room) -> Any:
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        raise ExpressionError("`%` is for numbers only.", 0)
    return left % right


def _power(left: Any, right: Any, _: Room) -> Any:
    if isinstance(left, int) and isinstance(right, int) and abs(right) * left.bit_length() > MAX_BITS:
        raise ExpressionError("The number becomes too large.", 0)
    return left**right


_BINARY: Final[Mapping[type[ast.operator], _Operation]] = {
    ast.Add: _added,
    ast.Sub: lambda left, right, _: left - right,
    ast.Mult: _multiplied,
    ast.Div: lambda left, right, _: left / right,
    ast.FloorDiv: lambda left, right, _: left // right,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
OPERATORS: Final = frozenset(_BINARY)
"""The signs of arithmetic that the language has."""

_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


def _weighed(do: Callable[[Any, Any], Any]) -> _Operation:
    """A comparison that looks at no more than is left: of what holds others, at the lighter of the two."""

    def compare(left: Any, right: Any, room: Room) -> Any:
        if type(left) in WHOLES and type(right) in WHOLES:
            shorter, longer = (left, right) if len(left) <= len(right) else (right, left)
            found = weigh(shorter, room.left)
            room.take(found if found <= room.left else weigh(longer, room.left))
        return do(left, right)

    return compare


def _is_in(one: Any, many: Any, room: Room) -> bool:
    if type(one) in WHOLES:
        room.take(weigh(many, room.left))
    return one in many


_COMPARE: Final[Mapping[type[ast.cmpop], _Operation]] = {
    ast.Eq: _weighed(operator.eq),
    ast.NotEq: _weighed(operator.ne),
    ast.Lt: _weighed(operator.lt),
    ast.LtE: _weighed(operator.le),
    ast.Gt: _weighed(operator.gt),
    ast.GtE: _weighed(operator.ge),
    ast.Is: lambda left, right, _: left is right,
    ast.IsNot: lambda left, right, _: left is not right,
    ast.In: _is_in,
    ast.NotIn: lambda one, many, room: not _is_in(one, many, room),
}


def lower(text: str) -> str:
    """The text in small letters."""
    return text.lower()


def upper(text: str) -> str:
    """The text in capitals."""
    return text.upper()


def startswith(text: str, start: str) -> bool:
    """Whether the text begins with `start`."""
    return text.startswith(start)


def endswith(text: str, end: str) -> bool:
    """Whether the text ends with `end`."""
    return text.endswith(end)


def _matches(text: str, pattern: str) -> bool:
    if len(text) > MAX_MATCHED:
        raise ExpressionError(f"`matches` searches at most {MAX_MATCHED} characters.", 0)
    try:
        return is_found(pattern, text, MATCHING_SECONDS)
    except PatternError as error:
        raise ExpressionError(error.message, 0) from error


def _sum(values: Sequence[Any], start: Any = 0) -> Any:
    if not all(isinstance(one, int | float) for one in (*values, start)):
        raise TypeError("sum adds numbers only")
    return sum(values, start)


def _round(number: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise ValueError("too many digits to round to")
    return round(number, digits)


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "len": len,
    "min": min,
    "max": max,
    "sum": _sum,
    "abs": abs,
    "round": _round,
    "lower": lower,
    "upper": upper,
    "startswith": startswith,
    "endswith": endswith,
    "matches": _matches,
    "any": any,
    "all": all,
}

_COPYING: Final = frozenset({"lower", "upper"})
"""Functions that give a text as long as the one that they are given, or up to three times as long."""
