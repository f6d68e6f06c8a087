"""What the docstring of an exported script says: which flow it is from, in which version; and that flow."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

HEAD: Final = re.compile(
    r"^Exported by Stepwire (\S+)\s+from\s+(.+?(?:\n.+?)*?)\s+\(flow\s+([0-9a-f]{12})\)\.", re.MULTILINE
)
"""What exported scripts say of where they are from; a long line may be broken."""
CALLED: Final = re.compile(r"(?:It calls|,)\s+([^,]+?)\s+\(flow\s+([0-9a-f]{12})\)")
"""The same of each flow that is called."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an exported script says of itself: the file that it is from, and the version of each flow."""

    source: str
    versions: Mapping[str, str]
    """By the name of a called flow; the flow itself has the empty name."""
    by: str = ""
    """The version of Stepwire that exported it."""


def head_in(script: str) -> Head | None:
    """Read the same from the text of a script; None also for what is no Python."""
    try:
        return head_of(ast.get_docstring(ast.parse(script)) or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def head_of(docstring: str) -> Head | None:
    """Read where an exported script is from; None where it does not say so."""
    found = _head_in(docstring)
    if found is None:
        return None
    rest = docstring[found.end() :].lstrip().partition("\n\n")[0]
    return Head(" ".join(found[2].split()), {"": found[3], **dict(CALLED.findall(rest))}, found[1])


def drawn_file(script: Path, head: Head, name: str = "") -> Path | None:
    """Find the flow that a script is from, or one that this calls by `name`: beside it, or in its project."""
    inside = PurePosixPath(name or head.source)
    if inside.is_absolute() or ".." in inside.parts:
        return None
    return next((one / inside for one in _folders(script.resolve().parent) if (one / inside).is_file()), None)


def _folders(first: Path) -> Iterator[Path]:
    """The folder of a script, and those around it up to its project's."""
    from studio.workspace.project import FILE  # `--help` needs nothing of a project

    around = [first, *first.parents]
    root = next((place for place, folder in enumerate(around) if (folder / FILE).is_file()), 0)
    yield from around[: root + 1]


def _head_in(docstring: str) -> re.Match[str] | None:
    """The last of such lines: one before it is the description's."""
    return next(reversed([*HEAD.finditer(docstring)]), None)


def description_in(docstring: str) -> str:
    """What a script's docstring says between its first line and where the script is from."""
    found = _head_in(docstring)
    before = docstring[: found.start()] if found is not None else ""
    return before.partition("\n")[2].strip()
