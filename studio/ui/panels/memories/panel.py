"""The memories of the project and of the shown run on the left, the items of one on the right."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QSplitter, QStackedLayout, QWidget

from studio.sdk.items import Item
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.memories.item_page import ItemPage
from studio.ui.panels.memories.item_table import ItemTable
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.listing import Listing
from studio.ui.popup_menus import pop_up
from studio.ui.slots import of_any, of_text
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.memories.memory_facts import ItemFacts
from studio.ui.viewmodels.memories.memory_rows import MemoryRow

BESIDE = 36
"""How wide, in wide gaps, the panel has to be for an item beside the table; else it stands beneath."""
LISTED = 0.3
"""The part of its width that the list of memories takes at most, at first."""
TYPED = 150
"""Milliseconds after the last key before what was typed is searched."""


class MemoriesPanel(QWidget):
    """Shows memories; what is asked of them is told, and done elsewhere."""

    memory_chosen = Signal(str)
    """The key of the memory whose items are to be shown."""
    item_chosen = Signal(str)
    """The id of the item whose facts are to be shown."""
    step_chosen = Signal(str)
    asked = Signal(str)
    """What is to be done: `add`, `edit`, `remove`, `clear`, `import`, `export`, `undo`, or `help`."""
    came_up = Signal()
    """It is seen, after it was not."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: dict[str, MemoryRow] = {}
        self.shown = ""
        self._chosen = ""  # by a hand or a deed, also while it is not listed
        hint = self.tr("Items that memory nodes keep, for this run or for the project, appear here.")
        self.empty = EmptyState(look, "category_memory", self.tr("No memories yet"), hint, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._is_filled = False

    def _fill(self) -> None:
        """Make what memories are shown by: most flows are closed before anybody looks at one."""
        if self._is_filled:
            return
        self._is_filled = True
        look = self._look
        self.list = Listing(look, self.tr("Memories"), self)
        self.list.chosen.connect(self.memory_chosen)
        self.list.currentRowChanged.connect(of_any(self._turn))
        self._make_head()
        self.table = ItemTable(look, self)
        self.table.chosen.connect(self._choose)
        self.table.opened.connect(lambda: self._ask("edit"))
        self.table.removed.connect(lambda: self._ask("remove"))
        self._nothing = QLabel(self)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setProperty("tone", "muted")
        self._nothing.setWordWrap(True)
        self.page = ItemPage(look, self)
        self.page.step_chosen.connect(self.step_chosen)
        self.page.item_chosen.connect(of_text(self._show_item))
        self._typed = QTimer(self, singleShot=True, interval=TYPED)
        self._typed.timeout.connect(self._search)
        self.search.textChanged.connect(of_any(self._typed.start))
        self._build()

    def _make_head(self) -> None:
        look = self._look
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search the items"))
        self.search.setAccessibleName(self.tr("Search the items"))
        self.search.setClearButtonEnabled(True)
        self.add = icon_button(look, "add", self.tr("Add an item"), self)
        self.edit = icon_button(look, "edit", self.tr("Edit the selected item (Enter)"), self)
        self.remove = icon_button(look, "delete", self.tr("Delete the selected item (Delete)"), self)
        self.undo = icon_button(look, "undo", self.tr("Undo the last change to this memory"), self)
        self.more = icon_button(look, "more", self.tr("More"), self)
        for button, name in (
            (self.add, "add"),
            (self.edit, "edit"),
            (self.remove, "remove"),
            (self.undo, "undo"),
        ):
            button.clicked.connect(lambda _=False, name=name: self._ask(name))
        self.more.clicked.connect(self._open_menu)
        self.about = text_label("", self, "small", wraps=True)
        self.help = push_button("", self, lambda: self._ask("help"))

    def _build(self) -> None:
        small, tight = self._look.length("space.small"), self._look.length("space.tight")
        head = row_layout(spacing=tight)
        head.addWidget(self.search, 1)
        for button in (self.add, self.edit, self.remove, self.undo, self.more):
            head.addWidget(button)
        told = QHBoxLayout()
        told.addWidget(self.about, 1)
        told.addWidget(self.help)
        content = QWidget(self)
        self._content = QStackedLayout(content)
        self._content.addWidget(self.table)
        self._content.addWidget(self._nothing)
        self._inner = QSplitter(Qt.Orientation.Vertical, self)
        self._inner.setChildrenCollapsible(False)
        self._inner.addWidget(content)
        self._inner.addWidget(self.page)
        right = QWidget(self)
        rows = column_layout(right, small, tight)
        rows.addLayout(head)
        rows.addLayout(told)
        rows.addWidget(self._inner, 1)
        self._outer = QSplitter(Qt.Orientation.Horizontal, self)
        self._outer.setChildrenCollapsible(False)
        self._outer.addWidget(self.list)
        self._outer.addWidget(right)
        self._is_shared = False  # by a hand
        self._outer.splitterMoved.connect(self._note_share)
        wide = self._look.length("space.wide")
        self.list.setMinimumWidth(wide * 4)
        self._outer.setStretchFactor(1, 1)
        self._inner.setSizes([wide * 15, wide * 11])
        self.setFocusProxy(self.list)
        self._stack.addWidget(self._outer)

    def show_memories(self, rows: Sequence[MemoryRow]) -> None:
        """List these memories."""
        self._fill()
        self._rows = {one.key: one for one in rows}
        self._stack.setCurrentIndex(1 if rows else 0)
        chosen = self._chosen
        self.list.show_rows([one.listed() for one in rows])
        if not self._stand_on(chosen) and rows and self.list.current_key() not in self._rows:
            self._stand_on(self._instead_of(chosen) or next(iter(self._rows)))
        self._chosen = chosen or self._chosen
        self._follow()

    def show_items(self, key: str, items: Sequence[Item]) -> None:
        """Show the items of the memory with this key."""
        row = self._rows.get(key)
        if key != self.shown:
            self.search.clear()
            self._typed.stop()
        self.shown = key
        self.table.show_items(row.kind if row is not None else "", items)
        self._search()
        self._follow()

    def show_facts(self, facts: ItemFacts | None) -> None:
        """Show all about the chosen item."""
        self.page.show_facts(facts)

    def choose(self, key: str, item: str = "") -> bool:
        """Choose a memory, and an item of it; gives whether the memory is listed."""
        if not self._is_filled:
            return False
        is_listed = self._stand_on(key)
        if is_listed and item:
            self._show_item(item)
        return is_listed

    def _stand_on(self, key: str) -> bool:
        at = next((at for at, one in enumerate(self.list.rows) if one.key == key), -1)
        if at >= 0:
            self.list.setCurrentRow(at)
        return at >= 0

    def _instead_of(self, key: str) -> str:
        """The same memory at the other place: a run that had not opened it yet may be scrubbed through."""
        name = key.partition("/")[2]
        return next((one.key for one in self._rows.values() if one.name == name), "")

    @property
    def row(self) -> MemoryRow | None:
        """The memory whose items are shown."""
        return self._rows.get(self.shown)

    def make_menu(self) -> QMenu:
        """Make the menu of what is seldom done."""
        menu = QMenu(self)
        row = self.row
        for name, words in (
            ("export", self.tr("Export as JSON lines…")),
            ("import", self.tr("Import JSON lines…")),
            ("clear", self.tr("Delete all items")),
        ):
            action = menu.addAction(words, lambda name=name: self._ask(name))
            action.setEnabled(row is not None and (row.can_edit or name == "export"))
        return menu

    def minimumSizeHint(self) -> QSize:
        """It may be so narrow that the list, or the buttons, are cut off."""
        return QSize(self._look.length("space.wide") * 8, super().minimumSizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that it is seen now."""
        super().showEvent(event)
        self._fill()
        self._fit()
        self.came_up.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the item beside the table where there is room."""
        super().resizeEvent(event)
        if self._is_filled:
            self._fit()

    def _fit(self) -> None:
        is_wide = self.width() >= self._look.length("space.wide") * BESIDE
        way = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if self._inner.orientation() is not way:
            self._inner.setOrientation(way)
            self._inner.setSizes([self.width() * share for share in ((15, 11) if is_wide else (3, 2))])
        if not self._is_shared:
            wide = min(self._look.length("space.wide") * 9, round(self.width() * LISTED))
            self._outer.setSizes([wide, self.width() - wide])

    def _note_share(self) -> None:
        self._is_shared = True

    def _open_menu(self) -> None:
        menu = self.make_menu()
        pop_up(menu, self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _turn(self) -> None:
        key = self.list.current_key()
        if key:
            self._chosen = key
        if key and key != self.shown:
            self.memory_chosen.emit(key)

    def _search(self) -> None:
        self.table.search(self.search.text())
        self._follow()

    def _show_item(self, item: str) -> None:
        if not self.table.choose(item):
            self.search.clear()
            self._search()
            self.table.choose(item)

    def _choose(self, item: str) -> None:
        self._follow()
        self.item_chosen.emit(item)

    def _ask(self, name: str) -> None:
        row = self.row
        if row is None or (name in {"edit", "remove"} and not self.table.current_id()):
            return
        if row.can_edit or name in {"export", "help"}:
            self.asked.emit(name)

    def _follow(self) -> None:
        """Say what is true of the memory that is shown, and what can be done with it."""
        row = self.row
        can_edit = row is not None and row.can_edit
        has_item = bool(self.table.current_id())
        self.add.setEnabled(can_edit)
        self.undo.setEnabled(can_edit)
        for button in (self.edit, self.remove):
            button.setEnabled(can_edit and has_item)
        trouble = row.trouble if row is not None else ""
        self.about.setText(trouble or (row.about if row is not None else ""))
        mark(self.about, tone="failed" if trouble else "muted")
        self.help.setText(row.help if row is not None else "")
        self.help.setVisible(row is not None and bool(row.help))
        has_rows = bool(self.table.items.items)
        self._content.setCurrentIndex(0 if has_rows else 1)
        self._nothing.setText(
            self.tr("No item matches these words.")
            if self.search.text()
            else self.tr("This memory is empty.")
        )
        self.page.setVisible(has_rows)
