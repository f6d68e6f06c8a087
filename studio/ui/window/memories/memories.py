"""Memories in the window: those of the project and of the shown run, looked at, searched and edited."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer

from studio.app.memories.project_memories import ProjectMemories, ProjectMemory
from studio.app.memories.run_memories import (
    embedded_by,
    is_changed,
    recalls_of,
    run_items,
    unsaved_in,
    written_by,
)
from studio.flow.records import title_of
from studio.ids import NodeId, StepId
from studio.sdk.items import Item
from studio.trace.events import Event
from studio.trace.events.memories import MemoryOpened, MemoryUnsaved
from studio.trace.fold.state import RunState
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_text
from studio.ui.viewmodels.memories.memory_facts import ItemFacts, items_near, what_worked
from studio.ui.viewmodels.memories.memory_rows import MemoryRow
from studio.ui.viewmodels.run.shown_run import Batch
from studio.ui.viewmodels.words import count_words
from studio.ui.window.background import Aside
from studio.ui.window.memories.memory_edits import MEMORY_MATTER, MemoryEdits
from studio.ui.window.workspace import Workspace

LOOK = 1_000
"""Milliseconds between two looks at the files of the project, which runs and others change."""
SOON = 100
"""Milliseconds after something happened in the shown run before it is shown."""
MOST_RECALLS = 50

PLACES = ("run", "project")
"""Where a memory is looked for that is to be shown; what the run has of it comes first."""

T = TypeVar("T")


class Memories(QObject):
    """Fills the panel of one open flow, and does what is asked there."""

    def __init__(self, workspace: Workspace, notices: NoticeBar) -> None:
        super().__init__(workspace)
        self._work, self._notices = workspace, notices
        self._panel = workspace.memories
        self._aside = Aside(self)
        self._project = ProjectMemories(workspace.session.project)
        self._stored: Sequence[ProjectMemory] = ()
        self._seen: object = None
        self._wanted = ("", "")
        self._places: Sequence[str] = PLACES
        self._items: Sequence[Item] = ()
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self._show_run)
        self._looking = QTimer(self, interval=LOOK)
        self._looking.timeout.connect(self.look)
        self._looking.start()
        panel = self._panel
        panel.memory_chosen.connect(self._show_items)
        panel.item_chosen.connect(self._show_facts)
        panel.step_chosen.connect(workspace.show_step)
        panel.asked.connect(of_text(self.act))
        self.edits = MemoryEdits(workspace, self._project, notices)
        self.edits.changed.connect(self._look_anew)
        self.edits.written.connect(self._want)
        panel.came_up.connect(self.look)
        workspace.inspector.values.memory_asked.connect(self.show_item)
        workspace.memory_asked.connect(of_text(lambda node: self.show_node(NodeId(node))))
        self._end = workspace.shown.on_batch(self._hear)

    def close(self) -> None:
        """Stop listening."""
        self._end()
        self._looking.stop()
        self._soon.stop()

    @property
    def can_take(self) -> bool:
        """Whether the shown run remembered something that the project does not know."""
        row = self._panel.row
        return row is not None and row.place == "run" and row.help != ""

    @property
    def can_show_selected(self) -> bool:
        """Whether the one selected node lends a memory."""
        node = self._work.session.selection.now.only_node
        return node is not None and self._work.lends_memory(node)

    def act(self, name: str) -> None:
        """Do what was asked in the panel; `help` is what its button says."""
        row = self._panel.row
        if row is not None:
            helps = "take" if row.place == "run" else "mend"
            item = self._panel.table.current()
            self.edits.act(helps if name == "help" else name, row, item, self._items)

    def take(self) -> None:
        """Let the project remember what the shown run did."""
        if self.can_take:
            self.act("help")

    def show_selected(self) -> None:
        """Show the memory of the selected node."""
        node = self._work.session.selection.now.only_node
        if node is not None:
            self.show_node(node)

    def look(self) -> None:
        """See whether the files of the project have changed, while anybody sees the panel."""
        if not self._panel.isVisible():
            return
        seen = self._project.signature()
        if seen != self._seen:
            self._seen = seen
            self._aside.begin(self._project.all, self._take_list)
        elif self._soon.isActive() is False and not self._panel.shown:
            self._show_run()

    def _look_anew(self) -> None:
        self._seen = None
        self.look()

    def _want(self, memory: str, item: str) -> None:
        """Show what somebody wrote where it was written: the run has not got it."""
        self._wanted, self._places = (memory, item), ("project",)

    def show_node(self, node: NodeId) -> None:
        """Show the memory that a node lends: that of the shown run, or of the project."""
        record = self._work.session.flow.nodes.get(node)
        if record is None:
            return
        self.show_item(str(record.settings.get("name") or "") or str(node))

    def show_item(self, memory: str, item: str = "") -> None:
        """Show a memory by its name, and an item of it."""
        self._work.raise_asked.emit("memories")
        self._wanted, self._places = (memory, item), PLACES
        self.look()
        self._choose_wanted()

    def _choose_wanted(self) -> None:
        name, item = self._wanted
        if name and any(self._panel.choose(f"{place}/{name}", item) for place in self._places):
            self._wanted = ("", "")

    def _hear(self, batch: Batch) -> None:
        run = self._work.shown.run
        for entry in batch.entries if run is not None and not run.is_over else ():
            self._tell_trouble(entry.event)
        if not batch.is_behind and not self._soon.isActive():
            self._soon.start()

    def _tell_trouble(self, event: Event) -> None:
        """Say at once what is wrong with the file of a memory that a run uses."""
        match event:
            case MemoryOpened(memory=name, trouble=said) | MemoryUnsaved(memory=name, reason=said) if said:
                show = Remedy(self.tr("Show the memory"), lambda: self.show_item(name))
                self._notices.say(said, show, tone="held", key=MEMORY_MATTER)
            case _:
                pass

    def _take_list(self, found: list[ProjectMemory] | Exception) -> None:
        if isinstance(found, Exception):
            self.edits.tell(found)
            return
        self._stored = found
        self._show_run(anew=True)

    def _show_run(self, *, anew: bool = False) -> None:
        """List all memories as they are now, and the items of the chosen one where they are others."""
        panel, state = self._panel, self._work.shown.state
        if not panel.isVisible():
            return
        before = panel.row
        rows = [self._run_row(state, one) for one in state.memories.opened.values()] if state else []
        rows += [self._project_row(one) for one in self._stored]
        panel.show_memories(rows)
        self._choose_wanted()
        key = panel.list.current_key()
        now = panel.row
        is_run = now is not None and now.place == "run"
        if key and (anew or key != panel.shown or before != now or is_run):
            self._show_items(key)
        if not rows:
            panel.show_items("", ())

    def _run_row(self, state: RunState, opened: MemoryOpened) -> MemoryRow:
        name = opened.memory
        written = state.memories.written.get(name, {})
        unsaved = unsaved_in(state, name)
        about = (
            self.tr("As of this run. Kept in the project; the run opened version {version}.").format(
                version=opened.version
            )
            if opened.keep == "project"
            else self.tr("As of this run; it ends with the run.")
        )
        maker = next((made_by for one in reversed(written.values()) if (made_by := embedded_by(one))), "")
        if maker:
            method = self.tr("Vectors by {name}.").format(name=maker)
            about = f"{about} {method}"
        can_take = opened.keep == "project" and is_changed(state, name) and self._is_apart(state, unsaved)
        lasts = opened.keep == "project"
        return MemoryRow(
            "run",
            name,
            opened.sort,
            opened.items if lasts else sum(one.operation == "put" for one in written.values()),
            title=self._node_title(name),
            changes=len(written) if lasts else 0,
            trouble=" ".join(filter(None, (opened.trouble, unsaved))),
            about=about,
            help=self.tr("Save this run's memory to the project") if can_take else "",
        )

    def _node_title(self, memory: str) -> str:
        """The title of the node that lends a memory; empty where none of the flow does."""
        flow = self._work.session.flow
        for node, record in flow.nodes.items():
            if (record.settings.get("name") or node) == memory and self._work.lends_memory(node):
                return title_of(flow, node)
        return ""

    @staticmethod
    def _is_apart(state: RunState, unsaved: str) -> bool:
        """Whether what the run wrote is not in the project: a fork's, or what could not be saved."""
        return bool(unsaved) or state.forked_from is not None

    def _project_row(self, one: ProjectMemory) -> MemoryRow:
        about = self.tr("Kept in the project · version {version}").format(version=one.version)
        if one.embedded_by:
            method = self.tr("vectors by {name}").format(name=one.embedded_by)
            about = f"{about} · {method}"
        return MemoryRow(
            "project",
            one.name,
            one.kind,
            one.count,
            one.bytes,
            trouble=one.trouble,
            about=about,
            title=self._node_title(one.name),
            help=self.tr("Repair") if one.is_damaged else "",
            can_edit=one.can_edit and not self._work.session.project.is_bundle,
        )

    def _show_items(self, key: str) -> None:
        place, _, name = key.partition("/")
        state = self._work.shown.state
        if place == "project":
            self._read(partial(self._project.items, name), partial(self._fill, key))
            return
        opened = state.memories.opened.get(name) if state is not None else None
        if state is None or opened is None:
            self._fill(key, ())
        elif opened.keep == "project" and opened.version:
            read = partial(self._project.items, name, opened.version)
            self._read(read, lambda base: self._fill(key, run_items(state, name, base)))
        else:
            self._fill(key, run_items(state, name))

    def _read(self, work: Callable[[], T], then: Callable[[T], None]) -> None:
        def take(found: T | Exception) -> None:
            if isinstance(found, Exception):
                self.edits.tell(found)
            else:
                then(found)

        self._aside.begin(work, take)

    def _fill(self, key: str, items: Sequence[Item]) -> None:
        if self._panel.list.current_key() != key:
            return
        self._items = items
        self._panel.show_items(key, items)
        self._show_facts(self._panel.table.current_id())

    def _show_facts(self, item_id: str) -> None:
        panel, state = self._panel, self._work.shown.state
        row, item = panel.row, panel.table.current()
        if row is None or item is None or item.id != item_id:
            panel.show_facts(None)
            return
        facts = ItemFacts(row.kind, item, near=items_near(row.kind, item, self._items))
        facts = replace(facts, tried=what_worked(row.kind, item, self._items))
        if state is not None and row.name in state.memories.opened:
            recalled = list(recalls_of(state, row.name, item_id))[:MOST_RECALLS]
            wrote = written_by(state, row.name, item_id)
            steps = [one.step for one in recalled] + ([wrote] if wrote is not None else [])
            facts = replace(facts, recalled=recalled, wrote=wrote, titles=self._titles(steps))
        panel.show_facts(facts)

    def _titles(self, steps: Sequence[StepId]) -> dict[StepId, str]:
        flow, library = self._work.session.flow, self._work.shown.library(self._work.session.registry)
        return {one: count_words.step_title(flow, one, library) for one in steps}
