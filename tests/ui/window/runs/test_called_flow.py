"""From a step to the flow that it calls."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.ui.window.main_window import MainWindow
from tests.app.flows import chain
from tests.app.written_projects import write_flow, write_project
from tests.documents import document

pytestmark = pytest.mark.shared_window


def calling(name: str, kind: str = "control.subflow") -> dict[str, object]:
    return document(
        "Main",
        {"brief": {"kind": kind, "title": "Brief", "settings": {"flow": name}}},
        layout={"nodes": {"brief": [0, 0]}},
    )


@pytest.mark.parametrize("kind", ["control.subflow", "tools.flow_as_tool"])
def test_opening_a_node_that_calls_or_lends_a_flow_opens_that_flow(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, kind: str
) -> None:
    root = write_project(tmp_path / "trial", flow=calling("part.json", kind))
    write_flow(root / "part.json", chain())
    window.documents.open(root)
    assert window.front is not None
    window.front.work.canvas.request_open.emit("brief")
    qtbot.waitUntil(lambda: window.front is not None and window.front.work.session.path.name == "part.json")


@pytest.mark.parametrize("name", ["gone.json", "../other.json"])
def test_a_flow_that_is_not_of_the_project_is_not_opened(
    window: MainWindow, tmp_path: Path, name: str
) -> None:
    write_flow(tmp_path / "other.json", chain())
    window.documents.open(write_project(tmp_path / "trial", flow=calling(name)))
    front = window.front
    assert front is not None
    front.work.canvas.request_open.emit("brief")
    assert window.front is front
