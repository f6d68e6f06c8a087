"""A project from elsewhere in the window: restricted, shown with what it executes, approved, and run."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from studio.experiments.cases.case_files import Case, Expected, keep_case
from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.project.trust_dialog import TrustDialog
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import LONG

pytestmark = pytest.mark.shared_window

CODE = "def main() -> str:\n    return 'wren'\n"


def write(folder: Path, code: str = CODE) -> Path:
    flow = {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Elsewhere",
        "nodes": {
            "bird": {"kind": "control.python", "title": "Bird", "settings": {"code": code}},
            "out": {"kind": "io.flow_output"},
        },
        "wires": ["bird.result -> out.value"],
    }
    return write_project(folder, flow=flow)


@pytest.fixture
def flow(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenFlow:
    monkeypatch.setattr("studio.workspace.trust.TRUSTED_FOLDERS", "NOBODY_SETS_THIS")
    window.documents.open(write(tmp_path / "elsewhere"))
    assert window.front is not None
    return window.front


def dialog(window: MainWindow) -> TrustDialog:
    (found,) = [one for one in window.findChildren(TrustDialog) if one.isVisible()]
    return found


def test_it_is_restricted_until_a_person_has_seen_what_it_executes(
    qtbot: QtBot, window: MainWindow, flow: OpenFlow
) -> None:
    assert flow.notices.text.startswith("Restricted:")
    flow.controls.run()
    asked = dialog(window)
    assert [one.toPlainText() for one in asked.findChildren(QPlainTextEdit)] == [CODE.strip()]
    asked.cancel_button.click()
    assert flow.view.state is None
    assert not (flow.work.session.project.root / ".stepwire" / "runs").exists()

    flow.controls.run()
    dialog(window).approve_button.click()
    qtbot.waitUntil(lambda: flow.view.state is not None and flow.view.state.status.is_final, timeout=LONG)
    assert flow.view.state is not None
    assert {name: one.data for name, one in flow.view.state.outputs.items()} == {"out": "wren"}
    assert not flow.notices.text.startswith("Restricted:")


def test_it_is_reviewed_without_running_it(window: MainWindow, flow: OpenFlow) -> None:
    flow.notices.buttons[0].click()
    asked = dialog(window)
    assert asked.approve_button.text() == "Approve"
    asked.approve_button.click()
    assert flow.view.state is None
    assert not flow.notices.text


def test_code_that_changes_is_shown_with_its_difference(
    window: MainWindow, flow: OpenFlow, tmp_path: Path
) -> None:
    flow.notices.buttons[0].click()
    dialog(window).approve_button.click()
    write(tmp_path / "elsewhere", CODE.replace("wren", "crow"))
    flow.work.session.reload()
    flow.controls.run()
    asked = dialog(window)
    (shown,) = asked.findChildren(QPlainTextEdit)
    assert "+    return 'crow'" in shown.toPlainText()
    asked.cancel_button.click()


def test_its_cases_are_not_tried_before_that(
    window: MainWindow, flow: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    class Noting:
        def tell(self, kind: str, **_: object) -> None:
            told.append(kind)

        def close(self) -> None: ...

    monkeypatch.setattr(window.app, "attend", lambda _: Noting())
    case = Case("one", flow.work.session.name, "bird", {}, {"result": Expected("wren")})
    keep_case(flow.work.session.project, case)
    flow.cases.run_all()
    assert not told
    dialog(window).approve_button.click()
    assert told == ["cases"]
    assert flow.work.case_runs.is_running(case)
