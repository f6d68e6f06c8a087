"""The outline: everything that the canvas shows and does, as a tree for keyboard and screen reader."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStackedLayout, QTreeView, QVBoxLayout, QWidget

from studio.flow import boxes, edits
from studio.flow.change import Change
from studio.flow.records import Frame
from studio.ids import NodeId
from studio.ui.canvas.accessible_words import node_words
from studio.ui.canvas.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from studio.ui.look import Look
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.outline.model import OutlineModel
from studio.ui.panels.outline.rows import RowPainter
from studio.ui.viewmodels.outline import Outline, Row

SOON = 30
"""Milliseconds after which rows say what a run made of them."""
OWN_KEYS = frozenset(
    {
        *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageUp),
        *(Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_F2, Qt.Key.Key_Escape),
        *(Qt.Key.Key_Backtab, Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Asterisk, Qt.Key.Key_Plus),
    }
)
"""Keys that mean the tree, unless Alt is held; all others mean the canvas, where the same stands selected."""


class OutlinePanel(QWidget):
    """Follows one canvas, and leads it."""

    def __init__(self, look: Look, canvas: CanvasView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvas, self._board = canvas, canvas.board
        self._closed: set[str] = set()
        self._opened: set[str] = set()
        self._is_leading = self._is_stale = False
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Filter the outline"))
        self.field.setAccessibleName(self.tr("Filter the outline"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.rebuild)
        self.field.installEventFilter(self)
        self.model = OutlineModel(self._rename, self)
        self.tree = QTreeView(self)
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(RowPainter(look, self._board, self.tree))
        self.tree.setHeaderHidden(True)
        self.tree.setProperty("plain", True)
        self.tree.setUniformRowHeights(True)
        self.tree.setAnimated(False)
        self.tree.setMouseTracking(True)
        self.tree.setIndentation(look.length("space.large"))
        self.tree.setExpandsOnDoubleClick(False)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setAccessibleName(self.tr("Outline of the flow"))
        self.tree.installEventFilter(self)
        self.tree.viewport().installEventFilter(self)
        self.tree.doubleClicked.connect(self._open)
        self.tree.expanded.connect(self._note_open)
        self.tree.collapsed.connect(self._note_closed)
        self.tree.selectionModel().selectionChanged.connect(self._lead)
        self.tree.selectionModel().currentChanged.connect(self._lead)
        self.empty = EmptyState(
            look,
            "debugger",
            self.tr("Nothing here yet"),
            self.tr("Each node of the flow is a row here."),
            self,
        )
        normal = look.length("space.normal")
        page = QWidget(self)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(normal, normal, normal, 0)
        rows.setSpacing(look.length("space.small"))
        rows.addWidget(self.field)
        rows.addWidget(self.tree, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self.tree.viewport().update)
        board = self._board
        self._endings = [
            board.document.history.on_change(self._follow_flow),
            board.document.selection.on_change(lambda _: self._follow()),
            board.keyboard.moved.subscribe(self._follow),
            board.told_anew.subscribe(lambda _: self._repaint()),
            board.redrawn.subscribe(self._repaint),
        ]
        look.changed.connect(self.tree.viewport().update)
        self.rebuild()

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
        if self._is_stale:
            self.rebuild()

    def _follow_flow(self, change: Change) -> None:
        if not (change.touches_logic or change.frames or change.notes):
            return
        self._is_stale = True
        if self.isVisible():
            self.rebuild()

    def _repaint(self) -> None:
        if self.isVisible() and not self._soon.isActive():
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
        outline = self.model.outline
        if self._is_leading or outline is None or self._is_stale or not self.isVisible():
            self._is_stale = self._is_stale or not self.isVisible()
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

    def _open(self) -> None:
        """Open a node; at a wire, go to its other end."""
        row = self.model.row_at(self.tree.currentIndex())
        if row is None or row.stand is None:
            return
        if row.kind == "wire" and row.stand.wire is not None:
            wire, is_output = row.stand.wire, row.stand.is_output
            far = wire.target if is_output else wire.source
            self._board.keyboard.go_and_select(Stand(far.node, far.port, not is_output))
        elif row.kind == "port":
            self._canvas.linking.open(row.stand, self.tree)
        elif row.kind == "node":
            self._board.opened.tell(row.stand.node)

    def _rename(self, row: Row, title: str) -> None:
        board = self._board
        if row.kind == "node" and row.node is not None and title:
            node = row.node
            board.do(lambda: edits.set_title(board.flow, node, title))
        elif row.kind == "frame":
            frame: Frame = board.flow.layout.frames[row.box]
            titled = Frame(title, frame.x, frame.y, frame.width, frame.height, frame.color, frame.holds)
            board.do(lambda: boxes.set_frame(board.flow, row.box, titled, f"Rename frame to {title}"))
        elif row.kind == "note":
            note = board.flow.layout.notes[row.box]
            written = type(note)(title, note.x, note.y, note.width, note.height)
            board.do(lambda: boxes.set_note(board.flow, row.box, written, "Write note"))

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
            return self._key(event)
        if watched is self.tree and isinstance(event, QContextMenuEvent):
            index = self.tree.currentIndex()
            at = self.tree.viewport().mapToGlobal(self.tree.visualRect(index).center())
            self._ask_menu(event.globalPos() if event.reason() == QContextMenuEvent.Reason.Mouse else at)
            return True
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key, keys = Qt.Key(event.key()), event.modifiers()
        is_alone = keys in {Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier}
        if self.tree.state() == QAbstractItemView.State.EditingState:
            return False
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and is_alone:
            self._open()
            return True
        if key == Qt.Key.Key_Slash and is_alone:
            self.field.setFocus()
            return True
        if (
            key == Qt.Key.Key_W
            and is_alone
            and (row := self.model.row_at(self.tree.currentIndex())) is not None
        ):
            if row.stand is not None:
                self._canvas.linking.open(row.stand, self.tree)
            return True
        if key in OWN_KEYS and not keys & Qt.KeyboardModifier.AltModifier:
            return False
        if key == Qt.Key.Key_Insert:
            self._canvas.run("add")
            return True
        return self._canvas.keys.do(event)

    def _ask_menu(self, at: QPoint) -> None:
        """The same menus as on the canvas."""
        row, board = self.model.row_at(self.tree.currentIndex()), self._board
        if row is None or row.stand is None:
            return
        is_held = row.spot is not None and board.carries_values(row.stand.node, row.spot)
        if row.kind == "port" and is_held and row.stand.socket is not None:
            self._canvas.port_menu_asked.emit(str(row.stand.socket), row.stand.is_output, at)
        elif row.kind in {"node", "wire"}:
            self._canvas.menu_asked.emit(row.kind, at)

    def _describe(self, node: NodeId) -> str:
        flow, cards = self._board.flow, self._board.cards
        if node not in flow.nodes:
            return ""
        return node_words(flow, node, self._board.document.describe(flow.nodes[node].kind), cards.shown)
