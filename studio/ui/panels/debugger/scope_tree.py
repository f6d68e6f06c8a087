"""The scopes around the shown step, innermost first, each with what is known in it."""

from collections.abc import Sequence
from itertools import islice
from typing import cast

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from studio.flow.plain_text import excerpt, pretty
from studio.ui.look import Look
from studio.ui.popup_menus import pop_up
from studio.ui.slots import of_flag
from studio.ui.viewmodels.run.scope_values import KnownScope, KnownValue
from studio.ui.viewmodels.words.step_words import status_word

SHOWN = Qt.ItemDataRole.UserRole
LONGEST = 120
"""Characters of a value in its row."""
LARGE = 20
"""Elements and fields of a value that are written into its row."""
MOST = 100
"""Values of a scope that have rows, unless more are asked for."""
OPEN = 2
"""Scopes that are open by themselves: the step, and what is around it; and always the run's."""


class ScopeTree(QTreeWidget):
    """A row for each scope, beneath it one for each value; `picked` tells what the keyboard stands on."""

    picked = Signal(object)
    """A `KnownScope` or a `KnownValue`."""
    step_chosen = Signal(str)
    opened = Signal()
    """A value is to be read."""
    origin_asked = Signal(str, str, str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._closed: dict[str, bool] = {}
        self._whole: set[str] = set()
        """Scopes of which a person wanted to see all values."""
        self._scopes: Sequence[KnownScope] = ()
        self._muted, self._code = look.color("text.muted"), look.font("small", mono=True)
        self._is_filling = False
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setAccessibleName(self.tr("Scopes and their values"))
        self.setUniformRowHeights(True)
        self.setIndentation(look.length("space.large"))
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._pick)
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._click)
        self.itemExpanded.connect(self._note)
        self.itemCollapsed.connect(self._note)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)

    def show_scopes(self, scopes: Sequence[KnownScope]) -> None:
        """Replace the rows; what the keyboard stood on stays so, where there is something of that name."""
        current = self.currentItem()
        stood = self._path(current) if current is not self.topLevelItem(0) else ()
        self._scopes = scopes
        self._muted, self._code = self._look.color("text.muted"), self._look.font("small", mono=True)
        self._is_filling = True
        self.clear()
        found: QTreeWidgetItem | None = None
        for number, scope in enumerate(scopes):
            item = self._scope_item(scope)
            is_open = number < OPEN or number == len(scopes) - 1
            item.setExpanded(not self._closed.get(scope.row.title, not is_open))
            for at in range(-1, item.childCount()):
                one = item if at < 0 else item.child(at)
                if stood and one is not None and one.text(0) == stood[0] and self._path(one) == stood:
                    found = one
        self._is_filling = False
        self._fit()
        stands = found if found is not None else self.topLevelItem(0)
        if stands is not None:
            self.setCurrentItem(stands)

    @property
    def current(self) -> KnownScope | KnownValue | None:
        """What the keyboard stands on."""
        return _of(self.currentItem())

    @property
    def can_show(self) -> bool:
        """Whether a step belongs to what the keyboard stands on."""
        return bool(self._step())

    @property
    def can_trace(self) -> bool:
        """Whether it can be asked where the value comes from."""
        current = self.current
        return isinstance(current, KnownValue) and bool(current.port)

    def show_current(self) -> None:
        """Show the step of what the keyboard stands on, on the canvas and everywhere."""
        if self.can_show:
            self.step_chosen.emit(self._step())

    def copy_current(self) -> None:
        """Copy the whole value, or all values of the scope."""
        current = self.current
        if isinstance(current, KnownValue):
            QGuiApplication.clipboard().setText(pretty(current.shown.data))
        elif current is not None:
            said = (f"{one.name}: {pretty(one.shown.data)}" for one in current.values)
            QGuiApplication.clipboard().setText("\n".join(said))

    def trace_current(self) -> None:
        """Ask where the value comes from."""
        current = self.current
        if isinstance(current, KnownValue) and current.port:
            self.origin_asked.emit(current.step, current.side, current.port)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy; all else as trees do."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_current()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names have the room that they need, up to three fifths of what there is."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wanted = self.sizeHintForColumn(0) + self._look.length("space.small")
        self.header().resizeSection(0, min(wanted, self.viewport().width() * 3 // 5))

    def make_menu(self) -> QMenu:
        """What can be done with the row that the keyboard stands on."""
        menu = QMenu(self)
        for words, act, can in (
            (self.tr("Show on the canvas"), self.show_current, self.can_show),
            (self.tr("Copy"), self.copy_current, self.current is not None),
            (self.tr("Where does this come from?"), self.trace_current, self.can_trace),
        ):
            action = menu.addAction(words)
            action.triggered.connect(of_flag(lambda _, act=act: act()))
            action.setEnabled(can)
        return menu

    def _scope_item(self, scope: KnownScope) -> QTreeWidgetItem:
        row = scope.row
        said = row.detail or (status_word(row.status) if row.status is not None else "")
        item = QTreeWidgetItem(self, [row.title, said])
        item.setData(0, SHOWN, scope)
        item.setFont(0, self._look.font("label", strong=True))
        item.setForeground(1, self._muted)
        item.setToolTip(0, row.title)
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {said}")
        values = scope.values if row.title in self._whole else scope.values[:MOST]
        item.addChildren([self._value_item(value) for value in values])
        rest = len(scope.values) - len(values)
        if rest:
            item.addChild(QTreeWidgetItem([self.tr("{count} more…").format(count=f"{rest:,}")]))
        return item

    def _value_item(self, value: KnownValue) -> QTreeWidgetItem:
        text = excerpt(_beginning(value.shown.data), LONGEST)
        item = QTreeWidgetItem([value.name, text])
        item.setData(0, SHOWN, value)
        item.setToolTip(0, value.name)
        item.setForeground(0, self._muted)
        item.setFont(1, self._code)
        return item

    def _step(self) -> str:
        current = self.current
        if isinstance(current, KnownValue):
            return current.step
        return current.row.step if current is not None else ""

    def _pick(self, item: QTreeWidgetItem | None, *_: object) -> None:
        if not self._is_filling:
            self.picked.emit(_of(item))

    def _click(self, item: QTreeWidgetItem, _column: int) -> None:
        if isinstance(_of(item), KnownScope):
            self.show_current()

    def _choose(self, item: QTreeWidgetItem, _column: int) -> None:
        scope = _of(item.parent())
        if isinstance(_of(item), KnownValue):
            self.opened.emit()
        elif _of(item) is None and isinstance(scope, KnownScope):
            self._whole.add(scope.row.title)
            self.show_scopes(self._scopes)
        else:
            self.show_current()

    def _note(self, item: QTreeWidgetItem) -> None:
        """Keep open, and closed, what a person opened and closed."""
        scope = _of(item)
        if isinstance(scope, KnownScope) and not self._is_filling:
            self._closed[scope.row.title] = not item.isExpanded()

    @staticmethod
    def _path(item: QTreeWidgetItem | None) -> tuple[str, ...]:
        path: list[str] = []
        while item is not None:
            path.append(item.text(0))
            item = item.parent()
        return tuple(path)

    def _open_menu(self, at: QPoint) -> None:
        menu = self.make_menu()
        pop_up(menu, self.viewport().mapToGlobal(at))


def _beginning(data: object) -> object:
    """As much of a value as its row can show: what is large is not written out for that."""
    if isinstance(data, str):
        return data[: LONGEST * 2]
    if isinstance(data, list):
        return [_beginning(one) for one in cast("list[object]", data)[:LARGE]]
    if isinstance(data, dict):
        fields = islice(cast("dict[str, object]", data).items(), LARGE)
        return {name: _beginning(one) for name, one in fields}
    return data


def _of(item: QTreeWidgetItem | None) -> KnownScope | KnownValue | None:
    return None if item is None else cast("KnownScope | KnownValue | None", item.data(0, SHOWN))
