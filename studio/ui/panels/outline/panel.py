"""The outline: everything that the canvas shows and does, as a tree for keyboard and screen reader."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedLayout, QWidget

from studio.flow.change import Change
from studio.ids import NodeId
from studio.ui.canvas.cards.words import node_words
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.outline.model import OutlineModel
from studio.ui.panels.outline.row_actions import Acting
from studio.ui.panels.outline.tree import OutlineTree
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.viewmodels.flow.outline import Outline, Row
from studio.ui.visibility import Seen, is_seen

SOON = 30
"""Milliseconds after which rows say what a run made of them."""
LARGE, PAUSE = 1_500, 250
"""Nodes from which on rows are made anew only when editing pauses, and after how many milliseconds."""


class OutlinePanel(QWidget):
    """Follows one canvas, and leads it."""

    def __init__(self, look: Look, canvas: CanvasView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvas, self._board = canvas, canvas.board
        self._closed: set[str] = set()
        self._opened: set[str] = set()
        self._is_leading = False
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Filter the outline"))
        self.field.setAccessibleName(self.tr("Filter the outline"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.rebuild)
        self.field.installEventFilter(self)
        self.model = OutlineModel(self)
        self.tree = OutlineTree(look, self.model, self._board, self)
        self.acting = Acting(canvas, self.tree, self.model)
        self.model.renamed.connect(self.acting.rename)
        self.tree.installEventFilter(self)
        self.tree.viewport().installEventFilter(self)
        self.tree.doubleClicked.connect(self.acting.open)
        self.tree.expanded.connect(self._note_open)
        self.tree.collapsed.connect(self._note_closed)
        self.tree.selectionModel().selectionChanged.connect(self._lead)
        self.tree.selectionModel().currentChanged.connect(self._lead)
        self.setFocusProxy(self.tree)
        self.empty = EmptyState(
            look,
            "debugger",
            self.tr("No nodes yet"),
            self.tr("Each node of the flow gets a row here."),
            self,
        )
        normal = look.length("space.normal")
        page = QWidget(self)
        rows = column_layout(page, (normal, normal, normal, 0), look.length("space.small"))
        rows.addWidget(self.field)
        rows.addWidget(self.tree, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self._stack.setCurrentIndex(1 if canvas.board.flow.nodes else 0)  # its rows come when they are seen
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.tree.viewport().update)
        self._later = QTimer(self, singleShot=True, interval=PAUSE)
        self._later.timeout.connect(self.rebuild)
        board = self._board
        self._endings = [
            board.document.history.on_change(self._follow_flow),
            board.document.selection.on_change(lambda _: self._follow()),
            board.keyboard.moved.subscribe(self._follow),
            board.told_anew.subscribe(lambda _: self._repaint()),
            board.redrawn.subscribe(self._repaint),
        ]
        look.changed.connect(self.tree.viewport().update)
        self._is_stale = True
        self.seen = Seen(self, self.rebuild)
        """Has it follow while it is seen, and make its rows once it is."""
        self.seen.tell()

    def close_canvas(self) -> None:
        """Stop listening; the panel is not used afterwards."""
        for end in self._endings:
            end()
        self._endings.clear()

    # ---------------------------------------------------------------- following

    def rebuild(self) -> None:
        """Make the rows anew, and open those again that stood open."""
        board = self._board
        self._is_stale = False
        wanted = self.field.text()
        outline = Outline(board.flow, board.document.library, board.scene.spots, self._describe, wanted)
        outline.mark_of = self._mark_of
        self._is_leading = True
        self.model.show(outline)
        for row in self._to_open(outline, outline.root):
            self.tree.expand(self.model.index_of(row))
        self._is_leading = False
        self._stack.setCurrentIndex(1 if board.flow.nodes or outline.children(outline.root) or wanted else 0)
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while nobody looked."""
        super().showEvent(event)
        self.seen.catch_up()

    def _follow_flow(self, change: Change) -> None:
        if not (change.touches_logic or change.frames or change.notes):
            return
        if self._keeps_rows(change):
            self._repaint()
            return
        self._is_stale = True
        self.seen.tell(self._later.start if len(self._board.flow.nodes) > LARGE else None)

    def _keeps_rows(self, change: Change) -> bool:
        """Take over new titles and settings where no row comes or goes by them."""
        outline, spots = self.model.outline, self._board.scene.spots
        is_same = not (change.added or change.removed or change.frames or change.notes or self.field.text())
        if outline is None or self._is_stale or not is_same:
            return False
        if not all(outline.has_ports(node, spots(node)) for node in change.nodes):
            return False
        outline.flow = self._board.flow
        return True

    def _repaint(self) -> None:
        if not self._soon.isActive() and is_seen(self):
            self._soon.start()

    def _to_open(self, outline: Outline, row: Row) -> Iterator[Row]:
        """Areas and borrowers stand open until somebody closes them; everything does while it is filtered."""
        for child in outline.children(row):
            if child.kind != "node":
                if child.key in self._opened:
                    yield child
                continue
            if (outline.has_nodes(child) and child.key not in self._closed) or child.key in self._opened:
                yield child
                yield from self._to_open(outline, child)

    def _note_open(self, index: QModelIndex) -> None:
        if not self._is_leading and (row := self.model.row_at(index)) is not None:
            self._opened.add(row.key)
            self._closed.discard(row.key)

    def _note_closed(self, index: QModelIndex) -> None:
        if not self._is_leading and (row := self.model.row_at(index)) is not None:
            self._closed.add(row.key)
            self._opened.discard(row.key)

    def _follow(self) -> None:
        """Select what the canvas has selected, and stand where the keyboard stands there."""
        if not self._is_leading and self.model.outline is not None:
            self.seen.tell(self._stand)

    def _stand(self) -> None:
        outline = self.model.outline
        if outline is None or self._is_stale:
            return
        self._is_leading = True
        chosen = self.tree.selectionModel()
        stand = self._board.keyboard.at(self._board.scene)
        current = outline.row_of(stand) if stand is not None else None
        chosen.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for node in self._board.selected:
            row = outline.row_of(Stand(node))
            if row is not None and (current is None or current.kind == "node"):
                chosen.select(self.model.index_of(row), flags.Select)
        if current is not None:
            index = self.model.index_of(current)
            is_chosen = current.kind != "node" or current.node in self._board.selected
            chosen.setCurrentIndex(index, flags.Select if is_chosen else flags.NoUpdate)
            self.tree.scrollTo(index)
        self._is_leading = False

    # ---------------------------------------------------------------- leading

    def chosen_rows(self) -> list[Row]:
        """The selected rows."""
        found = (self.model.row_at(index) for index in self.tree.selectionModel().selectedIndexes())
        return [row for row in found if row is not None]

    def _lead(self) -> None:
        """Select on the canvas what is selected here, and go there."""
        if self._is_leading:
            return
        current = self.model.row_at(self.tree.currentIndex())
        rows = self.chosen_rows()
        board, selection = self._board, self._board.document.selection
        nodes = [row.node for row in rows if row.kind == "node" and row.node is not None]
        self._is_leading = True
        if (
            current is not None
            and current.stand is not None
            and current.kind in {"port", "wire"}
            and not nodes
        ):
            board.keyboard.go_and_select(current.stand)
        else:
            frames = [row.box for row in rows if row.kind == "frame"]
            selection.select(nodes, (), frames, [row.box for row in rows if row.kind == "note"])
            board.keyboard.go(
                Stand(current.node) if current is not None and current.node is not None else None
            )
        self._is_leading = False
        if current is not None and current.node is not None:
            self._canvas.reveal(current.node)

    # ---------------------------------------------------------------- keys and menus

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the field, Down goes to the tree; in the tree, the canvas's keys do what they do there."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.tree.setFocus()
                if not self.tree.currentIndex().isValid():
                    self.tree.setCurrentIndex(self.model.index(0, 0))
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        if watched is self.tree and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self.acting.press(event, self.field)
        if watched is self.tree and isinstance(event, QContextMenuEvent):
            index = self.tree.currentIndex()
            at = self.tree.viewport().mapToGlobal(self.tree.visualRect(index).center())
            self.acting.ask_menu(
                event.globalPos() if event.reason() == QContextMenuEvent.Reason.Mouse else at
            )
            return True
        return super().eventFilter(watched, event)

    def _mark_of(self, place: str) -> BreakpointMark | None:
        return self._board.cards.shown.breakpoints.get(place)

    def _describe(self, node: NodeId) -> str:
        flow, cards = self._board.flow, self._board.cards
        if node not in flow.nodes:
            return ""
        return node_words(flow, node, self._board.document.describe(flow.nodes[node].kind), cards.shown)
