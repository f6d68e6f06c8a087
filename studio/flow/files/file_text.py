"""The text of a flow file: a node a line where it fits, the wires that leave one side by side, as places are.

A file is read by people and compared by version control: what changes together stands together.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

WIDTH = 120
"""Columns; what does not fit is written one thing a line."""
_ENTRIES = frozenset({"nodes", "set"})
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


def json_text(document: Mapping[str, object]) -> str:
    """Write another JSON document that people read, in the same way: what fits on a line stands on one."""
    return _spread(document, "") + "\n"


def _part(key: str, value: object) -> str:
    if key in _ENTRIES:
        return _spread(value, "  ")
    if key == "wires":
        return _wires(cast("list[str]", value))
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
    """Write what does not fit on a line; what has one thing only opens and closes together with it."""
    if isinstance(value, dict):
        members = cast("Mapping[str, object]", value).items()
        if len(members) > 1:
            inner = f"{margin}  "
            told = [f"{(said := encode(key))}: {_fitted(one, inner, len(said) + 2)}" for key, one in members]
            return "{\n" + _filled(told, inner) + f"\n{margin}}}"
        ((key, one),) = members
        said = encode(key)
        return f"{{{said}: {_fitted(one, margin, used + len(said) + 3)}}}"
    return _spread(value, margin)


def _spread(value: object, margin: str) -> str:
    """Write the entries of an object or a list, each on a line of its own."""
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        members = cast("Mapping[str, object]", value).items()
        entries = [f"{(said := encode(key))}: {_fitted(one, inner, len(said) + 2)}" for key, one in members]
        return "{\n" + ",\n".join(inner + entry for entry in entries) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        elements = cast("list[object]", value)
        return "[\n" + ",\n".join(inner + _fitted(one, inner, 0) for one in elements) + f"\n{margin}]"
    return encode(cast("object", value))


def _wires(wires: Sequence[str]) -> str:
    """Write wires: those that leave one node side by side, those of the next on a new line."""
    lines = [
        _filled([encode(one) for one in leaving], "    ")
        for _, leaving in groupby(wires, lambda one: one.partition(".")[0])
    ]
    return "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"


def _side_by_side(value: object, margin: str) -> str:
    """Write the entries of an object or a list, as many on a line as fit."""
    inner = f"{margin}  "
    if isinstance(value, dict):
        members = cast("Mapping[str, object]", value).items()
        entries = [f"{encode(key)}: {encode(one)}" for key, one in members]
        opens, closes = "{}"
    else:
        entries = [encode(one) for one in cast("list[object]", value)]
        opens, closes = "[]"
    if len(together := ", ".join(entries)) + len(margin) + 12 < WIDTH:
        return f"{opens}{together}{closes}"
    return f"{opens}\n{_filled(entries, inner)}\n{margin}{closes}"


def _filled(entries: Iterable[str], margin: str) -> str:
    """Put entries on lines, as many as fit; one of several lines has them for itself."""
    lines: list[str] = []
    is_open = False
    for entry in entries:
        is_alone = "\n" in entry
        if is_open and not is_alone and len(lines[-1]) + len(entry) + 3 < WIDTH:
            lines[-1] += f", {entry}"
        else:
            lines.append(margin + entry)
        is_open = not is_alone
    return ",\n".join(lines)


def _values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("Mapping[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
