"""A run that goes on in another process, in the real window: listed, followed, held, answered, left, gone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.flow.files.codec import dumps
from studio.ids import NodeId
from studio.trace.fold.state import RunStatus
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.written_projects import write_project
from tests.host.elsewhere import FLOW, RUN, Elsewhere, runtime_folder
from tests.ui.window.windows import a_window

LONG = 10_000


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """One window for all tests, with sockets of its own."""
    root = tmp_path_factory.mktemp("w")
    with a_window(qapp, root, {**os.environ, **runtime_folder()}) as made:
        yield made


class There:
    """The window on a project, of which another process executes a run that asks its person."""

    def __init__(self, window: MainWindow, tmp_path: Path) -> None:
        project = write_project(tmp_path / "trial")
        (project / "flow.json").write_text(dumps(FLOW), "utf-8")
        environ = {"XDG_RUNTIME_DIR": window.app.environ["XDG_RUNTIME_DIR"]}
        self.window = window
        self.run = Elsewhere(project / ".stepwire", environ)
        window.documents.open(project)
        assert window.front is not None
        self.flow: OpenFlow = window.front

    def row(self) -> str:
        """What the list of runs says of the run; empty where it is not listed."""
        return next((row.detail for row in self.window.runs.list.rows if row.key == RUN), "")

    def click_row(self) -> None:
        """Choose the run with the mouse."""
        listing = self.window.runs.list
        item = listing.item([row.key for row in listing.rows].index(RUN))
        QTest.mouseClick(
            listing.viewport(), Qt.MouseButton.LeftButton, pos=listing.visualItemRect(item).center()
        )

    @property
    def held(self) -> list[str]:
        shown = self.flow.work.shown.run
        return list(shown.state.held_steps) if shown is not None else []

    @property
    def status(self) -> RunStatus | None:
        shown = self.flow.work.shown.run
        return shown.status if shown is not None else None


@pytest.fixture
def there(shared: MainWindow, tmp_path: Path, qtbot: QtBot) -> Iterator[There]:
    del qtbot
    made = There(shared, tmp_path)
    made.run.start()
    yield made
    if not made.run.entries[-1].event.kind.startswith("run_"):
        made.run.people.answer({"answer": "late"})
    made.run.join()


def test_a_run_of_a_terminal_is_listed_chosen_held_edited_and_followed_to_its_end(
    qtbot: QtBot, there: There
) -> None:
    qtbot.waitUntil(lambda: "in another process" in there.row(), timeout=LONG)
    there.flow.work.session.selection.select([NodeId("first")])
    there.window.app.commands.run("canvas.breakpoint")
    there.window.docks["runs"].bring_up()
    there.click_row()
    qtbot.waitUntil(lambda: there.window.app.runs.elsewhere.can_hold(RUN), timeout=LONG)
    qtbot.waitUntil(lambda: "attached" in there.row(), timeout=LONG)
    there.run.people.answer({"answer": "a"})
    qtbot.waitUntil(lambda: there.held == ["first"], timeout=LONG)
    box = there.flow.work.inspector.held
    qtbot.waitUntil(lambda: box.step == "first", timeout=LONG)
    next(field for field in box.fields if field.name == "x").text.setPlainText("b")
    there.window.app.commands.run("run.continue")
    qtbot.waitUntil(lambda: there.status is RunStatus.FINISHED, timeout=LONG)
    assert there.run.join().outputs["out"].data == "b12"


def test_left_it_goes_on_and_is_no_longer_shown(qtbot: QtBot, there: There) -> None:
    qtbot.waitUntil(lambda: there.window.runs.elsewhere == RUN, timeout=LONG)
    there.flow.work.session.selection.select([NodeId("first")])
    there.window.app.commands.run("canvas.breakpoint")
    there.window.app.commands.run("run.attach")
    qtbot.waitUntil(lambda: there.window.app.runs.elsewhere.can_hold(RUN), timeout=LONG)
    there.run.people.answer({"answer": "a"})
    qtbot.waitUntil(lambda: there.held == ["first"], timeout=LONG)
    there.window.app.commands.run("run.leave_elsewhere")
    assert there.flow.work.shown.run is None
    assert there.flow.work.debugger.held == []
    assert there.run.join().status is RunStatus.FINISHED
    qtbot.waitUntil(lambda: "in another process" not in there.row(), timeout=LONG)


def test_its_question_is_answered_and_it_is_stopped_from_the_window(qtbot: QtBot, there: There) -> None:
    qtbot.waitUntil(lambda: there.window.runs.elsewhere == RUN, timeout=LONG)
    there.window.app.commands.run("run.attach")
    qtbot.waitUntil(lambda: there.window.app.runs.elsewhere.can_hold(RUN), timeout=LONG)
    there.window.app.commands.run("run.hold")
    shown = there.flow.work.shown
    qtbot.waitUntil(lambda: shown.state is not None and bool(shown.state.waiting), timeout=LONG)
    assert shown.state is not None
    questions = there.window.docks["questions"]
    qtbot.waitUntil(lambda: not questions.visibleRegion().isEmpty(), timeout=LONG)
    qtbot.waitUntil(lambda: "waiting for you" in there.row(), timeout=LONG)
    there.flow.controls.answer(next(iter(shown.state.waiting)), {"answer": "w"})
    qtbot.waitUntil(lambda: there.held == ["first"], timeout=LONG)
    there.window.app.commands.run("run.stop")
    qtbot.waitUntil(lambda: there.status is RunStatus.CANCELLED, timeout=LONG)
    there.run.join()
    assert there.run.was_stopped


def test_it_goes_on_when_the_flow_is_closed_that_it_is_shown_in(qtbot: QtBot, there: There) -> None:
    qtbot.waitUntil(lambda: there.window.runs.elsewhere == RUN, timeout=LONG)
    there.window.app.commands.run("run.attach")
    qtbot.waitUntil(lambda: there.window.app.runs.elsewhere.can_hold(RUN), timeout=LONG)
    there.window.drop(there.flow.work.session)
    assert there.window.app.runs.elsewhere.running == []
    there.run.people.answer({"answer": "a"})
    assert there.run.join().status is RunStatus.FINISHED
