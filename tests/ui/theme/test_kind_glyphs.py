"""Every kind of node has a glyph of its own."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from studio.ui.theme.kind_glyphs import draw_kind, known_glyphs
from studio.workspace.catalog import builtin_files

SIDE = 48
KINDS = sorted(builtin_files())


def drawn(kind: str, margin: int = 0) -> QImage:
    image = QImage(SIDE + 2 * margin, SIDE + 2 * margin, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    draw_kind(painter, kind, QRectF(margin, margin, SIDE, SIDE), QColor("white"))
    painter.end()
    return image


def test_every_kind_of_the_library_has_one_and_no_two_are_alike() -> None:
    assert known_glyphs() == set(KINDS)
    pictures = {bytes(drawn(kind).constBits()) for kind in KINDS}
    assert len(pictures) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_glyph_stays_within_its_square(kind: str) -> None:
    whole, inner = drawn(kind, margin=8), drawn(kind)
    beyond = QImage(whole)
    painter = QPainter(beyond)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.fillRect(QRectF(8, 8, SIDE, SIDE), Qt.GlobalColor.transparent)
    painter.end()
    assert not any(beyond.constBits()), "something lies beyond the square"
    assert any(inner.constBits())


def test_a_kind_from_elsewhere_has_its_categorys_glyph() -> None:
    assert drawn("tools.of_somebody") == drawn("tools.of_somebody_else")
    assert drawn("tools.of_somebody") != drawn("vendor.thing")
