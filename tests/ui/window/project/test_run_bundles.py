"""A run saved as a file and opened where nothing else of it is: shown, and left as it was."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from studio.app.runs.bundles import save_bundle
from studio.ids import NodeId
from studio.store.reader import RunStore
from studio.ui.window.main_window import MainWindow
from tests.cli.conftest import Call
from tests.cli.conftest import call as call  # noqa: PLC0414  # a fixture
from tests.ui.window.live_runs import LONG
from tests.ui.window.scripts.test_script_runs import choose_file, wait_for_run

pytestmark = pytest.mark.shared_window


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr("studio.app.runs.bundles.platformdirs.user_cache_path", lambda *_, **__: folder)
    return folder


@pytest.fixture
def ran(project: Path, call: Call) -> RunStore:
    """The store of the example, with one run."""
    assert call("run", project, "--offline").code == 0
    return RunStore(project / ".stepwire")


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, left, none))


def test_the_shown_run_is_saved_and_opens_to_be_read(
    qtbot: QtBot, window: MainWindow, project: Path, ran: RunStore, tmp_path: Path
) -> None:
    window.documents.open(project)
    assert window.front is not None
    assert not window.app.commands.find("Save the shown run")[0].is_enabled()
    window.front.controls.show_old(ran.runs()[0].run)
    wait_for_run(qtbot, window)
    window.app.commands.run("file.bundle")
    saved = tmp_path / "given.swrun"
    choose_file(window, saved)
    qtbot.waitUntil(saved.is_file, timeout=LONG)
    before = window.front.view.state
    recent = window.app.settings.recent

    drop(window, saved)
    qtbot.waitUntil(lambda: window.session is not None and window.session.project.is_bundle, timeout=LONG)
    wait_for_run(qtbot, window)
    there = window.front.view.state
    assert before is not None
    assert there is not None
    assert there is not before
    assert there.outputs == before.outputs
    board = window.front.work.canvas.board
    qtbot.waitUntil(lambda: bool(board.cards.shown.states))
    assert "bundle" in window.notices.text

    assert window.app.settings.recent == [saved.resolve(), *recent]
    window.front.work.session.selection.select([NodeId("critic")])
    asks = ["run.run", "run.step", "run.from_here", "run.held_here", "run.replay", "run.case", "run.cases"]
    assert not [name for name in asks if window.app.commands[name].is_enabled()]
    assert window.app.commands["run.compare"].is_enabled()
    assert [button.text() for button in window.notices.buttons] == ["Save as…"]
    window.documents.save()
    assert "read-only" in window.notices.text


def test_a_file_that_is_no_bundle_is_said(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    other = tmp_path / "other.swrun"
    other.write_text("no archive")
    window.documents.open(other)
    qtbot.waitUntil(lambda: "not a readable run bundle" in window.notices.text, timeout=LONG)


def test_a_bundle_is_chosen_where_flows_are_opened(
    qtbot: QtBot, window: MainWindow, ran: RunStore, tmp_path: Path
) -> None:
    path = tmp_path / "given.swrun"
    save_bundle(ran, ran.runs()[0].run, path)
    window.documents.open_flow()
    dialog = next(one for one in window.findChildren(QFileDialog) if one.isVisible())
    assert any("*.swrun" in one for one in dialog.nameFilters())
    choose_file(window, path)
    qtbot.waitUntil(lambda: window.front is not None, timeout=LONG)
    wait_for_run(qtbot, window)
