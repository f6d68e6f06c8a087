"""A window that is started in a project which somebody else made runs no code of it."""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.window.live_runs import LONG, finish
from tests.ui.window.windows import a_window

NAMES = {*sys.stdlib_module_names, *packages_distributions(), "studio", "nodes", "sitecustomize"}


def test_no_module_of_the_project_is_loaded_whatever_it_is_called(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_project(tmp_path / "theirs", flow=chain(default="Why?"), script=SCRIPT)
    loaded = tmp_path / "loaded"
    for name in NAMES:
        line = f"open({str(loaded)!r}, 'a').write(__name__ + ' ')"
        (root / f"{name.replace('/', '.')}.py").write_text(line, "utf-8")
    monkeypatch.chdir(root)
    with a_window(qapp, tmp_path) as window:
        window.documents.open(Path())
        flow = window.front
        assert flow is not None
        window.documents.show_script()
        qtbot.waitUntil(lambda: flow.work.script.script is not None, timeout=LONG)  # by a process of its own
        window.app.commands.run("run.run")  # in a host
        finish(qtbot, flow)
    assert not loaded.exists(), loaded.read_text("utf-8")
