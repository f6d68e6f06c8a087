"""What wires and rules of a drawn flow do to values, said in a script."""

from typing import Any, cast

from studio.errors import ValueTypeError
from studio.flow.ports import parse_type
from studio.script.no_value import Failure, Misfit, nothing
from studio.sdk.expressions import compile_expression
from studio.sdk.values import convert, to_plain


def converted(value: Any, source: str, target: str) -> Any:
    """Make a value of one port type one of another: `converted(score, "number", "text")`.

    `nothing` and failures stay what they are. A value that is not of the type that it was said to be fails
    the step that is given it, if that happens, with `ValueTypeError`.
    """
    if value is nothing or isinstance(value, Failure | Misfit):
        return value
    types = parse_type(source), parse_type(target)
    try:
        return convert(value, *types)
    except ValueTypeError:
        return Misfit(value, *types)


def elements(value: Any) -> list[Any]:
    """Give the elements of a list; what is no list is the only one. `nothing` has none, and stays so."""
    return cast("list[Any]", value) if value is nothing or isinstance(value, list) else [value]


def holds(rule: str, /, **values: Any) -> bool:
    """Tell whether a rule in the language of expressions holds; raises `ExpressionError`."""
    plain = {name: to_plain(value) for name, value in values.items()}
    return bool(compile_expression(rule, tuple(values)).evaluate(plain))
