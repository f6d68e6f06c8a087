"""A window on a copy of the example; the tests of a module can share one."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio import places
from studio.ui.window import main_window
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import finish
from tests.ui.window.windows import a_window, clear

QUICKER = "tokens_per_second: 900\n  delay: 0.01\n"
"""How the model of the example speaks here: at its own pace, a run is painted for seconds."""


@pytest.fixture(autouse=True, scope="session")
def nothing_is_set_apart() -> Iterator[None]:
    """Leave apart what was collected (`tests/conftest.py`).

    With the tests that a worker holds, a window of the smallest flow would be looked at for garbage each time
    that one is opened or closed, which takes longer than to open it. `test_memory.py` has what that is for.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main_window, "set_apart", lambda: None)
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "field_notes"
    shutil.copytree(
        places.projects() / "field_notes", folder, ignore=shutil.ignore_patterns(".stepwire", "out")
    )
    answers = folder / "scripts" / "answers.yaml"
    quicker = answers.read_text("utf-8").replace("tokens_per_second: 90\n  delay: 0.15\n", QUICKER)
    assert QUICKER in quicker
    answers.write_text(quicker, "utf-8")
    return folder


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """The window of a module, in which flows stay open from test to test."""
    with a_window(qapp, tmp_path_factory.mktemp("window")) as made:
        yield made


@pytest.fixture
def window(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window without flows: of its own, for whoever closes it or looks at its start, or the module's."""
    if request.node.get_closest_marker("shared_window"):
        shared: MainWindow = request.getfixturevalue("shared")
        yield shared
        clear(qtbot, shared)
    else:
        qapp, root = request.getfixturevalue("qapp"), request.getfixturevalue("tmp_path")
        with a_window(qapp, root) as made:
            yield made


@pytest.fixture
def flow(window: MainWindow, project: Path) -> OpenFlow:
    window.documents.open(project)
    assert window.front is not None
    return window.front


@pytest.fixture
def small(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> OpenFlow:
    """A flow of three nodes that has run once."""
    window.documents.open(write_project(tmp_path / "small", flow=chain(default="Why?"), script=SCRIPT))
    assert window.front is not None
    window.app.commands.run("run.run")
    finish(qtbot, window.front)
    return window.front
