"""What loaders ask of a row: columns that are there, of a kind, and in words where they are not."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from studio.experiments.readers import Columns, RowError
from studio.flow.records import Json

Object: TypeAlias = Mapping[str, Json]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def text_in(columns: Columns, *names: str) -> str:
    """Give the first of these columns that there is, as text; raises `RowError` where there is none."""
    for name in names:
        value = columns.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    listed = " and no ".join(f"`{one}`" for one in names)
    raise RowError(f"there is no {listed} that is a text.")


def list_in(columns: Columns, name: str) -> list[Json]:
    """Give a column that is a list, or a text with one in JSON; raises `RowError`."""
    value = unpacked(columns.get(name))
    if not isinstance(value, list):
        raise RowError(f"there is no `{name}` that is a list.")
    return value


def objects_in(columns: Columns, name: str) -> list[Object]:
    """Give a column that is a list of objects, or one object; raises `RowError`."""
    value = unpacked(columns.get(name))
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in found):
        raise RowError(f"`{name}` is not a list of objects.")
    return cast("list[Object]", found)


def texts_in(columns: Columns, name: str) -> list[str]:
    """Give a column that is a list of texts; none where it is missing. Raises `RowError`."""
    value = unpacked(columns.get(name))
    found = [] if value is None or value == "" else value
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise RowError(f"`{name}` is not a list of texts.")
    return cast("list[str]", found)


def unpacked(value: Json) -> Json:
    """Read a list or object that a column holds as JSON text, as tables have them; all else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def with_choices(stem: str, choices: Sequence[str]) -> str:
    """Put a question before its choices, each on a line behind its letter."""
    return "\n".join([stem, *(f"{name}. {one}" for name, one in zip(LETTERS, choices, strict=False))])


def shuffled(choices: Sequence[str], name: str) -> list[str]:
    """Put choices into an order that depends on nothing but their texts and the name of the row."""
    return sorted(
        choices, key=lambda one: hashlib.sha256(f"{name}/{one}".encode("utf-8", "replace")).digest()
    )
