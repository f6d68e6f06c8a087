"""The breakpoints of a flow: switched on and off by a tick, removed by a button or Delete."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from studio.app.breakpoints import Breakpoints, place_parts
from studio.flow.records import Flow
from studio.ui.look import Look
from studio.ui.viewmodels.held_words import place_words


class BreakpointList(QListWidget):
    """Lists breakpoints in the order of the flow's names; `chosen` tells the node to show."""

    chosen = Signal(str)

    def __init__(self, look: Look, breakpoints: Breakpoints, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._breakpoints = breakpoints
        self._is_filling = False
        self.setAccessibleName(self.tr("Breakpoints"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemChanged.connect(self._switch)
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._choose)

    def show_flow(self, flow: Flow, called: Mapping[str, Flow]) -> None:
        """Read the breakpoints again, under the titles that nodes have now.

        Those of the flows that it calls are told behind them; they are set and removed where they stand.
        """
        self._is_filling = True
        current = _place_of(self.currentItem())
        self.clear()
        for place, is_on in sorted(self._breakpoints.all.items()):
            item = QListWidgetItem(place_words(flow, place), self)
            item.setData(Qt.ItemDataRole.UserRole, place)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
            is_call = bool(place_parts(place)[1])
            item.setToolTip(
                self.tr("Held here at each call. Untick to let it pass.")
                if is_call
                else self.tr("Held here before each step. Untick to let it pass.")
            )
            if place == current:
                self.setCurrentItem(item)
        for one, is_on, name in self._breakpoints.elsewhere(called):
            there = called[name]
            item = QListWidgetItem(f"{place_words(there, one.place)}, {there.name or name}", self)
            item.setFlags(Qt.ItemFlag.ItemIsSelectable)
            item.setToolTip(
                self.tr("Set in the flow “{flow}”, which this one calls; open that to change it.")
                if is_on
                else self.tr("Switched off in the flow “{flow}”, which this one calls.")
            )
            item.setToolTip(item.toolTip().format(flow=there.name or name))
        self._is_filling = False

    def remove_current(self) -> None:
        """Remove the breakpoint that the keyboard stands on."""
        place = _place_of(self.currentItem())
        if place:
            self._breakpoints.set(place, state=None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes."""
        if event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_current()
            return
        super().keyPressEvent(event)

    def _choose(self, item: QListWidgetItem) -> None:
        if _place_of(item):
            self.chosen.emit(_node_of(item))

    def _switch(self, item: QListWidgetItem) -> None:
        if not self._is_filling:
            self._breakpoints.set(_place_of(item), state=item.checkState() == Qt.CheckState.Checked)


def _place_of(item: QListWidgetItem | None) -> str:
    """The place of an item; empty for those of called flows."""
    return str(item.data(Qt.ItemDataRole.UserRole) or "") if item is not None else ""


def _node_of(item: QListWidgetItem) -> str:
    return place_parts(_place_of(item))[0]
