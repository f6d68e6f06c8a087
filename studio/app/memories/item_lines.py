"""Items of memories as JSON lines, to be kept elsewhere, edited in bulk, and taken in again."""

import base64
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import UsageError
from studio.sdk.items import Item
from studio.trace.fold.memory_state import text_of_vector
from studio.workspace.whole_file import write_whole


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1)
    text: str
    data: dict[str, Any] = Field(default_factory=dict)
    at: str = ""
    by: str = ""
    labels: tuple[str, ...] = ()
    vector: str = ""


def plain_item(item: Item, *, with_vector: bool = False) -> dict[str, Any]:
    """Give an item as an object; what is empty is left out."""
    plain: dict[str, Any] = {"id": item.id, "text": item.text, "data": dict(item.data)}
    plain |= {"at": item.at, "by": item.by, "labels": list(item.labels)}
    if with_vector and item.vector:
        plain["vector"] = text_of_vector(item.vector)
    return {name: value for name, value in plain.items() if value or name in {"id", "text"}}


def write_lines(items: Iterable[Item], path: Path) -> int:
    """Write one item to a line, with its vector; gives how many. Raises `UsageError`."""
    lines = [orjson.dumps(plain_item(one, with_vector=True)) for one in items]
    try:
        write_whole(path, b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise UsageError(
            f"`{path}` could not be written: {error.strerror or error}.", hint="Choose another location."
        ) from error
    return len(lines)


def read_lines(path: Path) -> Sequence[Item]:
    """Read what `write_lines` wrote; raises `UsageError` that names the first line that is no item."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(
            f"`{path}` could not be read: {error.strerror or error}.", hint="Choose another file."
        ) from error
    return [_item(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _item(path: Path, number: int, line: bytes) -> Item:
    hint = 'A line is an object with an `id` and a `text`: {"id": "plan", "text": "Ask Ada."}'
    try:
        one = _Line.model_validate(orjson.loads(line))
        vector = base64.b64decode(one.vector, validate=True)
    except (ValueError, ValidationError) as error:
        raise UsageError(f"Line {number} of `{path.name}` is not an item.", hint=hint) from error
    return Item(one.id, one.text, one.data, one.at, one.by, vector, one.labels)
