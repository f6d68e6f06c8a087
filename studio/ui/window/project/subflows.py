"""Making a subflow of what is selected, and dissolving a call into its nodes."""

from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QWidget

from studio.app.documents.session import Session
from studio.app.documents.subflows import dissolve_call, make_subflow, suggest_title
from studio.errors import StepwireError
from studio.flow.ports import Structure
from studio.ids import NodeId
from studio.ui.panels.project_files import ProjectFilesPanel
from studio.ui.slots import of_text
from studio.ui.window.roles import Explains, HasFront


class Window(HasFront, Explains, Protocol):
    """What this asks of the window."""

    @property
    def files(self) -> ProjectFilesPanel:
        """The files of the project in front."""
        ...


class Subflows(QObject):
    """Acts for the window on the selection of the flow in front; says why nothing happened."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def turn(self) -> None:
        """Make a subflow of what is selected; of one call alone, put its nodes in its place."""
        if self.can_dissolve():
            self.dissolve()
        else:
            self.ask()

    def can_dissolve(self) -> bool:
        """Whether one call of a flow is all that is selected."""
        session = self._window.session
        node = session.selection.now.only_node if session is not None else None
        if session is None or node is None:
            return False
        signature = session.registry.signature(session.flow.nodes[node])
        return signature is not None and signature.structure is Structure.SUBFLOW

    def ask(self) -> None:
        """Ask what the subflow shall be called, unless the selection cannot become one."""
        front = self._window.front
        if front is None:
            return
        session = front.work.session
        nodes = frozenset(front.work.canvas.board.scene.bodies(session.selection.now.nodes))
        try:
            title = suggest_title(session, nodes)
        except StepwireError as error:
            self._window.say_briefly(error.message)
            return
        dialog = QInputDialog(self._parent)
        dialog.setWindowTitle(self.tr("Make a subflow"))
        dialog.setLabelText(self.tr("It becomes a flow of the project. What should it be called?"))
        dialog.setTextValue(title)
        dialog.setOkButtonText(self.tr("Create"))
        dialog.textValueSelected.connect(of_text(lambda text: self._make(session, nodes, text)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def dissolve(self) -> None:
        """Put the nodes of the called flow in the place of the one selected call."""
        session = self._window.session
        node = session.selection.now.only_node if session is not None else None
        if session is None or node is None:
            return
        try:
            dissolve_call(session, node)
        except StepwireError as error:
            self._window.say_briefly(error.message)

    def _make(self, session: Session, nodes: frozenset[NodeId], text: str) -> None:
        title = " ".join(text.split())
        if not title:
            return
        try:
            made = make_subflow(session, nodes, title)
        except StepwireError as error:
            self._window.say_briefly(str(error))
            return
        self._window.files.show_project(session.project, session.path)
        said = self.tr("“{title}” is now the flow `{name}`. Undo restores the nodes; the file stays.")
        self._window.say_briefly(said.format(title=title, name=made.name))
