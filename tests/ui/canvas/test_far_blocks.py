"""Nodes seen from far: title on up to three lines, glyph, and a state that is told by its shape too."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from studio.flow.records import Flow
from studio.ids import NodeId
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.cards.state_shapes import draw_state
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.sight import CARDS_FROM
from studio.ui.canvas.style import Role, Style
from studio.ui.theme.fonts import load_fonts
from tests.ui.builders import a_theme
from tests.ui.canvas.builders import chain
from tests.ui.canvas.conftest import Hand

Open = Callable[[Flow], Hand]


def test_nodes_are_blocks_only_below_a_zoom_of_about_a_half() -> None:
    assert 0.4 <= CARDS_FROM <= 0.5


def test_a_title_is_broken_into_lines_before_it_is_cut(hand: Open) -> None:
    style = Style(a_theme("dark"))
    whole = "Answer a question from notes"
    three = style.indented(whole, Role.SMALL, 52, 70, 3)
    assert " ".join(three) == whole
    assert len(three) == 3
    two = style.indented(whole, Role.SMALL, 52, 70, 2)
    assert two[-1].endswith("…")
    assert all(style.metrics[Role.SMALL].horizontalAdvance(row) <= 70 for row in two)
    assert hand(chain()).view.board.cards.block_title("Two words", (24, 60), 3) == ("Two", "words")


def test_every_state_has_a_shape_of_its_own() -> None:
    load_fonts()
    style = Style(a_theme("high_contrast"))
    shapes = {status: outline(status, style) for status in STATE_COLORS}
    assert len(set(shapes.values())) == len(STATE_COLORS)


@pytest.mark.parametrize("scale", [0.2, 0.3, 0.44])
def test_a_block_tells_the_state_of_its_node(hand: Open, scale: float) -> None:
    h = hand(chain())
    h.view.board.camera = Camera(scale, 60, 80)
    before = h.view.grab().toImage()
    h.view.show_run({NodeId("upper"): NodeState("failed")})
    assert h.view.grab().toImage() != before


def outline(status: str, style: Style) -> bytes:
    """The shape in black and white: where it is bright, whatever its colour."""
    image = QImage(44, 44, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    draw_state(painter, status, QRectF(0, 0, 44, 44), style)
    painter.end()
    return bytes(image.convertToFormat(QImage.Format.Format_Mono).constBits())
