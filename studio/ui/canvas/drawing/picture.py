"""A flow as a picture, without a window: PNG and the like through `QImage`, or SVG."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from studio.app.write_guard import DRAWN
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards.card import draw_card, draw_shadow
from studio.ui.canvas.cards.cards import Cards, Shown
from studio.ui.canvas.document import CanvasDocument, NodeState
from studio.ui.canvas.drawing.areas import paint_areas
from studio.ui.canvas.drawing.order_marks import paint_marks
from studio.ui.canvas.drawing.painter import paint_content, paint_ground, paint_still
from studio.ui.canvas.scene.scene import Ints
from studio.ui.canvas.sight import View
from studio.ui.canvas.style import Style
from studio.ui.theme.tokens import Theme
from studio.workspace.whole_file import write_whole

MARGIN = 40
NOTHING = Rect(0, 0, 240, 120)
DOTS = 96
"""Points of the canvas to an inch of an SVG: what browsers take a pixel for."""


def picture_of(
    document: CanvasDocument,
    theme: Theme,
    states: Mapping[NodeId, NodeState] | None = None,
    *,
    scale: float = 1.0,
    ratio: float = 2.0,
    largest: int = 8000,
) -> QImage:
    """Draw a whole flow, with a run's states if given; smaller where a side would pass `largest` pixels."""
    board = _board(document, theme, states)
    around = _extent(board)
    scale = min(scale, largest / ratio / max(around.width, around.height))
    view = _view(around, scale, ratio)
    image = QImage(
        round(view.width * ratio), round(view.height * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    paint_still(painter, board.cards, view, QRectF(0, 0, view.width, view.height))
    paint_marks(painter, board.order_marks, board.style, view)
    painter.end()
    return image


def thumbnail_of(
    document: CanvasDocument,
    theme: Theme,
    size: QSize,
    states: Mapping[NodeId, NodeState] | None = None,
    *,
    largest: int = 8000,
) -> QImage:
    """Draw a whole flow in the middle of a picture of exactly `size` pixels.

    It is drawn with sides of up to `largest` pixels first: the fewer, the fewer details it has.
    """
    whole = picture_of(document, theme, states, largest=largest)
    whole.setDevicePixelRatio(1.0)
    fitting = whole.scaled(
        size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(theme.color("surface.canvas")))
    painter = QPainter(image)
    painter.drawImage((size.width() - fitting.width()) // 2, (size.height() - fitting.height()) // 2, fitting)
    painter.end()
    return image


def write_picture(
    document: CanvasDocument,
    theme: Theme,
    file: Path,
    states: Mapping[NodeId, NodeState] | None = None,
    *,
    ratio: float = 2.0,
    size: QSize | None = None,
) -> None:
    """Write a flow's picture to `file`, SVG by that ending; raises `OSError` when it cannot.

    `ratio` is how many pixels a PNG has to a point of the canvas; given a `size`, it has exactly that.
    """
    if file.suffix.casefold() == ".svg":
        data = _svg(document, theme, states)
    else:
        image = (
            picture_of(document, theme, states, ratio=ratio)
            if size is None
            else thumbnail_of(document, theme, size, states)
        )
        data = _encoded(image, file)
    write_whole(file, data)


def _encoded(image: QImage, file: Path) -> bytes:
    """The picture in the format that the file's ending names."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.setText("Software", DRAWN)
    if not QImageWriter(buffer, file.suffix[1:].encode()).write(image):
        raise OSError(f"`{file}` cannot be written: `{file.suffix}` is not a picture format.")
    return bytes(buffer.data().data())


def _svg(document: CanvasDocument, theme: Theme, states: Mapping[NodeId, NodeState] | None) -> bytes:
    board = _board(document, theme, states)
    view = _view(_extent(board), 1.0, 1.0)
    clip = QRectF(0, 0, view.width, view.height)
    buffer = QBuffer()
    sheet = QSvgGenerator()
    sheet.setOutputDevice(buffer)
    sheet.setResolution(DOTS)
    sheet.setSize(QSize(round(view.width), round(view.height)))
    sheet.setViewBox(clip)
    sheet.setTitle(document.history.flow.name)
    sheet.setDescription(DRAWN)
    painter = QPainter(sheet)
    paint_ground(painter, board.style, view, clip, dots=False)
    paint_areas(painter, board.cards, view, clip)
    paint_content(painter, board.cards, view, clip, draw=_draw_cards)
    paint_marks(painter, board.order_marks, board.style, view)
    painter.end()
    return bytes(buffer.data().data())


def _draw_cards(painter: QPainter, cards: Cards, view: View, rows: Ints) -> None:
    """Draw the cards as shapes and text instead of pixels."""
    scene = cards.scene
    chosen: list[int] = rows.tolist()
    for node in (scene.ids[row] for row in chosen):
        card = cards.card(node)
        rect = scene.rect(node)
        painter.save()
        painter.translate(QPointF(*view.camera.to_widget(rect.x, rect.y)))
        draw_shadow(painter, QRectF(0, 0, rect.width, rect.height), cards.style)
        draw_card(painter, card, cards.style, 1.0)
        painter.restore()


def _board(document: CanvasDocument, theme: Theme, states: Mapping[NodeId, NodeState] | None) -> Board:
    board = Board(document, Style(theme))
    board.cards.shown = Shown(dict(states or {}))
    return board


def _extent(board: Board) -> Rect:
    return (board.scene.extent() or NOTHING).grown(MARGIN)


def _view(around: Rect, scale: float, ratio: float) -> View:
    camera = Camera(scale, -around.x * scale, -around.y * scale)
    return View(camera.snapped(ratio), round(around.width * scale), round(around.height * scale), ratio)
