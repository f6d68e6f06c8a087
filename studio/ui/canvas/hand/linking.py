"""Connecting by name: what a port can be wired to, listed, narrowed by typing, wired with Enter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QListWidget, QVBoxLayout, QWidget

from studio.flow import edits
from studio.flow.records import Socket, title_of
from studio.flow.wiring import acceptable
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.words import port_title
from studio.ui.canvas.hand.adding import Adding
from studio.ui.canvas.hand.steering import first_port
from studio.ui.canvas.scene.keyboard import Stand, spot_of, stand_point
from studio.ui.canvas.style import Role, Style

WIDTH = 360
ROWS = 9
MOST = 200
"""Ports listed at once; typing finds the others."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A port that a wire may end at, in words; without a socket a way to add a node for it."""

    text: str
    socket: Socket | None = None


def candidates(board: Board, stand: Stand) -> list[Candidate]:
    """The ports that a wire from here may end at: nearest first, order ports only for their like."""
    socket, spot, scene = stand.socket, spot_of(board.scene, stand), board.scene
    if socket is None or spot is None:
        return []
    x, y = stand_point(scene, stand)

    def far(other: Socket) -> tuple[float, str]:
        rect = scene.rect(other.node)
        return abs(rect.x - x) + abs(rect.y - y), str(other)

    found = acceptable(board.flow, socket, board.document.library, is_output=stand.is_output)
    kept = [one for one in found if one.node in scene.row and (spot.is_order or not _is_order(one))]
    return [
        Candidate(f"{title_of(board.flow, one.node)}: {port_title(one.port)}", one)
        for one in sorted(kept, key=far)
    ]


class PortPalette(QFrame):
    """A field over a list; Enter takes, Escape and leaving close."""

    def __init__(self, style: Style, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._canvas = self._back = canvas
        self._all: Sequence[Candidate] = ()
        self.offered: list[Candidate] = []
        self._take: Callable[[Candidate], None] | None = None
        self.head = QLabel(self)
        self.field = QLineEdit(self)
        self.field.setFrame(False)
        self.field.setPlaceholderText(self.tr("Connect to"))
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.found = QListWidget(self)
        self.found.setFrameShape(QFrame.Shape.NoFrame)
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.setAccessibleName(self.tr("Ports that fit"))
        self.found.itemClicked.connect(self._choose)
        self.setProperty("card", True)
        self.setAutoFillBackground(True)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(8, 8, 8, 8)
        rows.setSpacing(6)
        for widget in (self.head, self.field, self.found):
            rows.addWidget(widget)
        self.restyle(style)
        self.hide()

    def restyle(self, style: Style) -> None:
        """Wear another theme."""
        colors = self.palette()
        for role, name in (
            (QPalette.ColorRole.Base, "surface.panel"),
            (QPalette.ColorRole.Window, "surface.panel"),
            (QPalette.ColorRole.Text, "text.strong"),
            (QPalette.ColorRole.WindowText, "text.muted"),
            (QPalette.ColorRole.PlaceholderText, "text.muted"),
            (QPalette.ColorRole.Highlight, "surface.selection"),
            (QPalette.ColorRole.HighlightedText, "text.strong"),
        ):
            colors.setColor(role, style.color(name))
        for widget in (self, self.head, self.field, self.found):
            widget.setPalette(colors)
        self.head.setFont(style.fonts[Role.SMALL])
        self.field.setFont(style.fonts[Role.TITLE])
        self.found.setFont(style.fonts[Role.BODY])

    def open_at(
        self,
        at: QPoint,
        head: str,
        offered: Sequence[Candidate],
        take: Callable[[Candidate], None],
        back: QWidget | None = None,
    ) -> None:
        """Show what is offered near a widget point; `take` is given what is chosen."""
        self._back = back or self._canvas
        self._all, self._take = offered, take
        self.head.setText(head)
        self.field.setAccessibleName(head)
        self.field.clear()
        self._search("")
        self.found.setFixedHeight(max(1, min(ROWS, len(offered))) * max(self.found.sizeHintForRow(0), 22) + 4)
        self.setFixedWidth(WIDTH)
        self.adjustSize()
        room = self._canvas.rect().adjusted(8, 8, -8, -8)
        x = max(room.left(), min(at.x() + 16, room.right() - self.width()))
        y = max(room.top(), min(at.y() + 16, room.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Close, and give the keyboard back."""
        self.hide()
        self._back.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field that mean the list, and the field losing the keyboard."""
        if isinstance(event, QKeyEvent) and event.type() in {
            QEvent.Type.ShortcutOverride,
            QEvent.Type.KeyPress,
        }:
            return self._key(event, is_press=event.type() == QEvent.Type.KeyPress)
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent, *, is_press: bool) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Backtab: -1}
        key = Qt.Key(event.key())
        if key not in {*steps, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape}:
            return False
        if not is_press:
            event.accept()
        elif key in steps:
            if self.offered:
                self.found.setCurrentRow((self.found.currentRow() + steps[key]) % len(self.offered))
        elif key == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            self._choose()
        return True

    def _search(self, typed: str) -> None:
        words = typed.casefold().split()
        fits = [one for one in self._all if all(word in one.text.casefold() for word in words)]
        self.offered = fits[:MOST]
        self.found.clear()
        self.found.addItems([one.text for one in self.offered])
        self.found.setCurrentRow(0)

    def _choose(self) -> None:
        row = self.found.currentRow()
        if 0 <= row < len(self.offered) and self._take is not None:
            chosen = self.offered[row]
            self.dismiss()
            self._take(chosen)


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
        offered = [*candidates(board, port), Candidate(self.tr("A new node…"))]
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
