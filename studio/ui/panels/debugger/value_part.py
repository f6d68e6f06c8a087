"""The value that is picked among the scopes, whole; or all values of the picked scope."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.debugger.scope_tree import ScopeTree
from studio.ui.panels.value_card import clear_cards, value_cards
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.section import Section
from studio.ui.slots import of_flag
from studio.ui.viewmodels.run.scope_values import KnownScope, KnownValue

MOST = 30
"""Values of a scope that are shown whole at once; each can be picked by itself."""


class ValuePart(QWidget):
    """Follows the tree of scopes; its buttons are about the row that the keyboard stands on there."""

    def __init__(self, look: Look, tree: ScopeTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._tree = look, tree
        self._shown: object = None
        self._cards: list[QWidget] = []
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget(self._area)
        self._values = column_layout(
            self._page,
            (0, 0, look.length("space.small"), look.length("space.small")),
            look.length("space.small"),
        )
        self._values.addStretch(1)
        self._area.setWidget(self._page)
        self.show_button = icon_button(look, "fit", self.tr("Show on the canvas"), self)
        self.copy_button = icon_button(look, "copy", self.tr("Copy (Ctrl+C)"), self)
        self.origin_button = icon_button(look, "undo", self.tr("Where does this come from?"), self)
        for button, act in (
            (self.show_button, tree.show_current),
            (self.copy_button, tree.copy_current),
            (self.origin_button, tree.trace_current),
        ):
            button.clicked.connect(of_flag(lambda _, act=act: act()))
        self._nothing = EmptyState(
            look,
            "inspector",
            self.tr("No value"),
            self.tr("Select a value of a step, round, item, caller or the run to read all of it here."),
            self,
        )
        rows = column_layout(self, 0)
        body = QWidget(self)
        inner = column_layout(body, 0)
        inner.addWidget(self._area)
        inner.addWidget(self._nothing)
        buttons = (self.show_button, self.copy_button, self.origin_button)
        self.section = Section(look, self.tr("Value"), body, *buttons, parent=self)
        rows.addWidget(self.section)
        tree.picked.connect(self.show_picked)
        self.show_picked(None)

    def show_picked(self, picked: object) -> None:
        """Show a `KnownValue`, or the values of a `KnownScope`."""
        self.show_button.setEnabled(self._tree.can_show)
        self.copy_button.setEnabled(picked is not None)
        self.origin_button.setEnabled(self._tree.can_trace)
        if picked == self._shown and picked is not None:
            return
        self._shown = picked
        clear_cards(self._cards)
        if isinstance(picked, KnownScope):
            self.section.set_title(picked.row.title)
            values = picked.values[:MOST]
        elif isinstance(picked, KnownValue):
            self.section.set_title(picked.name)
            values = (picked,)
        else:
            self.section.set_title(self.tr("Value"))
            values = ()
        for card in value_cards(self._look, [(one.name, one.shown) for one in values], self._page):
            self._cards.append(card)
            self._values.insertWidget(self._values.count() - 1, card)
        self._area.setVisible(bool(values))
        self._nothing.setVisible(not values)
