"""The forms in which experiments are made and edited, and the files that come of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtWidgets import QWidget

from studio.errors import StepwireError
from studio.ui.window.roles import HasApp, HasLook, Notifies

if TYPE_CHECKING:
    from studio.app.projects.file_changes import FileChanges
    from studio.experiments.experiment import Experiment
    from studio.flow.records import Flow
    from studio.ui.window.open_flow import OpenFlow
    from studio.workspace.project import Project

MATTER = "experiment"
"""The key of notices about experiments."""


class ChangesFiles(Protocol):
    """Lends what was done to the files of a project."""

    def changes(self, project: "Project") -> "FileChanges":
        """The changes in a project, to which more can be added."""
        ...


class Window(HasApp, HasLook, Notifies, Protocol):
    """What this asks of the window."""

    @property
    def flow_files(self) -> ChangesFiles:
        """Does things to files so that they can be undone."""
        ...


class ExperimentForms:
    """Asks in a dialog; what is written is a change of files, and `written` hears of which experiment."""

    def __init__(self, window: Window, written: Callable[["OpenFlow", str], None], parent: QWidget) -> None:
        self._window, self._written, self._parent = window, written, parent

    def ask_new(self, front: "OpenFlow") -> None:
        """Ask for a new experiment of a flow, as it is edited now."""
        session = front.work.session
        self._ask(front, session.flow, session.path.relative_to(session.project.root).as_posix())

    def edit(self, front: "OpenFlow", path: Path) -> None:
        """Show the experiment of a file; its inputs are those of the flow that others are compared with."""
        from studio.experiments.files import read_experiment
        from studio.workspace.problems import read_flow

        project = front.work.session.project
        try:
            experiment, text = read_experiment(path)
            tried = experiment.tried.get(experiment.compared_with)
            name = (tried.flow if tried is not None else "") or project.name_of(project.main_flow)
            flow = read_flow(project.root / name).flow
        except StepwireError as error:
            self._window.notices.say(str(error), key=MATTER)
            return
        self._ask(front, flow, name, (path.stem, experiment, text))

    def _ask(
        self, front: "OpenFlow", flow: "Flow", path: str, file: "tuple[str, Experiment, str] | None" = None
    ) -> None:
        from studio.experiments.variants import output_names
        from studio.ui.panels.experiments.experiment_form import ExperimentForm, Offered
        from studio.workspace.profiles import profile_names

        session = front.work.session
        project = session.project
        offered = Offered(
            project,
            session.registry,
            flow,
            path,
            output_names(flow, session.registry),
            [one.relative_to(project.root).as_posix() for one in project.flows],
            profile_names(project),
            self._window.app.environ,
            file[1] if file is not None else None,
        )
        dialog = ExperimentForm(self._window.look, offered, self._parent)
        name, text = (file[0], file[2]) if file is not None else ("", "")
        dialog.wanted.connect(partial(self._write, front, dialog, name, text))
        dialog.open()

    def _write(self, flow: "OpenFlow", dialog: Any, name: str, text: str, draft: Any) -> None:  # made late
        """Write the file of a draft; `text` is what it says now, empty for a new one."""
        from studio.app.experiments.drafts import creation, revision

        project, environ = flow.work.session.project, self._window.app.environ
        try:
            if text:
                change = revision(project, name, text, draft, environ)
            else:
                name, change = creation(project, draft, environ)
            if change is not None:
                self._window.flow_files.changes(project).do(change)
        except StepwireError as error:
            dialog.say(str(error))
            return
        dialog.accept()
        self._written(flow, name)
