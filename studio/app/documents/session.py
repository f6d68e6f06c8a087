"""One open flow: its file, its history, its problems, and what is selected in it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import cast

from studio.app.documents.breakpoints import Breakpoints
from studio.app.documents.history import History
from studio.app.documents.journal import Journal, Recovered
from studio.app.documents.journal_file import journal_folder
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.on_disk import OnDisk
from studio.app.documents.pins import PinnedOutputs
from studio.app.documents.selection import Selection
from studio.app.listeners import Listeners
from studio.errors import UsageError
from studio.flow.change import Change, difference
from studio.flow.checks.check import Problem, check
from studio.flow.layout.arrange import laid_out
from studio.flow.records import Flow, Json
from studio.flow.subflows.calls import calls_of, reachable
from studio.sdk.registry import Registry
from studio.workspace.files import base_of, save_flow
from studio.workspace.inputs import InputField, input_fields
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import Opened, ProjectFlows
from studio.workspace.stored_documents import Kept, Trouble

READ_ONLY = "This run came in a bundle, for reading. To change or run its flow, save it somewhere else."


class DiskChoice(StrEnum):
    """What can be done when a flow was changed here and on disk."""

    KEEP_MINE = "keep mine"
    """Save over the file; what it says now is kept as a version."""
    TAKE_THEIRS = "take theirs"
    """Read the file again; what was here can be had back with undo."""
    SAVE_AS = "save as"
    """Leave the file alone and save to another place."""


class ChangedOnDiskError(UsageError):
    """The file was changed by someone else since it was read; nothing was saved."""

    choices = tuple(DiskChoice)

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"`{path}` has changed on disk since it was opened.",
            hint="Overwrite it, load it from disk, or save somewhere else.",
        )
        self.path = path


class Session:
    """A flow while it is open. Give every edit to `history`; the rest follows."""

    def __init__(
        self,
        project: Project,
        path: Path,
        registry: Registry,
        on_trouble: Trouble | None = None,
        opened: Opened = lambda _: None,
    ) -> None:
        """Read the flow at `path`; `opened` gives flows that are open beside it. Raises `FlowFileError`."""
        self.project = project
        self.path = path
        self._flows = ProjectFlows(project, opened)
        self.registry = registry.with_flows(self._flows)
        loaded = read_flow(path)
        self.variant_of = loaded.of
        """The file beside its own of which its file has only what differs; empty where it has all."""
        self._on_disk = OnDisk.of(path)
        self.notices: Sequence[str] = (*loaded.notices, *([READ_ONLY] if project.is_bundle else ()))
        self.is_read_only = loaded.read_only or project.is_bundle
        self.history = History(self._laid_out(loaded.flow))
        self.selection = Selection()
        self.breakpoints = Breakpoints(project, self.name, on_trouble)
        self.pins = PinnedOutputs(project, self.name, on_trouble)
        self._on_trouble = on_trouble
        self._problems: tuple[Problem, ...] | None = None
        self._told: tuple[Problem, ...] | None = None
        self._problems_changed: Listeners[Sequence[Problem]] = Listeners()
        self._saved: Listeners[()] = Listeners()
        self._unsubscribe = self.history.on_change(self._follow)
        self._journal: Journal | None = None
        self._journals: JournalWriter | None = None
        self.recovered = Recovered()

    @staticmethod
    def open(
        path: Path,
        registry: Registry,
        on_trouble: Trouble | None = None,
        opened: Opened = lambda _: None,
    ) -> "Session":
        """Open a flow file, or the main flow of a project folder; raises `ProjectError`, `FlowFileError`."""
        project = Project.open(path)
        return Session(project, project.main_flow, registry, on_trouble, opened)

    def keep_journal(self, writer: JournalWriter) -> None:
        """Bring back what can be undone, and edits that were never saved; from now on, write both down.

        `recovered` tells then what else came back. A flow that is open for reading only has a journal once
        it is saved under another name.
        """
        self._journals = writer
        if self.is_read_only:
            return
        is_whole = not self.variant_of  # else the file has only what differs
        text = self._on_disk.text_of(self.path) if self._on_disk is not None and is_whole else ""
        self._journal = Journal(self.history, self._journal_folder(), writer, self._on_trouble, text)
        self.recovered = self._journal.recovered
        if self.recovered.changed_on_disk:
            self._on_disk = None  # whoever saves is asked which of the two is to stay

    def take_project(self, project: Project) -> None:
        """Know the same project with other chat profiles."""
        self.project = replace(
            self.project,
            profiles=project.profiles,
            default_profile=project.default_profile,
            is_folder=project.is_folder,
        )

    def _laid_out(self, flow: Flow) -> Flow:
        """The flow of a file with a place for its nodes, where it has none; a bundle shows what was run."""
        return flow if self.project.is_bundle else laid_out(flow, self.registry)

    @property
    def name(self) -> str:
        """The flow's path inside its project, by which the project's own files call it."""
        return self.project.name_of(self.path)

    @property
    def title(self) -> str:
        """What the flow is called on screen: its name, else its file's."""
        return self.flow.name or self.path.stem

    @property
    def flow(self) -> Flow:
        """The flow as it is now."""
        return self.history.flow

    @property
    def is_modified(self) -> bool:
        """Whether the flow differs from its file as this session knows it."""
        return self.history.is_modified

    @property
    def keeps_edits(self) -> bool:
        """Whether edits that are not saved come back when the flow is opened again."""
        return self._journal is not None and self._journal.is_kept

    @property
    def problems(self) -> Sequence[Problem]:
        """What `check` says of the flow as it is now; computed when first asked after an edit."""
        if self._problems is None:
            self._problems = tuple(check(self.flow, self.registry))
        return self._problems

    def on_problems(self, listener: Callable[[Sequence[Problem]], None]) -> Callable[[], None]:
        """Hear the problems when `refresh_problems` finds others; returns the function that ends it."""
        return self._problems_changed.subscribe(listener)

    def on_saved(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when the file and the flow have become one; returns the function that ends it."""
        return self._saved.subscribe(listener)

    def refresh_problems(self) -> None:
        """Compute the problems if an edit came in between, and tell listeners of new ones.

        Whoever shows them calls this when typing pauses.
        """
        problems = tuple(self.problems)
        if problems != self._told:
            self._told = problems
            self._problems_changed.tell(problems)

    def look_at_called_flows(self) -> None:
        """See whether someone else changed the flows that this one calls."""
        changed = self._flows.refresh()
        if changed:
            self.called_flows_changed(changed)

    def called_flows_changed(self, names: Collection[str]) -> None:
        """Read the nodes again that call these flows: they may have other ports now."""
        self._problems = None
        self.history.announce(calls_of(self.flow, self.registry, names))

    def called_flows(self) -> dict[str, Flow]:
        """The flows that a run may come to call, by name, as they are now."""
        return reachable(self.flow, self.registry)

    def has_changed_on_disk(self) -> bool:
        """Whether someone else changed the file since it was read or saved here.

        A file that is gone has not changed: saving puts it back.
        """
        known = self._on_disk
        with suppress(OSError):
            stat = self.path.stat()
            if known is not None and (stat.st_mtime_ns, stat.st_size) == (known.modified, known.size):
                return False
        now = OnDisk.of(self.path)
        if now is None:
            return False
        if known is not None and now.digest == known.digest:
            self._on_disk = now
            return False
        return True

    def save(self, *, over: bool = False) -> None:
        """Write the flow to its file.

        Raises `ChangedOnDiskError` when someone else changed it meanwhile, unless told to save `over` that;
        `UsageError` for a file of a newer version, `SaveError` when the disk refuses.
        """
        if self.project.is_bundle:
            raise UsageError(
                "This flow came with a run bundle, which is read-only.",
                hint="Save it under another name in a project of your own.",
            )
        if self.is_read_only:
            raise UsageError(
                f"`{self.path}` was written by a newer Stepwire and is read-only.",
                hint="Save it under another name; what this version does not know is lost there.",
            )
        if not over and self.has_changed_on_disk():
            raise ChangedOnDiskError(self.path)
        self._write(self.path)

    def save_as(self, path: Path) -> None:
        """Write the flow to another file, which is the session's own from then on."""
        target = path.expanduser().resolve()
        self._write(target)
        self.path = target
        self.project = Project.open(target)
        self.is_read_only = self.project.is_bundle
        self._flows.move_to(self.project)
        if self._journal is not None:
            self._journal.move_to(self._journal_folder())
        elif self._journals is not None:
            self._journal = Journal(
                self.history, self._journal_folder(), self._journals, self._on_trouble, is_new=True
            )
        self.breakpoints.move_to(self.project, self.name)
        self.pins.move_to(self.project, self.name)

    def reload(self, label: str = "Reload from disk") -> None:
        """Take what is on disk instead, as an edit that can be undone; raises `FlowFileError`.

        One that takes back what the last one of the same label did leaves neither.
        """
        loaded = read_flow(self.path)
        self.variant_of = loaded.of
        self._on_disk = OnDisk.of(self.path)
        self.notices, self.is_read_only = loaded.notices, loaded.read_only or self.project.is_bundle
        self.history.do(difference(self.flow, self._laid_out(loaded.flow), label), merge=True)
        self.history.mark_saved()
        self._saved.tell()

    def discard(self) -> None:
        """Go back to what was saved, as an edit that can be undone, also when the flow is opened again."""
        if not self.is_modified:
            return
        self.history.do(difference(self.flow, self.history.saved, "Discard unsaved edits"))
        self.history.mark_saved()
        self._saved.tell()

    def input_fields(self) -> list[InputField]:
        """What the flow asks for before it runs, with what was given last time."""
        return input_fields(self.flow, self.registry, self._last_inputs())

    def keep_inputs(self, values: Mapping[str, Json]) -> None:
        """Remember what a run was given, for the next time."""
        kept = self._kept_inputs()
        kept.write({**kept.read(), self.name: dict(values)})

    def keep_some_inputs(self, values: Mapping[str, Json]) -> None:
        """Remember what a run was given at some inputs; the others stay as they are remembered."""
        self.keep_inputs({**self._last_inputs(), **values})

    def close(self) -> None:
        """Stop listening; nothing is saved, but what is not comes back when the flow is opened again."""
        self._unsubscribe()
        if self._journal is not None:
            self._journal.close()

    def _journal_folder(self) -> Path:
        return journal_folder(self.project.root, self.name)

    def _follow(self, change: Change) -> None:
        self.selection.keep(self.flow)
        if change.touches_logic:
            self._problems = None
            self.breakpoints.follow(change)
            self.pins.follow(change)

    def _write(self, path: Path) -> None:
        if self._journal is not None:
            self._journal.flush()  # no file is newer than its journal
        self._on_disk = OnDisk.of(path, save_flow(path, self.flow))
        self.variant_of = base_of(path)
        self.history.mark_saved()
        self._saved.tell()

    def _last_inputs(self) -> Mapping[str, Json]:
        found = self._kept_inputs().read().get(self.name)
        return cast("Mapping[str, Json]", found) if isinstance(found, dict) else {}

    def _kept_inputs(self) -> Kept:
        return Kept(self.project.private / "inputs.json", self._on_trouble)
