"""The pinned outputs of a flow: where each comes from, chosen to be seen, removed by a button or Delete."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from studio.app.documents.session import Session
from studio.flow.plain_text import excerpt
from studio.flow.records import title_of
from studio.ids import NodeId, StepId
from studio.trace.events.run import Pin
from studio.ui.viewmodels.words import count_words

LONGEST = 240
"""Characters of a pinned value in a tooltip."""


class PinList(QListWidget):
    """Lists what is pinned; `chosen` tells the node to show."""

    chosen = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setAccessibleName(self.tr("Pinned outputs"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._choose)

    def refresh(self) -> None:
        """Read the pins again, under the titles that nodes have now."""
        session, current = self._session, self.current_node
        wrong = session.pins.misfits(session.flow, session.registry)
        self.clear()
        for node, pin in sorted(session.pins.all.items()):
            item = QListWidgetItem(self._words(node, pin), self)
            item.setData(Qt.ItemDataRole.UserRole, str(node))
            values = "\n".join(f"{port}: {excerpt(one.data, LONGEST)}" for port, one in pin.values.items())
            reason = self.tr("No longer fits: {reason}.").format(reason=wrong.get(node, ""))
            item.setToolTip(f"{reason}\n{values}" if node in wrong else values)
            if node == current:
                self.setCurrentItem(item)

    @property
    def current_node(self) -> NodeId | None:
        """The node whose pin the keyboard stands on."""
        return _node_of(self.currentItem())

    def remove_current(self) -> None:
        """Unpin what the keyboard stands on."""
        if self.current_node is not None:
            self._session.pins.unpin([self.current_node])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete unpins."""
        if event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_current()
            return
        super().keyPressEvent(event)

    def _words(self, node: NodeId, pin: Pin) -> str:
        """Name a pin: `Writer, round 2`, `Critic, edited`."""
        flow = self._session.flow
        if pin.edited:
            return self.tr("{title}, edited").format(title=title_of(flow, node))
        where = count_words.place(flow, StepId(pin.step)) if pin.step else ""
        return f"{title_of(flow, node)}, {where}" if where else title_of(flow, node)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(_node_of(item) or "")


def _node_of(item: QListWidgetItem | None) -> NodeId | None:
    return NodeId(str(item.data(Qt.ItemDataRole.UserRole))) if item is not None else None
