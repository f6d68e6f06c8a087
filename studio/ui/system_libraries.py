"""Says which of the system's libraries Qt misses, before Qt ends the process for that; imports no Qt."""

import ctypes
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from studio.errors import UsageError

PACKAGES = (
    *("libegl1", "libgl1", "libglib2.0-0", "libxkbcommon0", "libdbus-1-3", "libfontconfig1"),
    *("libxcb-cursor0", "libxkbcommon-x11-0", "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1"),
    *("libxcb-render-util0", "libxcb-shape0", "libxcb-xinerama0", "libxcb-randr0"),
    *("libwayland-client0", "libwayland-cursor0"),
)
"""What Qt's offscreen, X11 and Wayland platforms link to and a bare Debian or Ubuntu does not have."""
MISSING = re.compile(r"^(\S+\.so\S*): cannot open shared object file")


def refuse_missing_libraries(qt: Path, environ: Mapping[str, str]) -> None:
    """Raise `UsageError` where none of the platforms that Qt would try here can be loaded from its folder."""
    found = [_missing_for(qt, platform) for platform in platforms(environ)]
    missing = [one for one in found if one]
    if not missing or len(missing) < len(found):
        return
    raise UsageError(
        f"The window needs the system library `{missing[0]}`, which is not installed.",
        hint=f"Run: sudo apt-get install -y {' '.join(PACKAGES)}"
        if shutil.which("apt-get")
        else f"Install the package of your system that has `{missing[0]}`.",
    )


def platforms(environ: Mapping[str, str]) -> list[str]:
    """The platforms that Qt would try, by name: those that are asked for, else those of the displays."""
    asked = environ.get("QT_QPA_PLATFORM")
    if asked:
        return [one.partition(":")[0] for one in asked.split(";")]
    displays = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
    return [platform for platform, name in displays.items() if environ.get(name)]


def _missing_for(qt: Path, platform: str) -> str:
    """The library without which a platform cannot be loaded; empty where it can, or nobody knows."""
    plugin = qt / "plugins" / "platforms" / f"libq{platform}.so"
    if not plugin.exists():
        return ""
    try:
        ctypes.CDLL(str(plugin))  # Qt loads the same a moment later: it costs nothing
    except OSError as error:
        told = MISSING.match(str(error))
        return told.group(1) if told else ""
    return ""
