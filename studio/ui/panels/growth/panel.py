"""The dock of what grew: a search, the tree, what the chosen row says, and what can be kept of it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedLayout, QWidget

from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.growth.tree import GrowthTree
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.slots import of_any, of_text
from studio.ui.viewmodels.run.growth_rows import GrownRow, matching


class GrowthPanel(QWidget):
    """Shows the rows that it is given; `chosen` tells the key of the one that a person came to."""

    chosen = Signal(str)
    came_up = Signal()
    keep_asked = Signal(str)
    """The part with this key is to become a node; with none, all that can."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[GrownRow] = ()
        self.empty = EmptyState(
            look,
            "branch",
            self.tr("Nothing generated yet"),
            self.tr("Plans, searches and teams show what they generate here while the flow runs."),
            self,
        )
        page = QWidget(self)
        self.field = QLineEdit(page)
        self.field.setPlaceholderText(self.tr("Filter the tree"))
        self.field.setAccessibleName(self.tr("Filter the tree"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(of_text(lambda _: self._fill()))
        self.field.installEventFilter(self)
        self.tree = GrowthTree(look, page)
        self.tree.chosen.connect(self._choose)
        self.setFocusProxy(self.tree)
        self.said = text_label("", page, "small", "muted", wraps=True, is_plain=True, is_selectable=True)
        self.keep = push_button(
            self.tr("Keep as node"),
            page,
            of_any(self._ask_to_keep),
            tip=self.tr("Add this part to the flow, as a node with its wires"),
        )
        self.keep_all = push_button(
            self.tr("Keep all"),
            page,
            of_any(lambda: self.keep_asked.emit("")),
            tip=self.tr("Add the whole plan to the flow, as nodes with their wires"),
        )
        small = look.length("space.small")
        foot = row_layout(spacing=small)
        foot.addWidget(self.keep)
        foot.addWidget(self.keep_all)
        foot.addStretch(1)
        rows = column_layout(page, small, small)
        rows.addWidget(self.field)
        rows.addWidget(self.tree, 1)
        rows.addWidget(self.said)
        rows.addLayout(foot)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self._describe()

    @property
    def current(self) -> GrownRow | None:
        """The row that the keyboard stands on."""
        return self.tree.current

    def show_rows(self, rows: Sequence[GrownRow]) -> None:
        """Show the tree as it is now."""
        self._rows = rows
        self._stack.setCurrentIndex(1 if rows else 0)
        self._fill()

    def choose(self, key: str) -> None:
        """Put the keyboard on a row, as far as it is shown."""
        self.tree.choose(key)
        self._describe()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that somebody looks."""
        super().showEvent(event)
        self.came_up.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the field, Down goes to the tree, and Escape empties it."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self.tree.setFocus()
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        wanted = self.field.text()
        self.tree.show_rows(matching(self._rows, wanted), is_whole=not wanted.strip())
        self._describe()

    def _choose(self, key: str) -> None:
        self._describe()
        self.chosen.emit(key)

    def _ask_to_keep(self) -> None:
        row = self.current
        if row is not None:
            self.keep_asked.emit(row.row.key)

    def _describe(self) -> None:
        """Say all of the chosen row, and what can be kept."""
        row = self.current
        told = row.row.told if row is not None else None
        said = "\n".join(one for one in (f"{row.title} · {row.state}", row.said) if one) if row else ""
        self.said.setText(said)
        self.said.setVisible(bool(said))
        self.keep.setEnabled(told is not None and bool(told.sort))
        can = sum(one.row.told is not None and bool(one.row.told.sort) for one in self._rows)
        self.keep.setVisible(bool(can))
        self.keep_all.setVisible(bool(can))
