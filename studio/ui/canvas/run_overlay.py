"""What a run says of nodes as it goes on: painted over the still picture, a part of a frame at a time."""

from collections.abc import Callable, Mapping
from math import inf
from time import perf_counter

from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.card import MARGIN
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.drawing.layer import StillLayer
from studio.ui.canvas.drawing.painter import paint_cards, paint_still
from studio.ui.canvas.hand.viewport import Looking
from studio.ui.canvas.sight import CARDS_FROM, View, widget_rect

FRAME = 33
"""Milliseconds between paintings of what one node says."""
AREAS = 0.12
"""Seconds between paintings of what areas say, for which all is drawn anew."""
SOON = 12
"""Milliseconds until the nodes follow for which there was no time."""
SHARE = 0.008
"""Seconds of a frame that may go by with this; the hand needs the rest."""
EDGE = 3
"""Scene units inside a card from which on it is opaque, rounded corners included."""


class Streaming(QObject):
    """The states that were told and are not shown yet; who has waited longest is shown first."""

    def __init__(
        self,
        canvas: QWidget,
        board: Board,
        looking: Looking,
        layer: StillLayer,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        super().__init__(canvas)
        self._canvas, self._board, self._looking, self._layer = canvas, board, looking, layer
        self._clock = clock
        self._waiting: dict[NodeId, NodeState] = {}
        self._areas_shown = -inf
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.show_waiting)

    @property
    def waiting(self) -> Mapping[NodeId, NodeState]:
        """What is not shown yet."""
        return self._waiting

    def tell(self, states: Mapping[NodeId, NodeState]) -> None:
        """Show what changed for these nodes, soon."""
        self._waiting.update(states)
        if not self._timer.isActive() or self._timer.remainingTime() > FRAME:
            self._timer.start(FRAME)

    def clear(self) -> None:
        """Forget what is not shown yet."""
        self._waiting.clear()

    def show_waiting(self) -> None:
        """Show as many as there is time for, and the others soon."""
        board = self._board
        board.cards.shown.states = states = dict(board.cards.shown.states)
        is_far = board.camera.scale < CARDS_FROM
        areas = {node: state for node, state in self._waiting.items() if self._is_area(node)}
        began = self._clock()
        if is_far or (areas and began - self._areas_shown >= AREAS):
            told, self._waiting = self._waiting, {}
            states.update(told)
            board.cards.forget(told)
            board.told_anew.tell(told.keys())
            board.redrawn.tell()
            self._areas_shown = began
            return
        for node in areas:
            del self._waiting[node]
        view = self._looking.view()
        shown: dict[NodeId, NodeState] = {}
        while self._waiting and self._clock() - began < SHARE:
            node = next(iter(self._waiting))
            before, state = states.get(node), self._waiting.pop(node)
            shown[node] = states[node] = state
            board.cards.forget([node])
            self._patch(node, view, is_same=before is not None and before.status == state.status)
        board.told_anew.tell(shown.keys())
        if self._waiting:
            self._timer.start(SOON)
        elif areas:
            self._timer.start(round((AREAS - began + self._areas_shown) * 1000))
        self._waiting |= areas

    def _is_area(self, node: NodeId) -> bool:
        return self._board.scene.area_of(node) is not None

    def _patch(self, node: NodeId, view: View, *, is_same: bool) -> None:
        """Draw a node's card again, if it is seen.

        Where its state is the same, only what is inside its edge, which would be blended twice.
        """
        scene, cards = self._board.scene, self._board.cards
        if node not in scene.row or not scene.rect(node).meets(view.seen()):
            return
        if is_same:
            rows = self._over(node)
            place = widget_rect(scene.rect(node).grown(-EDGE), view)
            is_done = self._layer.patch(place, lambda painter, at: paint_cards(painter, cards, at, rows))
        else:
            place = widget_rect(scene.rect(node).grown(MARGIN), view)
            is_done = self._layer.patch(place, lambda painter, at: self._paint(painter, at, place))
        if is_done:
            self._canvas.update(place.toAlignedRect())

    def _paint(self, painter: QPainter, view: View, place: QRectF) -> None:
        paint_still(painter, self._board.cards, view, place, self._board.parts()[0])

    def _over(self, node: NodeId) -> list[int]:
        """A card's row and those that lie over it."""
        scene = self._board.scene
        rows: list[int] = scene.rows_in(scene.rect(node)).tolist()
        return [one for one in rows if one >= scene.row[node]]
