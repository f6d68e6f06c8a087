"""What the window imports before it stands: the rest is imported by whoever first needs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

IMPORT = """
import linecache, sys
import studio.ui.start
import PySide6.QtWidgets
from studio.ui.plain_imports import import_plainly
import_plainly()
before = len(linecache.cache)
import studio.ui.window.main_window
print(len(linecache.cache) - before)
"""

START = """
import json, sys
from pathlib import Path
import studio.ui.start as start
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

qt = QApplication([])
told = {}

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow):
            qt.removeEventFilter(self)
            told["painted"] = list(sys.modules)
            self.window = watched
            self.timer = QTimer(self, interval=5)
            self.timer.timeout.connect(self.look)
            self.timer.start()
        return False

    def look(self):
        from studio.ui.ahead import Ahead
        ahead = self.window.findChild(Ahead)
        if ahead is None or not ahead.is_done:
            return
        self.timer.stop()
        told["ahead"] = list(sys.modules)
        self.window.documents.open(Path(sys.argv[1]))
        told["opened"] = list(sys.modules)
        print(json.dumps(told))
        qt.closeAllWindows()

watch = Watch()
qt.installEventFilter(watch)
start.main(config=Path(sys.argv[2]))
"""

NOT_YET = {
    *("black", "pathspec", "networkx", "openai", "mcp", "keyring", "wordllama"),
    *("numpy", "jinja2", "jmespath", "jsonschema", "yaml"),
}
LATER = ("studio.export", "studio.ui.editors", "studio.experiments")
MOST = 900
"""Modules, those of Python and Qt included."""


def told_by(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What a window has imported when it is painted, when it has read ahead, and with its first flow."""
    flow = ROOT / "projects" / "field_notes"
    told = json.loads(told_by(START, str(flow), str(tmp_path_factory.mktemp("config"))))
    return {when: set(names) for when, names in told.items()}


def test_the_window_is_painted_before_flows_runs_scripts_or_nodes_are_imported(
    modules: dict[str, set[str]],
) -> None:
    painted = modules["painted"]
    assert not painted & NOT_YET
    assert not {one for one in painted if one.startswith("nodes.") and one.count(".") > 1}
    assert not {one for one in painted if one.startswith(LATER)}
    assert not painted & {"studio.ui.canvas.view", "studio.ui.window.workspace", "studio.runtime.run"}
    assert len(painted) <= MOST


def test_the_first_flow_finds_loaded_what_it_needs_once_the_window_has_been_left_alone(
    modules: dict[str, set[str]],
) -> None:
    late = modules["opened"] - modules["ahead"]
    assert not {one for one in late if one.startswith(("studio.ui", "studio.app", "studio.runtime", "nodes"))}
    assert not {
        one for one in modules["opened"] if one.startswith("studio.ui.panels.chat")
    }  # until it is seen
    assert not modules["opened"] & {"black", "openai", "mcp", "keyring", "wordllama"}


def test_qt_reads_no_sources_of_what_is_imported() -> None:
    assert int(told_by(IMPORT)) == 0
