"""Edits of an exported script, applied to the flow in front: asks for the script, shows what differs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio.app.documents.session import Session
from studio.ui.dialogs import Wanted, file_dialog
from studio.ui.slots import of_text
from studio.ui.window.background import Aside
from studio.ui.window.roles import Explains, HasApp, HasFlows, HasLook, Notifies
from studio.workspace.project import Project

if TYPE_CHECKING:
    from studio.app.scripts.edits.edits import Edit
    from studio.app.scripts.edits.offers import Compared

APPLY_MATTER = "apply"
"""The key of notices about edits of scripts."""


class Window(HasApp, HasFlows, HasLook, Notifies, Explains, Protocol):
    """What this asks of the window."""


class ScriptEditing(QObject):
    """Compares a script with the flow in front on a thread, and offers what it has otherwise."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._aside = Aside(self)

    @property
    def can_ask(self) -> bool:
        """Whether there is a flow that can be edited."""
        session = self._window.session
        return session is not None and not session.is_read_only

    def ask(self) -> None:
        """Ask for a script, beginning where the flow in front would be exported to."""
        session = self._window.session
        if session is None or not self.can_ask:
            return
        place = session.path.with_suffix(".py")
        start = place if place.is_file() else session.path.parent
        dialog = file_dialog(self._parent, self.tr("Apply edits from a Python script"), start, Wanted.FILE)
        dialog.setNameFilters([self.tr("Python scripts (*.py)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(of_text(lambda path: self.open(Path(path))))
        dialog.open()

    def open(self, script: Path) -> None:
        """Compare a script with the flow in front, and show what differs."""
        session = self._window.session
        if session is None:
            return
        from studio.app.scripts.edits.offers import compare_file  # with all that reads scripts

        flow, called = session.flow, session.called_flows()
        project, registry, name = session.project, session.registry, session.name
        self._aside.begin(
            lambda: compare_file(script, project, flow, called, registry, name=name),
            partial(self._offer, session, script),
        )

    def _offer(self, session: Session, script: Path, found: "Compared | Exception") -> None:
        if session not in self._window.app.sessions:  # it was closed meanwhile
            return
        if isinstance(found, Exception):
            self._window.notices.say(str(found), key=APPLY_MATTER)
            return
        self._window.notices.settle(APPLY_MATTER)
        from studio.app.scripts.edits.words import consequences
        from studio.ui.window.scripts.script_sheet import ScriptSheet

        flows = {**session.called_flows(), "": session.flow}

        def follows(some: "Sequence[Edit]") -> list[str]:
            wires, errors = consequences(some, flows, session.registry)
            return [*wires, *errors]

        about = self._about(session, script, found)
        sheet = ScriptSheet(self._window.look, about, found.found, follows, self._parent)

        def take(chosen: object) -> None:
            self._apply(session, cast("Sequence[Edit]", chosen))

        sheet.chosen.connect(take)
        sheet.open()

    def _about(self, session: Session, script: Path, found: "Compared") -> str:
        said = [self.tr("Differences between {script} and “{title}”.")]
        if found.source and found.source != session.name:
            said.append(self.tr("The script was exported from another flow, {source}."))
        if found.edited:
            said.append(self.tr("The flow was edited since the export; its own edits are kept."))
        words = {"script": script.name, "title": session.title, "source": found.source}
        return " ".join(one.format(**words) for one in said)

    def _apply(self, session: Session, chosen: "Sequence[Edit]") -> None:
        """Do the edits of each flow as one edit of it; flows that are called are opened for theirs."""
        from studio.app.scripts.edits.edits import change_of

        others: list[str] = []
        for name in dict.fromkeys(one.flow for one in chosen):
            edited = self._session_of(session.project, name) if name else session
            change = change_of([one for one in chosen if one.flow == name], edited.flow, edited.registry)
            if change.is_empty:
                continue
            edited.history.do(change)
            edited.refresh_problems()
            others += [name] if name else []
        self._window.show_session(session)
        if others:
            said = self.tr("Edits were also applied to {flows}; save them to keep them.")
            self._window.say_briefly(said.format(flows=", ".join(others)))

    def _session_of(self, project: Project, name: str) -> Session:
        session = self._window.app.open(project.place_of(name))
        self._window.show_session(session)
        return session
