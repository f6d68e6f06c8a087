"""Says which line installs a library that is not here, for this installation and no other.

What belongs to which extra stands in the metadata of the distribution (`pyproject.toml`), and where that came
from in what its installer noted (PEP 610): a copy from a file is completed from that file, never by a name on
some index.
"""

import json
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

DISTRIBUTIONS = ("stepwire", "stepwire-kit")
"""Under these names the modules beside this one may be installed."""
REQUIREMENT = re.compile(r"([\w.-]+)\s*([^;]*)(?:;.*extra\s*==\s*[\"'](\w+)[\"'].*)?$")


class _Wanted(NamedTuple):
    """A requirement of the distribution: as it is said to an installer, and the extra it is part of."""

    text: str
    extra: str


def missing_library(*names: str) -> str:
    """Give the hint for distributions that are not installed: the line that installs them here.

    Whoever imports a library that a plain installation may lack calls this, when the import fails.
    """
    ours = _ours()
    wanted = [_wanted(name, ours) for name in names]
    if ours is not None and wanted[0].extra:
        return f"Run: {_line_for_extra(ours, wanted[0].extra)}"
    return f"Run: {_line_for(ours, *(one.text for one in wanted))}"


def _ours() -> metadata.Distribution | None:
    for name in DISTRIBUTIONS:
        try:
            return metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def _wanted(name: str, ours: metadata.Distribution | None) -> _Wanted:
    for one in (ours.requires if ours is not None else None) or ():
        found = REQUIREMENT.match(one)
        if found is not None and _plain(found[1]) == _plain(name):
            return _Wanted(f"{found[1]}{found[2].strip()}", found[3] or "")
    return _Wanted(name, "")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _line_for_extra(ours: metadata.Distribution, extra: str) -> str:
    url, is_editable = _origin(ours)
    if is_editable:
        return _line_with_pip("-e", f"{url.removeprefix('file://')}[{extra}]")
    target = f"{ours.name}[{extra}]" + (f" @ {url}" if url else "")
    if _is_tool_of_uv():
        return shlex.join(("uv", "tool", "install", "--force", target))
    if _is_tool_of_pipx():
        return shlex.join(("pipx", "install", "--force", target))
    return _line_with_pip(target)


def _line_for(ours: metadata.Distribution | None, *requirements: str) -> str:
    if ours is not None and _is_tool_of_pipx():
        return shlex.join(("pipx", "inject", ours.name, *requirements))
    return _line_with_pip(*requirements)


def _line_with_pip(*arguments: str) -> str:
    if find_spec("pip") is None:  # as in the environments that uv makes
        return shlex.join(("uv", "pip", "install", "--python", sys.executable, *arguments))
    return shlex.join((sys.executable, "-m", "pip", "install", *arguments))


def _origin(ours: metadata.Distribution) -> tuple[str, bool]:
    """Where the distribution came from, and whether it is a checkout; nothing where that was an index."""
    told = json.loads(ours.read_text("direct_url.json") or "{}")
    url = str(told.get("url", ""))
    source = told.get("vcs_info")
    if source:
        url = f"{source['vcs']}+{url}@{source['commit_id']}"
    return url, bool(told.get("dir_info", {}).get("editable"))


def _is_tool_of_uv() -> bool:
    return (Path(sys.prefix) / "uv-receipt.toml").is_file()


def _is_tool_of_pipx() -> bool:
    return (Path(sys.prefix) / "pipx_metadata.json").is_file()
