"""Asking for another id of a node."""

from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QWidget

from studio.app.documents.node_rename import rename_node
from studio.app.documents.session import Session
from studio.errors import StepwireError
from studio.ids import NodeId
from studio.ui.slots import of_text
from studio.ui.window.project.closed_flows import borrowing
from studio.ui.window.roles import Explains, HasApp, HasFront


class Window(HasApp, HasFront, Explains, Protocol):
    """What this asks of the window."""


class NodeRename(QObject):
    """Acts on the one selected node of the flow in front."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def can_ask(self) -> bool:
        """Whether one node is selected."""
        session = self._window.session
        return session is not None and session.selection.now.only_node is not None

    def ask(self) -> None:
        """Ask for the id; what it is now stands there."""
        session = self._window.session
        node = session.selection.now.only_node if session is not None else None
        if session is None or node is None:
            return
        dialog = QInputDialog(self._parent)
        dialog.setWindowTitle(self.tr("Change node id"))
        dialog.setLabelText(
            self.tr("Files, scripts and calls refer to the node by its id; its title stays the same.")
        )
        dialog.setTextValue(node)
        dialog.textValueSelected.connect(of_text(lambda text: self._rename(session, node, text.strip())))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _rename(self, session: Session, node: NodeId, name: str) -> None:
        app = self._window.app
        try:
            done = rename_node(session, node, NodeId(name), borrowing(app), app.close_session)
        except StepwireError as error:
            self._window.say_briefly(error.message)
            return
        if done.callers or done.refused:
            said = self.tr("Also renamed in the calls of {flows}.").format(flows=", ".join(done.callers))
            self._window.say_briefly(" ".join((said if done.callers else "", *done.refused)).strip())
