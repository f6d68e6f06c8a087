"""Stepwire in the menu of a desktop, with its icon and file types, by the rules of freedesktop.org.

All lies in the user's own data folder, under names that no other program has: installing again changes what
changed, and what was installed is removed to the last file.
"""

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from studio import places
from studio.errors import UsageError
from studio.store.bundle import SUFFIX
from studio.workspace.whole_file import write_whole

APPLICATION = "stepwire"
FLOW_TYPE = "application/x-stepwire-flow"
RUN_TYPE = "application/x-stepwire-run"

ENTRY = f"""[Desktop Entry]
Type=Application
Name=Stepwire
GenericName=Agent Graph Studio
Comment=Draw, debug and ship LLM agent graphs
Exec={{command}} %f
TryExec={{program}}
Icon={APPLICATION}
Terminal=false
Categories=Development;IDE;
Keywords=LLM;agent;flow;graph;workflow;
MimeType={FLOW_TYPE};{RUN_TYPE};
StartupNotify=true
StartupWMClass={APPLICATION}
"""

TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{FLOW_TYPE}">
    <comment>Stepwire flow</comment>
    <sub-class-of type="application/json"/>
    <icon name="{APPLICATION}"/>
    <magic priority="60">
      <match type="string" offset="0:16" value="&quot;format&quot;: &quot;stepwire.flow&quot;"/>
    </magic>
    <glob pattern="flow.json" weight="60"/>
  </mime-type>
  <mime-type type="{RUN_TYPE}">
    <comment>Stepwire run</comment>
    <sub-class-of type="application/zip"/>
    <icon name="{APPLICATION}"/>
    <glob pattern="*{SUFFIX}"/>
  </mime-type>
</mime-info>
"""


class Place(NamedTuple):
    """A file of the desktop's, and what is to stand in it."""

    path: Path
    data: bytes


class Outcome(NamedTuple):
    """The files that were written or removed, and the tools that were not there to tell the desktop."""

    changed: list[Path]
    missing_tools: list[str]


def refuse_other_systems(platform: str) -> None:
    """Raise `UsageError` where desktops have no menu of this kind."""
    if platform.startswith("linux"):
        return
    name = {"darwin": "macOS", "win32": "Windows"}.get(platform, platform)
    raise UsageError(
        f"A menu entry is not available on {name}.",
        hint="Start the window with `stepwire`, or with a path: `stepwire PROJECT`.",
    )


def install(environ: Mapping[str, str], program: str) -> Outcome:
    """Write what differs from what is there, and tell the desktop; raises `UsageError`."""
    changed = [place for place in _places(data_folder(environ), program) if not _is_there(place)]
    for place in changed:
        try:
            place.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place.path, place.data)
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"`{place.path}` can't be written: {reason}."
            raise UsageError(message, hint="Set XDG_DATA_HOME to another folder.") from error
    return Outcome([one.path for one in changed], _tell_desktop(environ) if changed else [])


def uninstall(environ: Mapping[str, str]) -> Outcome:
    """Remove what was installed, and tell the desktop."""
    removed = [one.path for one in _places(data_folder(environ), "") if one.path.exists()]
    for path in removed:
        path.unlink()
    return Outcome(removed, _tell_desktop(environ) if removed else [])


def data_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder of this user's data; as the rules want it, a relative one does not count."""
    chosen = Path(environ.get("XDG_DATA_HOME", ""))
    return chosen if chosen.is_absolute() else Path.home() / ".local" / "share"


def program_path(environ: Mapping[str, str]) -> str:
    """Find the command that the menu is to start: this installation's, or what a terminal would start."""
    ours = Path(sysconfig.get_path("scripts")) / "stepwire"
    found = str(ours) if ours.is_file() else shutil.which("stepwire", path=environ.get("PATH", ""))
    if found is None:
        raise UsageError("The command `stepwire` is not installed.", hint="Install Stepwire, then try again.")
    return found


def quoted(program: str) -> str:
    """Write a path as `Exec` wants it: quoted, then escaped as in every text of such a file."""
    within = re.sub(r'(["`$\\])', r"\\\1", program).replace("%", "%%")
    return f'"{within}"'.replace("\\", "\\\\")


def _places(data: Path, program: str) -> tuple[Place, ...]:
    entry = ENTRY.format(command=quoted(program), program=program.replace("\\", "\\\\"))
    icon = (places.resources() / "icons" / f"{APPLICATION}.svg").read_bytes()
    return (
        Place(data / "applications" / f"{APPLICATION}.desktop", entry.encode()),
        Place(data / "icons" / "hicolor" / "scalable" / "apps" / f"{APPLICATION}.svg", icon),
        Place(data / "mime" / "packages" / f"{APPLICATION}.xml", TYPES.encode()),
    )


def _is_there(place: Place) -> bool:
    try:
        return place.path.read_bytes() == place.data
    except OSError:
        return False


def _tell_desktop(environ: Mapping[str, str]) -> list[str]:
    """Have the desktop read its folders again; gives the tools that are not installed."""
    data = data_folder(environ)
    missing: list[str] = []
    for tool, folder in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        found = shutil.which(tool, path=environ.get("PATH", ""))
        if found is None:
            missing.append(tool)
        else:
            # What it has to say of the files of other programs is not for here.
            subprocess.run([found, str(data / folder)], check=False, capture_output=True)  # noqa: S603
    return missing
