"""Whether a value written in a flow fits a port, told without reading it."""

from collections.abc import Callable, Mapping

from studio.flow.ports import PortType
from studio.flow.records import Json

_FITTING: Mapping[str, Callable[[Json], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "flag": lambda value: isinstance(value, bool),
    "message": lambda value: isinstance(value, Mapping) and "role" in value,
    "messages": lambda value: isinstance(value, list) and all(map(_is_message, value)),
    "file": lambda value: isinstance(value, str),
    "image": lambda value: isinstance(value, str),
}
_WORDS: Mapping[type, str] = {
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a JSON object",
    type(None): "nothing",
}


def misfit(value: Json, kind: PortType) -> str:
    """Say why a value, as JSON says it, is none of type `kind`; empty when it is."""
    if kind.depth:
        if not isinstance(value, list):
            return _expected(value, kind)
        return next((reason for one in value if (reason := misfit(one, kind.element))), "")
    fits = _FITTING.get(kind.base)
    return "" if fits is None or fits(value) else _expected(value, kind)


def _is_message(value: Json) -> bool:
    return _FITTING["message"](value)


def _expected(value: Json, kind: PortType) -> str:
    return f"it takes `{kind}`, and this is {_WORDS[type(value)]}."
