"""A project from elsewhere is viewed and edited freely; what it executes is approved before it runs."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio.errors import StepwireError
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.window.roles import HasApp, HasLook, Notifies
from studio.workspace.trust import UnapprovedError, executables_of, refusal

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.tabs.flow_tabs import FlowTabs

TRUST_MATTER = "trust"


class Window(HasApp, HasLook, Notifies, Protocol):
    """What this asks of the window."""

    @property
    def tabs(self) -> "FlowTabs":
        """The open documents."""
        ...


class ProjectTrust(QObject):
    """Says of an open flow that it is restricted, and asks before it runs."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent

    def greet(self, flow: "OpenFlow") -> None:
        """Say in the flow that just opened that it may not run yet, where that is so."""
        error = self._unapproved(flow)
        if error is None:
            flow.notices.settle(TRUST_MATTER)
            return
        flow.notices.say(
            self.tr(
                "Restricted: this project was not made on this computer. View and edit it as you like; "
                "before it runs, approve what it executes."
            ),
            Remedy(self.tr("Review…"), lambda: self._review(flow)),
            tone="held",
            key=TRUST_MATTER,
        )

    def ask(self, error: UnapprovedError, again: Callable[[], None] | None = None) -> None:
        """Show what nobody has approved; `again` begins the run that was refused for it."""
        from studio.ui.window.project.trust_dialog import TrustDialog

        dialog = TrustDialog(self._window.look, error, self._parent, runs_then=again is not None)
        dialog.finished.connect(dialog.deleteLater)

        def approve() -> None:
            try:
                error.approve()
            except StepwireError as trouble:
                self._window.notices.say(str(trouble), key=TRUST_MATTER)
                return
            for flow in self._window.tabs.flows:
                self.greet(flow)
            if again is not None:
                again()

        dialog.approved.connect(approve)
        dialog.open()

    def _review(self, flow: "OpenFlow") -> None:
        error = self._unapproved(flow)
        if error is not None:
            self.ask(error)

    def _unapproved(self, flow: "OpenFlow") -> UnapprovedError | None:
        """What of the flow's project nobody has approved, as it is on disk and edited; None where all is."""
        session = flow.work.session
        if session.project.is_bundle:  # which is only looked at
            return None
        find = partial(executables_of, session.project, session.registry)
        return refusal(self._window.app.trust, session.project, find)
