"""The text of a flow file: a node a line where it fits, a wire a line, places side by side.

A file is read by people and compared by version control: what changes together stands together.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

WIDTH = 120
"""Columns; what does not fit is written one thing a line."""
_ENTRIES = frozenset({"nodes", "set", "wires"})
"""What of a file has each of its entries on a line of its own."""
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Short:
    """A value that is written on one line."""

    value: object


def _inner(one: Short) -> object:
    return one.value


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=_inner)


def encode(value: object) -> str:
    """Write a value on one line, with `Short` ones in it."""
    return _ENCODER.encode(value)


def encodable(text: str) -> str:
    """Write lone surrogates as JSON does, since no file can hold them."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def file_text(document: Mapping[str, object]) -> str:
    """Write the document of a flow or a variant."""
    parts = [f'  "{key}": {_part(key, value)}' for key, value in document.items()]
    return encodable("{\n" + ",\n".join(parts) + "\n}\n")


def _part(key: str, value: object) -> str:
    if key in _ENTRIES:
        return _spread(value, "  ")
    if key == "drop":
        return _side_by_side(value, "  ")
    if key == "layout":
        places = cast("Mapping[str, object]", value)
        return "{\n" + ",\n".join(f'    "{name}": {_places(one)}' for name, one in places.items()) + "\n  }"
    return _fitted(value, "  ", len(key) + 4)


def _places(value: object) -> str:
    """Places of nodes side by side; frames, notes and bends a line each."""
    if isinstance(value, Short):
        return encode(value)
    is_short = all(isinstance(getattr(one, "value", one), list) for one in _values(value))
    return _side_by_side(value, "    ") if is_short else _spread(value, "    ")


def _fitted(value: object, margin: str, used: int) -> str:
    """Write a value behind `used` columns of a line: on it where it fits, else one thing a line."""
    text = encode(value)
    is_short = not isinstance(value, (dict, list)) or len(margin) + used + len(text) < WIDTH
    return text if is_short or not value else _opened(cast("object", value), margin, used)


def _opened(value: object, margin: str, used: int) -> str:
    """Write what does not fit one thing a line; what has one thing only opens and closes together with it."""
    if isinstance(value, dict) and len(cast("Mapping[str, object]", value)) == 1:
        ((key, one),) = cast("Mapping[str, object]", value).items()
        said = encode(key)
        return f"{{{said}: {_fitted(one, margin, used + len(said) + 3)}}}"
    return _spread(cast("object", value), margin)


def _spread(value: object, margin: str) -> str:
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        members = cast("Mapping[str, object]", value).items()
        entries = [f"{(said := encode(key))}: {_fitted(one, inner, len(said) + 2)}" for key, one in members]
        return "{\n" + ",\n".join(inner + entry for entry in entries) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        elements = cast("list[object]", value)
        return "[\n" + ",\n".join(inner + _fitted(one, inner, 0) for one in elements) + f"\n{margin}]"
    return encode(cast("object", value))


def _side_by_side(value: object, margin: str) -> str:
    """Write the entries of an object or a list, as many on a line as fit."""
    inner = f"{margin}  "
    if isinstance(value, dict):
        entries = [
            f"{encode(key)}: {encode(one)}" for key, one in cast("Mapping[str, object]", value).items()
        ]
        brackets = "{}"
    else:
        entries = [encode(one) for one in cast("list[object]", value)]
        brackets = "[]"
    if len(together := ", ".join(entries)) + len(margin) + 12 < WIDTH:
        return f"{brackets[0]}{together}{brackets[1]}"
    lines, line = list[str](), inner
    for entry in entries:
        if line != inner and len(line) + len(entry) + 2 >= WIDTH:
            lines.append(line.rstrip())
            line = inner
        line += f"{entry}, "
    return brackets[0] + "\n" + "\n".join([*lines, line.removesuffix(", ")]) + f"\n{margin}{brackets[1]}"


def _values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("Mapping[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
