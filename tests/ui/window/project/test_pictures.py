"""The canvas in front saved as a picture."""

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from studio.ui.window.main_window import MainWindow
from studio.ui.window.open_flow import OpenFlow
from studio.ui.window.project.canvas_pictures import PICTURE_MATTER, Pictures
from tests.ui.builders import a_theme

pytestmark = pytest.mark.shared_window


def test_the_menu_asks_for_a_file_and_offers_both_kinds_in_both_themes(
    window: MainWindow, flow: OpenFlow
) -> None:
    assert flow.work.session.flow.nodes
    window.app.commands.run("file.picture")
    dialog = window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    assert len(dialog.nameFilters()) == 4
    theme = window.look.theme.name
    assert theme in dialog.selectedNameFilter()
    dialog.reject()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_saved_is_the_flow_in_the_chosen_theme(
    window: MainWindow, flow: OpenFlow, tmp_path: Path, theme: str
) -> None:
    assert flow.work.session.flow.nodes
    Pictures(window, window).save(tmp_path / "canvas", ".png", theme)
    image = QImage(str(tmp_path / "canvas.png"))
    assert image.pixelColor(1, 1).name() == a_theme(theme).color("surface.canvas")
    assert window.notices.text.startswith("Saved to")


def test_a_picture_that_cannot_be_saved_is_told(window: MainWindow, flow: OpenFlow, tmp_path: Path) -> None:
    assert flow.work.session.flow.nodes
    Pictures(window, window).save(tmp_path / "no" / "folder" / "canvas.svg", ".svg", "dark")
    assert window.notices.key == PICTURE_MATTER
    assert "canvas.svg" in window.notices.text
