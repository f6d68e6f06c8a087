"""Flow files on disk: read whole or refused, written whole or not at all."""

import json
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from studio.errors import FlowFileError, UsageError
from studio.flow.files.codec import Loaded, dumps, dumps_variant, loads
from studio.flow.files.source import lines_of
from studio.flow.records import Flow
from studio.workspace.parts import flow_place, near_names
from studio.workspace.private_folder import make_private_folder, private_folder
from studio.workspace.whole_file import write_whole

KEPT_VERSIONS = 3
"""How many earlier versions of a file are kept under `.stepwire/versions/` beside it."""

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; a larger file is no flow, and reading it would only stall the window."""

MOST_BASES = 8
"""How many files a flow may be made of: a variant of a variant of a flow takes two others."""


class SaveError(UsageError):
    """A flow could not be saved; the file on disk is as it was."""


def load_flow(path: Path) -> Loaded:
    """Read a flow file; raises `FlowFileError` that names the file and everything wrong in it.

    A variant is read with the file beside it, or the part, that it is a variant of, which may be one itself.
    """
    return _loaded(path, ())


def _loaded(path: Path, variants: tuple[Path, ...]) -> Loaded:
    """Read a file; `variants` are those that are read already, for the sake of which it is."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # to open a pipe would be to wait for whoever writes into it
            hint = "Pass the path of a flow file or a project folder."
            raise FlowFileError(f"`{path}` is not a file.", hint=hint)
        if found.st_size > LARGEST_FILE:
            raise FlowFileError(
                f"`{path}` is too large for a flow.", hint="Flows are a few megabytes at most."
            )
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        hint = "Make it readable, or choose another file."
        raise FlowFileError(f"`{path}` could not be read: {_words(error)}.", hint=hint) from error
    except UnicodeDecodeError as error:
        reason = f"byte {error.start}: this is not UTF-8 text."
        raise FlowFileError(f"`{path}` is not a readable flow.", [reason]) from error

    def base(name: str) -> Flow:
        place = _found_base(path, name, text)
        if place in (*variants, path):
            raise FlowFileError(f"`{place}` is a variant of itself.")
        if len(variants) >= MOST_BASES:
            raise FlowFileError(f"`{place}` is needed by {MOST_BASES} variants of one another, the most.")
        return _loaded(place, (*variants, path)).flow

    try:
        return loads(text, base)
    except FlowFileError as error:
        if error.message.startswith("`"):  # of the base, which is named
            raise
        raise FlowFileError(f"`{path}`: {error.message}", error.details, hint=error.hint) from error


def _found_base(path: Path, name: str, text: str) -> Path:
    place = flow_place(path.parent, name)
    if not place.exists():
        near = near_names(name, [one.name for one in path.parent.glob("*.json") if one != path])
        told = lines_of(text, [("of", f"there is no `{name}`. {near}".strip())])
        raise FlowFileError(f"`{path}` is a variant of what is not there.", told)
    return place


def base_of(path: Path) -> str:
    """Name the file beside a flow that it is a variant of; empty for other flows and for what is no flow."""
    try:
        text = path.read_bytes().decode("utf-8")
        document: object = json.loads(text) if '"of"' in text else None
    except (OSError, ValueError, RecursionError):
        return ""
    found = cast("Mapping[str, object]", document).get("of") if isinstance(document, dict) else None
    return found if isinstance(found, str) else ""


def base_place(path: Path) -> Path | None:
    """Where the file or part is that this one is a variant of; None for what is no variant."""
    of = base_of(path)
    return flow_place(path.parent, of).resolve() if of else None


def bases_of(path: Path) -> Sequence[Path]:
    """The files that a variant is made whole with, the nearest first."""
    found: list[Path] = []
    while len(found) <= MOST_BASES and (base := base_place(found[-1] if found else path)) is not None:
        if base in found:
            break
        found.append(base)
    return found


def flow_text(path: Path, flow: Flow) -> str:
    """Write a flow as its file has it: where a variant stands there, as one of the same base.

    Raises `FlowFileError` where the base cannot be read.
    """
    return _written(path, flow, base_of(path))


def _written(path: Path, flow: Flow, of: str) -> str:
    return dumps_variant(flow, _loaded(flow_place(path.parent, of), (path,)).flow, of) if of else dumps(flow)


def save_flow(path: Path, flow: Flow) -> bytes:
    """Write a flow so that the file holds the old or the new text at every instant; gives what it says then.

    A variant stays one. The file that was there becomes the newest of its kept versions. Raises `SaveError`;
    the file is then as it was.
    """
    target = path.resolve() if path.is_symlink() else path
    of = base_of(path)
    try:
        data = _written(path, flow, of).encode("utf-8")
    except FlowFileError as error:
        if not of:
            raise
        raise SaveError(
            f"`{path}` could not be saved: {error.message}",
            hint=f"It is a variant of `{of}`: mend that file, or save somewhere else.",
        ) from error
    try:
        keep_version(target, data)
        write_whole(target, data)
    except OSError as error:
        raise SaveError(
            f"`{path}` could not be saved: {_words(error)}.",
            hint="The file is unchanged; save somewhere else, or free some space and save again.",
        ) from error
    return data


def versions_of(path: Path) -> list[Path]:
    """The kept earlier versions of a flow file, newest first."""
    folder = private_folder(path.parent) / "versions"
    pattern = re.compile(re.escape(path.stem) + r"\.(\d+)" + re.escape(path.suffix))
    numbered = [(int(found[1]), one) for one in _listed(folder) if (found := pattern.fullmatch(one.name))]
    return [one for _, one in sorted(numbered, reverse=True)]


def keep_version(path: Path, data: bytes) -> None:
    """Put the present file among its versions, unless it says already what is about to be written."""
    try:
        present = path.read_bytes()
    except FileNotFoundError:
        return
    if present == data:
        return
    folder = make_private_folder(path.parent) / "versions"
    folder.mkdir(exist_ok=True)
    kept = versions_of(path)
    newest = int(kept[0].name.removesuffix(path.suffix).rpartition(".")[2]) if kept else 0
    write_whole(folder / f"{path.stem}.{newest + 1}{path.suffix}", present)
    for old in kept[KEPT_VERSIONS - 1 :]:
        old.unlink(missing_ok=True)


def _listed(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
