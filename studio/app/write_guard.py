"""What may be written over: a file of the same making, and nothing that is read or was made otherwise."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Literal

import orjson

from studio.errors import PlaceError
from studio.store.bundle import is_bundle

Made = Literal["script", "archive", "bundle", "picture", "memory"]
"""What is written."""

DRAWN: Final = "Drawn by Stepwire"
"""Stands in each picture."""

FORCE: Final = "Choose another file with `-o`, or overwrite this one with `--force`."

APPLY: Final = "Take its edits into the flow with `stepwire apply {}`, or overwrite it with `--force`."

_HEAD: Final = 1 << 20
"""Bytes of a file that are looked at."""


def refuse_loss(target: Path, made: Made, *, reads: Iterable[Path] = (), force: bool = False) -> None:
    """Raise `PlaceError` where writing to `target` would take away something that is wanted.

    What is read for it is never written over; what is not of the same making, or was edited, is with `force`.
    """
    if not target.exists():
        return
    if any(_is_same(target, one) for one in reads):
        message = f"`{target}` is one of the files being read and would be lost."
        raise PlaceError(message, hint="Choose another file with `-o`.")
    if force or target.is_dir() or _KNOWN[made](target):
        return
    message = f"`{target}` is there already and is no {_WORDS[made]}: it would be lost."
    edited = None
    from studio.export.forms.signature import is_as_exported, is_signed

    text = _script_at(target, made)
    if text is not None and is_as_exported(text) is not None:
        message = f"`{target}` was edited after it was exported, and the edits would be lost."
        edited = target if made == "script" else None
        if not is_signed(text):
            message = (
                f"`{target}` was exported by an older Stepwire and may have been edited since: "
                "the edits would be lost."
            )
            edited = None
    hint = FORCE if edited is None else APPLY.format(edited)
    raise PlaceError(message, hint=hint, loses="script", edited=edited)


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


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _is_script(path: Path) -> bool:
    """Whether it is an exported script that nobody edited; what has no digest may have been edited."""
    from studio.export.forms.signature import is_as_exported

    text = _text_of(path)
    return text is not None and is_as_exported(text) is True


def _script_at(path: Path, made: Made) -> str | None:
    """The text of a script, be it in an archive; None for what is neither."""
    from studio.export.forms.archive import script_in

    if made == "script":
        return _text_of(path)
    try:
        return script_in(path.read_bytes()) if made == "archive" else None
    except OSError:
        return None


def _is_archive(path: Path) -> bool:
    """Whether it is an exported archive in which nobody edited the script."""
    from studio.export.forms.signature import is_as_exported

    text = _script_at(path, "archive")
    return text is not None and is_as_exported(text) is not False


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
    "archive": _is_archive,
    "bundle": is_bundle,
    "picture": _is_picture,
    "memory": _is_memory,
}
_WORDS: Final[Mapping[Made, str]] = {
    "script": "exported script",
    "archive": "exported script of one file",
    "bundle": "bundle of a run",
    "picture": "picture of a flow",
    "memory": "file of a memory's items",
}
