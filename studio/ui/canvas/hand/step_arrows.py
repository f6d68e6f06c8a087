"""Presses on the arrows by which a card or an area shows another of its steps."""

from PySide6.QtCore import QPointF

from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.card import area_selector, card_selector
from studio.ui.canvas.hits import Target
from studio.ui.canvas.sight import CARDS_FROM


def take_press(board: Board, at: QPointF) -> bool:
    """Ask for the step before or after where an arrow was pressed; gives whether one was."""
    if board.camera.scale < CARDS_FROM:
        return False
    hit = board.hit(at.x(), at.y())
    if hit.node is None or hit.target not in {Target.NODE, Target.AREA_TITLE, Target.AREA}:
        return False
    area, card = board.scene.area_of(hit.node), board.cards.card(hit.node)
    style, rect = board.style, board.scene.rect(hit.node)
    selector = card_selector(card, style) if area is None else area_selector(card, area.rect.width, style)
    if area is not None:
        rect = area.rect
    x, y = board.camera.to_scene(at.x(), at.y())
    way = selector.way_at(x - rect.x, y - rect.y) if selector is not None else 0
    if way:
        board.step_asked.tell(hit.node, way)
    return way != 0
