"""Started where one of the system's libraries is missing, the studio says which, and what installs it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from studio.ui.system_libraries import PACKAGES, platforms

ROOT = Path(__file__).parents[2]
REFUSE = """
import shutil, sys
from pathlib import Path
from studio.errors import UsageError
from studio.ui.system_libraries import refuse_missing_libraries

shutil.which = lambda name: sys.argv[2] or None
try:
    refuse_missing_libraries(Path(sys.argv[1]), {"DISPLAY": ":0"})
except UsageError as error:
    print(error)
"""


@pytest.fixture
def qt_without_cursors(tmp_path: Path) -> Path:
    """Qt's folder with a plugin for X11 that links to a library which no system has."""
    found = importlib.util.find_spec("PySide6")
    assert found is not None
    assert found.origin is not None
    qt = Path(found.origin).parent / "Qt"
    plugin = qt / "plugins" / "platforms" / "libqxcb.so"
    if not plugin.exists():
        pytest.skip("Qt draws on something else here")
    (tmp_path / "plugins" / "platforms").mkdir(parents=True)
    (tmp_path / "lib").symlink_to(qt / "lib")
    code = plugin.read_bytes()
    assert b"libxcb-cursor.so.0" in code
    copy = tmp_path / "plugins" / "platforms" / plugin.name
    copy.write_bytes(code.replace(b"libxcb-cursor.so.0", b"libxcb-nobody.so.0"))
    return tmp_path


def refusal(qt: Path, apt: str) -> str:
    command = [sys.executable, "-c", REFUSE, str(qt), apt]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603


@pytest.mark.process
def test_a_missing_library_is_named_with_the_line_that_installs_it(qt_without_cursors: Path) -> None:
    said = refusal(qt_without_cursors, apt="/usr/bin/apt-get")
    assert "`libxcb-nobody.so.0`" in said
    assert "sudo apt-get install -y" in said
    assert "libxcb-cursor0" in said


@pytest.mark.process
def test_a_system_with_other_packages_is_told_the_library(qt_without_cursors: Path) -> None:
    said = refusal(qt_without_cursors, apt="")
    assert "apt-get" not in said
    assert said.count("`libxcb-nobody.so.0`") == 2


@pytest.mark.parametrize(
    ("environ", "tried"),
    [
        ({"DISPLAY": ":0"}, ["xcb"]),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, ["wayland", "xcb"]),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, ["offscreen"]),
        ({"QT_QPA_PLATFORM": "wayland;xcb:an-option"}, ["wayland", "xcb"]),
    ],
)
def test_what_qt_would_try_is_looked_at(environ: dict[str, str], tried: list[str]) -> None:
    assert platforms(environ) == tried


def test_set_up_installs_the_same_libraries() -> None:
    text = (ROOT / ".ci" / "setup").read_text("utf-8")
    listed = text.partition('qt_libraries="')[2].partition('"')[0]
    assert tuple(listed.split()) == PACKAGES
