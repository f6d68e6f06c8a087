import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from studio.app.compose import compose
from studio.flow.edits import set_title
from studio.ids import NodeId
from studio.ui.start import flows_at_start, open_flows
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from tests.ui.window.windows import LONG

CRITIC = NodeId("critic")


def _rename(flow: OpenFlow, title: str) -> None:
    history = flow.work.session.history
    history.do(set_title(history.flow, CRITIC, title))


def _again(window: MainWindow, project: Path) -> OpenFlow:
    window.documents.open(project)
    assert window.front is not None
    return window.front


@pytest.mark.shared_window
def test_edits_of_a_window_that_ended_unasked_come_back_and_can_be_discarded(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    before = flow.work.session.flow
    _rename(flow, "Judge")
    window.drop(flow.work.session)
    again = _again(window, project)
    assert again.work.session.flow.nodes[CRITIC].title == "Judge"
    assert again.work.session.is_modified
    assert "unsaved" in window.notices.text
    discard, _ = window.notices.buttons
    discard.click()
    assert again.work.session.flow == before
    assert not again.work.session.is_modified
    window.app.commands.run("edit.undo")
    assert again.work.session.flow.nodes[CRITIC].title == "Judge"


@pytest.mark.shared_window
def test_what_was_not_saved_on_closing_is_there_when_the_flow_is_opened_again_and_nobody_is_asked(
    window: MainWindow, flow: OpenFlow
) -> None:
    _rename(flow, "Judge")
    before = flow.work.session.path.read_text("utf-8")
    window.documents.close_current()
    assert window.front is None
    assert not window.findChildren(QMessageBox)
    assert "edits are kept" in window.notices.text
    window.notices.buttons[0].click()
    again = window.front
    assert again is not None
    assert again.work.session.path.read_text("utf-8") == before
    assert again.work.session.flow.nodes[CRITIC].title == "Judge"
    assert again.work.session.is_modified
    window.app.commands.run("edit.undo")
    assert again.work.session.flow.nodes[CRITIC].title != "Judge"


@pytest.mark.shared_window
def test_edits_that_meet_a_file_which_others_changed_say_so(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    session = flow.work.session
    _rename(flow, "Judge")
    window.drop(session)
    session.path.write_text(session.path.read_text("utf-8").replace("Critic", "Their critic"), "utf-8")
    again = _again(window, project)
    assert "changed by someone else" in window.notices.text
    theirs, _ = window.notices.buttons
    theirs.click()
    assert again.work.session.flow.nodes[CRITIC].title != "Judge"
    assert not again.work.session.is_modified


@pytest.mark.shared_window
def test_saving_takes_the_offer_to_discard_away_for_it_would_discard_later_edits(
    window: MainWindow, flow: OpenFlow, project: Path
) -> None:
    _rename(flow, "Judge")
    window.drop(flow.work.session)
    _again(window, project)
    assert window.notices.buttons
    window.documents.save()
    assert window.notices.text == ""


def test_flows_of_a_killed_window_are_open_again_and_each_says_that_its_edits_are_back(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, window: MainWindow, flow: OpenFlow
) -> None:
    main = flow.work.session
    window.flow_files.duplicate(main.path)
    for one in window.tabs.flows:
        _rename(one, "Judge")
    window.app.journals.flush()
    # Nothing told the first window to end.
    app = compose(dict(os.environ), tmp_path / "config", is_warmed=False)
    again = MainWindow(app, Appearance(qapp, app.settings, tmp_path))
    qtbot.addWidget(again)
    for one in tuple(window.tabs.flows):
        one.work.session.close()  # a process that ends lets go of what it holds
    open_flows(again, flows_at_start(main.project.root, app.settings.open_flows))
    qtbot.waitUntil(lambda: len(again.tabs.flows) == 2)
    for one in again.tabs.flows:
        again.tabs.show_flow(one)
        assert again.notices.text.startswith(f"The unsaved edits of “{one.work.session.flow.name}”")
    _, keep = again.notices.buttons
    keep.click()
    again.tabs.step(1)
    assert "are restored" in again.notices.text
    again.tabs.step(1)
    assert again.notices.text == ""
    again.leave()
    app.close()


@pytest.mark.shared_window
def test_enter_does_not_save_over_what_others_wrote(window: MainWindow, flow: OpenFlow) -> None:
    session = flow.work.session
    _rename(flow, "Judge")
    theirs = session.path.read_text("utf-8").replace("Critic", "Their critic")
    session.path.write_text(theirs, "utf-8")
    window.documents.save()
    (box,) = window.findChildren(QMessageBox)
    box.defaultButton().click()
    assert session.path.read_text("utf-8") == theirs
    assert session.is_modified


def test_where_the_window_and_its_docks_stood_is_known_after_it_was_killed(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, window: MainWindow, flow: OpenFlow
) -> None:
    window.resize(780, 660)  # no larger than the screen, or it is made smaller
    window.docks.press("outline")
    settings = window.app.settings
    qtbot.waitUntil(lambda: settings.window_state.split(":")[1:2] not in ([], [""]), timeout=LONG)
    # Nothing told the first window to end.
    app = compose(dict(os.environ), tmp_path / "config", is_warmed=False)
    again = MainWindow(app, Appearance(qapp, app.settings, tmp_path))
    qtbot.addWidget(again)
    flow.work.session.close()
    assert again.height() == 660, "as wide as the docks, which the small screen of tests has no room for"
    again.show()
    open_flows(again, flows_at_start(None, app.settings.open_flows))
    qtbot.waitUntil(lambda: again.front is not None)
    assert not again.docks["outline"].isHidden()
    again.leave()
    app.close()
