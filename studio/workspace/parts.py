"""Parts: flows that projects share, by the name `parts/vote.json`.

They come with Stepwire (`projects/parts/`). A flow calls one by that name, or is a variant of it, and finds
it there until its project has a file of that name itself: a copy of a project takes along what it needs, so
that it can be edited, exported and given away, and stays as it is under another version.
"""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from studio import places

FOLDER = "parts"
_NAMED = re.compile(r'"(parts/[^"\\]+\.json)"')


def flow_place(folder: Path, name: str) -> Path:
    """Where the flow is that a file in a folder of a project calls `name`: its own, else the part."""
    own = folder / name
    part = _part(name)
    if part is None or own.exists():
        return own
    above = folder.parent / name
    is_below = (folder.parent / "project.json").is_file()
    return above if is_below and above.exists() else part if part.is_file() else own


def part_name(path: Path) -> str:
    """By which name projects know a part's own file; empty for other files."""
    home = places.parts()
    return f"{FOLDER}/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else ""


def parts_needed(root: Path) -> Mapping[str, Path]:
    """Find the parts that the files of a project name, and those that these need, by name.

    Those of which the project has a file itself are left out.
    """
    found: dict[str, Path] = {}
    waiting = [*root.glob("*.json"), *root.glob("*/*.json")]
    while waiting:
        path = waiting.pop()
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        for name in _NAMED.findall(text):
            place = flow_place(root, name)
            if name not in found and part_name(place):
                found[name] = place
                waiting.append(place)
    return found


def near_names(name: str, known: list[str]) -> str:
    """Say which of the known flows and parts may be meant by a name; empty where none is like it."""
    home = places.parts()
    shared = [part_name(path) for path in home.glob("*.json")] if name.startswith(f"{FOLDER}/") else []
    near = difflib.get_close_matches(name, {*known, *shared}, 1, 0.6)
    return f"Did you mean `{near[0]}`?" if near else ""


def _part(name: str) -> Path | None:
    folder, _, file = name.partition("/")
    is_odd = any(one in {"", ".", ".."} for one in file.split("/"))
    return None if folder != FOLDER or is_odd else places.parts() / file
