"""What parts of the window ask of the whole: small protocols, of which each part takes those that it needs.

A part names them together as its `Window`. The main window has them all; no part knows more of it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studio.app.compose import Application
    from studio.app.documents.session import Session
    from studio.ui.look import Look
    from studio.ui.panels.widgets.notice import NoticeBar
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.runs.run_controls import RunControls
    from studio.workspace.project import Project


class HasApp(Protocol):
    """Lends the application."""

    @property
    def app(self) -> "Application":
        """What the window is composed on."""
        ...


class HasLook(Protocol):
    """Lends colours, lengths and icons."""

    @property
    def look(self) -> "Look":
        """How the window looks."""
        ...


class HasFront(Protocol):
    """Says which flow is in front."""

    @property
    def front(self) -> "OpenFlow | None":
        """The flow in front, with its widgets."""
        ...

    @property
    def session(self) -> "Session | None":
        """The flow in front."""
        ...


def has_flow(window: HasFront) -> bool:
    """Whether a flow is open."""
    return window.front is not None


def has_selection(window: HasFront) -> bool:
    """Whether a node is selected."""
    return window.session is not None and bool(window.session.selection.now.nodes)


class HasFlows(HasFront, Protocol):
    """Opens and closes flows."""

    def show_session(self, session: "Session") -> None:
        """Bring a flow to the front, opening it first where it is new."""
        ...

    def drop(self, session: "Session") -> None:
        """Close a flow without asking."""
        ...


class Notifies(Protocol):
    """Lends the strip of notices."""

    @property
    def notices(self) -> "NoticeBar":
        """Says what went wrong, with the buttons that mend it."""
        ...


class Explains(Protocol):
    """Says what goes by itself."""

    def say_briefly(self, text: str) -> None:
        """Say what only explains."""
        ...


class Opens(Protocol):
    """Opens files."""

    def new(self) -> None:
        """Ask where an empty flow shall be, and open it."""
        ...

    def open(self, path: Path) -> None:
        """Open a flow, a project, or the bundle of a run."""
        ...

    def preview_file(self, path: Path) -> None:
        """Show a file of the project, to read."""
        ...

    def show_script(self) -> None:
        """Show the script, or why there is none."""
        ...


class HasDocuments(Protocol):
    """Lends what opens files."""

    @property
    def documents(self) -> Opens:
        """Opens flows, projects and files."""
        ...


class Refreshes(Protocol):
    """Has the window read anew what may have changed."""

    def refresh_later(self) -> None:
        """Have titles, menus and buttons say what is true, once all is done."""
        ...

    def show_profiles(self, project: "Project") -> None:
        """Offer the chat profiles that a project has now, in each of its flows."""
        ...


class ActsOnRuns(Protocol):
    """Acts on the run of the flow in front."""

    def with_controls(self, act: "Callable[[RunControls], None]") -> None:
        """Do something to the run of the flow in front."""
        ...


class ShowsRuns(Protocol):
    """Lists the runs of the project in front, and shows one."""

    @property
    def acts(self) -> ActsOnRuns:
        """Acts on the run of the flow in front."""
        ...

    def list_runs(self) -> None:
        """List the runs that the project has now."""
        ...
