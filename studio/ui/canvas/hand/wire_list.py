"""Connecting by name: what a port can be wired to, listed, narrowed by typing, wired with Enter."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from PySide6.QtCore import QObject, QPointF
from PySide6.QtWidgets import QWidget

from studio.flow import edits
from studio.flow.records import Socket, title_of
from studio.flow.structure.wiring import acceptable
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.words import port_title
from studio.ui.canvas.hand.new_nodes import Adding
from studio.ui.canvas.hand.port_palette import Candidate, PortPalette
from studio.ui.canvas.scene.arrow_targets import first_port
from studio.ui.canvas.scene.keyboard import Stand, spot_of, stand_point


def candidates(board: Board, stand: Stand) -> Iterator[Candidate]:
    """The ports that a wire from here may end at: nearest first, order ports only for their like."""
    socket, spot, scene = stand.socket, spot_of(board.scene, stand), board.scene
    if socket is None or spot is None:
        return
    x, y = stand_point(scene, stand)
    found = acceptable(board.flow, socket, board.document.library, is_output=stand.is_output)
    away: list[float] = (abs(scene.rects[:, 0] - x) + abs(scene.rects[:, 1] - y)).tolist()
    for _, node in sorted(zip(away, scene.ids, strict=True)):
        for one in sorted(found.of(node)):
            if spot.is_order or not _is_order(one):
                yield Candidate(f"{title_of(board.flow, node)}: {port_title(one.port)}", one)


class Linking(QObject):
    """Wires a port of one canvas to another that is chosen from a list."""

    def __init__(self, canvas: QWidget, board: Board, adding: Adding) -> None:
        super().__init__(canvas)
        self._board, self._adding = board, adding
        self.palette = PortPalette(board.style, canvas)
        board.keyboard.link_asked.subscribe(self.open)

    def open(self, stand: Stand, back: QWidget | None = None) -> None:
        """Offer what fits the port at `stand`; at a node, its first output's, else its first input's.

        The keyboard goes to `back` afterwards, else to the canvas.
        """
        board = self._board
        found = stand if stand.port is not None else first_port(board.scene, stand.node)
        if found is None:
            board.refused.tell(self.tr("“{0}” has no ports.").format(title_of(board.flow, stand.node)))
            return
        port = replace(found, wire=None)
        board.keyboard.go_and_select(port)
        x, y = stand_point(board.scene, port)
        offered = chain(candidates(board, port), [Candidate(self.tr("A new node…"))])
        spot = spot_of(board.scene, port)
        name = port_title(spot.port, spot.label) if spot is not None else ""
        said = self.tr("Connect {0} of “{1}” to") if port.is_output else self.tr("Connect {0} of “{1}” from")
        self.palette.open_at(
            QPointF(*board.camera.to_widget(x, y)).toPoint(),
            said.format(name, title_of(board.flow, port.node)),
            offered,
            lambda chosen: self._link(port, chosen),
            back,
        )

    def _link(self, port: Stand, chosen: Candidate) -> None:
        board, fixed = self._board, port.socket
        if fixed is None:
            return
        if chosen.socket is None:
            x, y = stand_point(board.scene, port)
            at = board.free_point(x + (320 if port.is_output else -320), y)
            self._adding.search_for_end(fixed, port.is_output, at)
            return
        source, target = (fixed, chosen.socket) if port.is_output else (chosen.socket, fixed)
        board.do(lambda: edits.connect(board.flow, source, target, board.document.library))


def _is_order(socket: Socket) -> bool:
    return socket.port in {"after", "then"}
