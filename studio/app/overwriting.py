"""What may be written over: a file of the same making, and nothing that is read or was made otherwise."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Literal

import orjson

from studio.errors import PlaceError
from studio.store.bundle import is_bundle

Made = Literal["script", "bundle", "picture", "memory"]
"""What is written."""

DRAWN: Final = "Drawn by Stepwire"
"""Stands in each picture."""

FORCE: Final = "Choose another file with `-o`, or overwrite this one with `--force`."

_HEAD: Final = 1 << 20
"""Bytes of a file that are looked at."""


def refuse_loss(target: Path, made: Made, *, reads: Iterable[Path] = (), force: bool = False) -> None:
    """Raise `PlaceError` where writing to `target` would take away something that is wanted.

    What is read for it is never written over; anything else that is not of the same making is with `force`.
    """
    if not target.exists():
        return
    if any(_is_same(target, one) for one in reads):
        message = f"`{target}` is one of the files being read and would be lost."
        raise PlaceError(message, hint="Choose another file with `-o`.")
    if force or target.is_dir() or _KNOWN[made](target):
        return
    message = f"`{target}` is there already and is no {_WORDS[made]}: it would be lost."
    raise PlaceError(message, hint=FORCE)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _head_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _is_script(path: Path) -> bool:
    return b"\nExported by Stepwire " in _head_of(path).replace(b"\r", b"")


def _is_picture(path: Path) -> bool:
    head = _head_of(path)
    is_drawing = head.startswith(b"\x89PNG") or b"<svg" in head
    return is_drawing and DRAWN.encode() in head


def _is_memory(path: Path) -> bool:
    """Whether its first line is an item of a memory."""
    try:
        item = orjson.loads(_head_of(path).partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(item, dict) and {"id", "text"} <= item.keys()


_KNOWN: Final[Mapping[Made, Callable[[Path], bool]]] = {
    "script": _is_script,
    "bundle": is_bundle,
    "picture": _is_picture,
    "memory": _is_memory,
}
_WORDS: Final[Mapping[Made, str]] = {
    "script": "exported script",
    "bundle": "bundle of a run",
    "picture": "picture of a flow",
    "memory": "file of a memory's items",
}
