"""Types of ports can be told apart without their colours."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from studio.flow.ports import BINDING_TYPES, DATA_TYPES, PortType
from studio.ui.canvas.cards.glyphs import draw_glyph
from studio.ui.canvas.scene.geometry import PORT_RADIUS, type_name
from studio.ui.theme.tokens import theme_names
from tests.ui.builders import a_theme

SIDE = 22
TYPES = (*DATA_TYPES, *BINDING_TYPES)
APART = 6
"""Pixels, of a port's hundred or so, in which two shapes differ clearly."""


@pytest.mark.parametrize("is_full", [False, True], ids=["unwired", "wired"])
def test_each_type_has_a_shape_that_is_seen_at_its_real_size_in_one_colour(
    qtbot: QtBot, *, is_full: bool
) -> None:
    del qtbot
    shapes = {base: drawn(PortType(base), "#ffffff", is_full=is_full) for base in TYPES}
    alike = [pair for pair in combinations(TYPES, 2) if _apart(shapes[pair[0]], shapes[pair[1]]) < APART]
    assert not alike


@pytest.mark.parametrize("base", DATA_TYPES)
def test_a_list_has_a_second_outline(qtbot: QtBot, base: str) -> None:
    del qtbot
    one = drawn(PortType(base), "#ffffff", is_full=False)
    several = drawn(PortType(base, 1), "#ffffff", is_full=False)
    assert _apart(one, several) >= 2 * APART
    assert several.sum() > one.sum() * 1.2


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("lacking", ["protan", "deutan", "tritan"])
def test_whoever_confuses_two_colours_still_sees_two_types(qtbot: QtBot, theme: str, lacking: str) -> None:
    del qtbot
    colors = a_theme(theme)
    seen = {base: _seen(colors.color(f"port.{type_name(PortType(base))}"), lacking) for base in TYPES}
    confused = [pair for pair in combinations(TYPES, 2) if _distance(seen[pair[0]], seen[pair[1]]) < 40]
    assert confused, "no two colours are near each other: then shapes would not be needed"
    shapes = {base: drawn(PortType(base), "#ffffff", is_full=True) for base in TYPES}
    assert all(_apart(shapes[one], shapes[other]) >= APART for one, other in confused)


def drawn(kind: PortType, color: str, *, is_full: bool) -> npt.NDArray[np.bool_]:
    """The pixels that a glyph lightens on a dark ground, as a mask."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = QPointF(SIDE / 2, SIDE / 2)
    draw_glyph(painter, kind, middle, PORT_RADIUS, QColor(color), QColor("#000000"), is_full=is_full)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(SIDE, image.bytesPerLine())
    return pixels[:, :SIDE] > 110


def _apart(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> int:
    return int((one ^ other).sum())


_LACKING = {
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""How people see who lack one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1)."""


def _seen(color: str, lacking: str) -> npt.NDArray[np.float64]:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels])
    shifted = np.clip(np.array(_LACKING[lacking]) @ linear, 0, 1)
    return np.where(shifted <= 0.0031308, 12.92 * shifted, 1.055 * shifted ** (1 / 2.4) - 0.055) * 255


def _distance(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    return float(np.linalg.norm(one - other))
