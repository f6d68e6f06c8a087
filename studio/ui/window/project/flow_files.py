"""What is done to flows as files, and undo of everything: of edits and of these, whichever came last."""

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QWidget

from studio.app.documents.history import History
from studio.app.documents.session import Session
from studio.app.projects.file_changes import FileChange, FileChanges
from studio.app.projects.flow_files import (
    callers_of,
    create_flow,
    create_variant,
    delete_flow,
    duplicate_flow,
    rename_flow,
    variants_of,
)
from studio.errors import StepwireError, UsageError
from studio.flow.records import Flow
from studio.ui.panels.project_files import ProjectFilesPanel
from studio.ui.panels.widgets.notice import Remedy
from studio.ui.slots import of_text
from studio.ui.window.roles import Explains, HasApp, HasDocuments, HasFlows, Notifies, Refreshes
from studio.ui.window.tabs.tab_side import Document
from studio.workspace.problems import read_flow
from studio.workspace.project import FILE, Project

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

T = TypeVar("T")

CHANGE_MATTER = "change"


class FindsFlows(Protocol):
    """Finds open flows, and says what is in front of them."""

    @property
    def shown(self) -> Document | None:
        """The document in front."""
        ...

    def flow_of(self, session: Session) -> "OpenFlow | None":
        """The widgets of an open flow."""
        ...


class FollowsFiles(Protocol):
    """Hears of files that were changed."""

    def follow(self, root: Path, files: Collection[str]) -> None:
        """Show anew what a change of a project's files did."""
        ...


class Window(HasApp, HasFlows, HasDocuments, Notifies, Explains, Refreshes, Protocol):
    """What this asks of the window."""

    @property
    def tabs(self) -> FindsFlows:
        """The open flows."""
        ...

    @property
    def files(self) -> ProjectFilesPanel:
        """The files of the project in front."""
        ...

    @property
    def experiments(self) -> FollowsFiles:
        """The experiments of open projects."""
        ...


class FlowFiles(QObject):
    """Acts on the files of the project in front; each act is a change, and says how it is taken back."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self._known: dict[Path, FileChanges] = {}
        self._root: Path | None = None
        self._undone: list[History | FileChanges] = []
        self._reopened: set[str] = set()
        self._is_taking_back = False

    def changes(self, project: Project) -> FileChanges:
        """The changes in a project, which the window follows from now on."""
        self._root = project.root
        found = self._known.get(project.root)
        if found is None:
            found = self._known[project.root] = FileChanges(project.root, self._window.app.notify)
            found.on_beginning(partial(self._prepare, project.root))
            found.on_change(partial(self._follow, project.root))
        return found

    # ---------------------------------------------------------------- acts

    def act(self, name: str, path: Path) -> None:
        """Do what a row of the Files panel was asked: `delete`, `rename`, `duplicate`, `variant` or `new`."""
        acts: dict[str, Callable[[Path], None]] = {
            "delete": self.delete,
            "rename": self.ask_name,
            "duplicate": self.duplicate,
            "variant": self.vary,
        }
        if name in acts:
            acts[name](path)
        else:
            self._window.documents.new()

    def act_on_front(self, name: str) -> None:
        """The same for the flow in front."""
        if self._window.session is not None:
            self.act(name, self._window.session.path)

    def delete(self, path: Path) -> None:
        """Delete a flow, and offer to take that back."""
        project = self._project(path)
        if project is None:
            return
        callers = self._given(lambda: callers_of(project, path, self._window.app.registry)) or []
        said = self.tr("`{name}` was deleted.").format(name=project.name_of(path))
        if callers:
            names = ", ".join(f"`{name}`" for name in callers)
            said += " " + self.tr("These flows still call it: {names}.").format(names=names)
        if variants := self._given(lambda: variants_of(project, path)):
            names = ", ".join(f"`{name}`" for name in variants)
            said += " " + self.tr("These are variants of it and cannot open: {names}.").format(names=names)
        self._do(project, lambda: delete_flow(project, path), said)

    def create(self, path: Path) -> None:
        """Make an empty flow and open it; in the project in front, as a change. Raises `StepwireError`."""
        session = self._window.session
        project = session.project if session is not None else None
        if project is not None and project.is_folder and path.resolve().is_relative_to(project.root):
            self.changes(project).do(create_flow(project, path.resolve()))
        else:
            self._window.show_session(self._window.app.create(path))

    def duplicate(self, path: Path) -> None:
        """Put a copy beside a flow, and open it."""
        project = self._project(path)
        if project is not None:
            self._do(project, lambda: duplicate_flow(project, path, self._flow(path)))

    def vary(self, path: Path) -> None:
        """Put a variant beside a flow, and open it."""
        project = self._project(path)
        if project is not None:
            self._do(project, lambda: create_variant(project, path, read_flow(path).flow))

    def ask_name(self, path: Path) -> None:
        """Ask how a flow's file shall be called."""
        project = self._project(path)
        if project is None:
            return
        dialog = QInputDialog(self._parent)
        dialog.setWindowTitle(self.tr("Rename flow"))
        dialog.setLabelText(self.tr("New file name; flows that call it are updated."))
        dialog.setTextValue(project.name_of(path).removesuffix(".json"))
        dialog.textValueSelected.connect(of_text(lambda name: self.rename(path, name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def rename(self, path: Path, name: str) -> None:
        """Give a flow's file another name."""
        project = self._project(path)
        if project is not None and name.removesuffix(".json") != project.name_of(path).removesuffix(".json"):
            self._do(project, lambda: rename_flow(project, path, name, self._window.app.registry))

    def project_text(self, project: Project) -> str | None:
        """What `project.json` says; None where there is none."""
        try:
            return (project.root / FILE).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def note_project_text(self, project: Project, before: str | None, label: str) -> str | None:
        """Have a change of `project.json` that was made be one that can be undone; gives what it says now."""
        after = self.project_text(project)
        if after != before:
            self.changes(project).note(FileChange(label, {FILE: (before, after)}))
        return after

    # ---------------------------------------------------------------- undo of everything

    def can_undo(self) -> bool:
        """Whether anything can be taken back."""
        return self._last() is not None

    def can_redo(self) -> bool:
        """Whether anything taken back can be done again."""
        return self._next() is not None

    def undo(self) -> None:
        """Take back what was done last, to the flow in front or to the files of the project.

        What the files do not allow to be taken back any more is no obstacle to what was done before it,
        nor is what was done to other flows: that is offered once nothing of this flow is left.
        """
        last = self._last()
        if isinstance(last, FileChanges):
            history, _ = self._pasts()
            refusal = last.refusal(last.position - 1)
            if refusal and history is not None and history.position:
                self._window.say_briefly(refusal)
                last = history
            elif self._follows_edits(last) or self._is_of_other_flows(last):
                if history is None or not history.position:
                    self._offer(last)
                    return
                last = history
        if last is not None:
            self._undone.append(last)
            self._turn(last, -1)

    def _follows_edits(self, changes: FileChanges) -> bool:
        """Whether edits were just taken back, and a change of profiles or prices comes before them.

        Who goes back through what was drawn does not mean that: it belongs to the whole project.
        """
        self._next()
        is_of_project = set(changes.steps[changes.position - 1].files) == {FILE}
        return is_of_project and bool(self._undone) and isinstance(self._undone[-1], History)

    def _is_of_other_flows(self, changes: FileChanges) -> bool:
        """Whether taking back the last change would remove or change another flow than the one in front."""
        session = self._window.session
        if session is None:
            return False
        undone = changes.steps[changes.position - 1].inverted()
        shown = self._window.tabs.shown
        if shown is not None and shown.kind == "experiments" and _are_experiments(undone):
            return False
        lost = {name for name, (before, _) in undone.files.items() if before is not None} - {FILE}
        return bool(lost) and session.name not in lost

    def _offer(self, changes: FileChanges) -> None:
        """Say that a change beyond this flow comes next, and offer to take it back as well."""
        change = changes.steps[changes.position - 1]
        said = self.tr("All edits of the flow are undone. Before them: {label}").format(label=change.label)
        undo = Remedy(self.tr("Undo that too"), lambda: self._take_back(changes, change))
        self._window.notices.say(said, undo, tone="skipped", key=CHANGE_MATTER)

    def redo(self) -> None:
        """Do again what was taken back last."""
        following = self._next()
        if following is not None:
            if self._undone and self._undone[-1] is following:
                self._undone.pop()
            self._turn(following, 1)

    def _turn(self, past: History | FileChanges, by: int) -> None:
        if isinstance(past, History):
            past.jump(past.position + by)
            return
        label = past.steps[past.position + min(by, 0)].label
        self.jump(past, past.position + by)
        if not self._window.notices.text:
            words = self.tr("Undone: {label}") if by < 0 else self.tr("Redone: {label}")
            self._window.say_briefly(words.format(label=label))

    def jump(self, changes: FileChanges, position: int) -> None:
        """Undo or redo changes until so many are done, or say why not."""
        self._window.notices.settle(CHANGE_MATTER)  # what was said of the last change is true no more
        self._is_taking_back = position < changes.position
        self._given(lambda: changes.jump(position))
        self._is_taking_back = False
        self._window.refresh_later()

    def _pasts(self) -> tuple[History | None, FileChanges | None]:
        session = self._window.session
        if session is not None:
            return session.history, self.changes(session.project)
        return None, self._known.get(self._root) if self._root is not None else None

    def _last(self) -> History | FileChanges | None:
        history, changes = self._pasts()
        edited = history.last_at if history is not None else 0.0
        done = changes.last_at if changes is not None else 0.0
        return (changes if done > edited else history) if done or edited else None

    def _next(self) -> History | FileChanges | None:
        able = [past for past in self._pasts() if past is not None and past.position < len(past.steps)]
        while self._undone and self._undone[-1] not in able:
            self._undone.pop()
        return self._undone[-1] if self._undone else able[0] if able else None

    # ---------------------------------------------------------------- what follows from a change

    def _prepare(self, root: Path, change: FileChange) -> None:
        """Close the flows that go; raises `UsageError` where that can't be just now."""
        going: list[Session] = []
        for session in self._window.app.sessions:
            if root != session.project.root or session.name not in change.files:
                continue
            if session.name in change.removed:
                flow = self._window.tabs.flow_of(session)
                if flow is not None and flow.controls.live is not None:
                    raise UsageError(f"`{session.name}` is running.", hint="Stop it first.")
                if self._is_taking_back and session.is_modified and change.renamed is None:
                    hint = "It was not taken away. To be rid of it, delete it under Files."
                    raise UsageError(f"`{session.name}` has unsaved edits.", hint=hint)
                going.append(session)
            elif session.is_modified:
                hint = "Save it first, because it will be changed too."
                raise UsageError(f"`{session.name}` has unsaved edits.", hint=hint)
        for session in going:
            self._reopened.add(session.name)
            self._window.drop(session)

    def _follow(self, root: Path, change: FileChange) -> None:
        """Show what is there now."""
        for session in [one for one in self._window.app.sessions if one.project.root == root]:
            before, after = change.files.get(session.name, (None, None))
            if before is not None and after is not None:
                self._given(lambda session=session: session.reload(change.label))
        if FILE in change.files:
            self._follow_project(root)
        was_open = change.renamed is None or change.renamed[0] in self._reopened
        for name in change.added if was_open and not _are_experiments(change) else ():
            self._window.documents.open(root / name)
        self._window.experiments.follow(root, change.files)
        self._reopened.difference_update(change.removed)
        self._window.files.refresh()
        self._window.refresh_later()

    def _follow_project(self, root: Path) -> None:
        project = self._given(lambda: Project.open(root))
        if project is not None:
            self._window.app.take_profiles(project)
            self._window.show_profiles(project)

    # ---------------------------------------------------------------- doing

    def _do(self, project: Project, make: Callable[[], FileChange], said: str = "") -> None:
        changes = self.changes(project)

        def act() -> bool:
            changes.do(make())
            return True

        if self._given(act):
            change = changes.steps[changes.position - 1]
            undo = Remedy(self.tr("Undo"), lambda: self._take_back(changes, change))
            self._window.notices.say(said or f"{change.label}.", undo, tone="skipped", key=CHANGE_MATTER)

    def _take_back(self, changes: FileChanges, change: FileChange) -> None:
        if change in changes.steps[: changes.position]:
            self.jump(changes, changes.steps.index(change))

    def _project(self, path: Path) -> Project | None:
        session = self._window.session
        return session.project if session is not None else self._given(lambda: Project.open(path))

    def _flow(self, path: Path) -> Flow:
        session = next((one for one in self._window.app.sessions if one.path == path), None)
        return session.flow if session is not None else read_flow(path).flow

    def _given(self, act: Callable[[], T]) -> T | None:
        try:
            return act()
        except StepwireError as error:
            self._window.notices.say(str(error), key=CHANGE_MATTER)
            return None


def _are_experiments(change: FileChange) -> bool:
    """Whether a change is of experiments, which stand in a document of their own."""
    from studio.experiments.files import FOLDER

    return all(Path(name).parent.name == FOLDER for name in change.files)
