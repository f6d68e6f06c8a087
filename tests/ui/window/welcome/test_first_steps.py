"""The first steps in the window: each is ticked off by the deed itself, and shown where it is done."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio import places
from studio.ids import NodeId
from studio.ui.panels.first_steps import FirstStepsCard
from studio.ui.panels.widgets.spotlight import Spotlight
from studio.ui.viewmodels.help.first_steps import FirstStep
from studio.ui.viewmodels.help.guide_pages import guide_folder, guide_pages
from studio.ui.visibility import is_seen
from studio.ui.window.help.guide import GuideWindow
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import LONG, live_of
from tests.ui.window.windows import delete_now

pytestmark = pytest.mark.shared_window

CRITIC = NodeId("critic")


@pytest.fixture
def card(window: MainWindow, flow: OpenFlow) -> Iterator[FirstStepsCard]:
    """The steps, none of them done, above the example."""
    assert flow is window.front
    window.app.commands.run("help.first_steps")
    card = window.first_steps.card
    assert card is not None
    assert card.isVisible()
    yield card
    for one in window.findChildren(Spotlight):
        one.leave()


def done(window: MainWindow) -> list[str]:
    return sorted(window.first_steps.steps.done)


def lit(window: MainWindow, qtbot: QtBot) -> Spotlight:
    """What is pointed at now."""
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(Spotlight)), timeout=LONG)
    (found,) = [one for one in window.findChildren(Spotlight) if one.isVisible()]
    return found


def points_at(spot: Spotlight, place: QWidget) -> bool:
    return place.rect().contains(place.mapFrom(place.window(), spot.middle))


def test_each_step_is_ticked_off_by_the_deed(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, card: FirstStepsCard
) -> None:
    assert done(window) == []
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: done(window) == ["result", "run"], timeout=LONG)
    assert card.buttons[FirstStep.RUN].accessibleName() == "Step 1 of 5: Run, done"
    assert card.chosen is FirstStep.PAUSE

    flow.work.session.breakpoints.set("critic", state=True)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: "pause" in done(window), timeout=LONG)
    assert card.chosen is FirstStep.EDIT

    flow.work.session.selection.select([CRITIC])
    box = flow.work.inspector.held
    qtbot.waitUntil(lambda: box.step is not None, timeout=LONG)
    step = box.step
    assert step is not None
    flow.work.session.breakpoints.set("critic", state=None)
    flow.controls.held.release(step, {"prompt": "A wren, a dunnock and two siskins. [may.txt:6]"})
    qtbot.waitUntil(lambda: "edit" in done(window), timeout=LONG)

    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    card.show_button.click()
    view = flow.work.timeline.view
    assert view.is_ruler(QPointF(view.viewport().mapFrom(window, lit(window, qtbot).middle)))
    flow.view.playhead.go(0.0)
    qtbot.waitUntil(lambda: "back" in done(window), timeout=LONG)
    assert card.chosen is None
    assert card.show_button.text() == "Open the guide"
    card.show_button.click()
    (guide,) = window.findChildren(GuideWindow)
    guide.close()


def test_an_old_run_that_is_looked_at_ticks_nothing_off(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, card: FirstStepsCard
) -> None:
    card.close_button.click()
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: live_of(flow).is_over, timeout=LONG)
    run, session = live_of(flow).run, flow.work.session
    path = session.path
    window.drop(session)
    window.documents.open(path)
    again = window.front
    assert again is not None
    window.app.commands.run("help.first_steps")
    again.controls.show_old(run)
    qtbot.waitUntil(lambda: bool(again.work.shown.state and again.work.shown.state.outputs), timeout=LONG)
    assert done(window) == []


def test_every_step_can_be_shown_and_nothing_is_done_by_that(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, card: FirstStepsCard
) -> None:
    window.docks["result"].hide()
    window.docks["timeline"].hide()
    wanted: dict[FirstStep, QWidget] = {
        FirstStep.RUN: window.top_bar.button("run.run"),
        FirstStep.RESULT: flow.work.result,
        FirstStep.PAUSE: flow.work.canvas,
        FirstStep.EDIT: flow.work.canvas,
        FirstStep.BACK: flow.work.timeline,
    }
    for step, place in wanted.items():
        card.buttons[step].click()
        card.show_button.click()
        spot = lit(window, qtbot)
        assert is_seen(place)
        assert points_at(spot, place), step
        spot.leave()
    assert flow.work.session.selection.now.only_node == CRITIC
    assert flow.work.shown.run is None
    assert not flow.work.session.breakpoints.enabled
    assert done(window) == []


def test_while_the_run_is_paused_the_fields_to_edit_are_shown(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow, card: FirstStepsCard
) -> None:
    flow.work.session.breakpoints.set("critic", state=True)
    window.app.commands.run("run.run")
    qtbot.waitUntil(lambda: flow.controls.is_held, timeout=LONG)
    card.buttons[FirstStep.EDIT].click()
    card.show_button.click()
    assert points_at(lit(window, qtbot), flow.work.inspector.held)


def test_they_stand_above_the_example_alone_and_close_for_good(
    window: MainWindow, flow: OpenFlow, card: FirstStepsCard, tmp_path: Path
) -> None:
    canvas = flow.work.canvas
    assert not card.geometry().intersects(canvas.rect().translated(canvas.mapTo(window.tabs, canvas.pos())))
    window.documents.open(write_project(tmp_path / "own", flow=chain()))
    assert not card.isVisible()
    window.tabs.step(-1)
    assert card.isVisible()
    card.close_button.setFocus()
    QTest.keyClick(card.close_button, Qt.Key.Key_Space)
    assert not card.isVisible()
    window.tabs.step(1)
    window.tabs.step(-1)
    assert not card.isVisible()


def test_the_keyboard_goes_through_the_steps(window: MainWindow, card: FirstStepsCard) -> None:
    window.activateWindow()
    first, second = card.buttons[FirstStep.RUN], card.buttons[FirstStep.RESULT]
    assert card.chosen is FirstStep.RUN
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Tab)
    QTest.keyClick(second, Qt.Key.Key_Space)
    assert card.chosen is FirstStep.RESULT
    assert first.isChecked() is False
    assert second.isChecked()
    assert "Result shows" in card.text.text()


def test_the_welcome_page_starts_them_on_the_example_and_opens_pages_of_the_guide(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "projects", lambda: project.parent)
    strip = window.welcome.guide
    assert strip.isVisible()
    titles = guide_pages(guide_folder())
    for name, button in strip.pages.items():
        button.click()
        (guide,) = window.findChildren(GuideWindow)
        assert guide.shown == (name or "first-steps.md")
        assert button.text() == titles.get(name, "All pages")
        guide.close()
        delete_now()
    strip.steps.click()
    assert window.session is not None
    assert window.session.project.root == project
    card = window.first_steps.card
    assert card is not None
    assert card.isVisible()
