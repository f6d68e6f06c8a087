"""Brings each batch of a run to the canvas and the panels of its flow, and keeps the selection in step."""

import time
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from studio.app.documents.selection import Selected
from studio.app.runs.live_run import LiveRun
from studio.flow.change import Change
from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, StepId, own_step, segment_node, step_parts
from studio.trace.events import RunStarted
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepState
from studio.ui.viewmodels.flow.canvas_document import lending_kinds
from studio.ui.viewmodels.run.node_states import NodeStates, passing
from studio.ui.viewmodels.run.shown_run import Batch, drawn_flow, node_of
from studio.ui.viewmodels.run.step_choice import neighbour
from studio.ui.viewmodels.words import count_words
from studio.ui.visibility import Seen, is_seen
from studio.ui.window.runs.playhead import Playhead
from studio.ui.window.workspace import Workspace

SELDOM = 1.0
"""Seconds between two pictures of a run that waits for a person: its clock tells no less."""


class RunView(QObject):
    """Shows one run of a workspace at a time; `frame` is called once a frame."""

    shown_changed = Signal()
    """Another run is shown, or its status is another."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._states = NodeStates(workspace.session.registry, workspace.shown)
        self._lending = lending_kinds(workspace.session.registry)
        self._speaking: StepId | None = None
        self._held: set[StepId] = set()
        self._status: object = None
        self._looked: StepId | None = None
        self._touched: dict[StepId, None] = {}
        self._grown = 0.0
        self._timeline = Seen(workspace.timeline, self._show_bars)
        self._log = Seen(workspace.log, self._show_log)
        self._scopes = Seen(workspace.debugging, workspace.debugging.show_scopes)
        self._messages = Seen(workspace.messages, lambda: self._show_messages(None))
        workspace.shown.on_batch(self._take)
        workspace.shown.trouble.subscribe(workspace.told.emit)
        self.playhead = Playhead(workspace)
        self._ends = (
            workspace.session.selection.on_change(self._select),
            workspace.session.history.on_change(self._note_edits),
            workspace.canvas.board.step_asked.subscribe(self.choose_neighbour),
        )

    def close(self) -> None:
        """Stop listening."""
        for end in self._ends:
            end()

    @property
    def state(self) -> RunState | None:
        """The fold of the shown run as it is now, whichever moment of it is shown."""
        return self._work.shown.live_state

    @property
    def is_read(self) -> bool:
        """Whether the shown run is being read, so that there is more of it."""
        run = self._work.shown.run
        return run is not None and run.is_read

    @property
    def _state(self) -> RunState | None:
        return self._work.shown.state

    @property
    def _library(self) -> CallingLibrary:
        return self._work.shown.library(self._work.session.registry)

    def show(self, run: LiveRun | None) -> None:
        """Show a run instead of the one that is shown."""
        self._work.shown.show(run)
        self._speaking = None
        self._held = set()

    def frame(self) -> None:
        """Tell what came; let what lasts grow."""
        was_told = self._work.shown.flush()
        self.playhead.frame()
        run = self._work.shown.run
        if run is not None and not was_told and is_seen(self._work.timeline) and self._grows(run):
            self._work.timeline.refresh()
        for one in (self._timeline, self._log, self._scopes, self._messages):
            one.catch_up()
        for panel in (self._work.outline, self._work.script, self._work.history):
            panel.seen.catch_up()

    def _grows(self, run: LiveRun) -> bool:
        """Whether bars that last are to grow now: in each frame, or seldom where a person is waited for."""
        now, state = time.monotonic(), run.state
        if run.is_over or state.ended is not None:
            return False
        if (state.status is RunStatus.HELD or state.waiting) and now - self._grown < SELDOM:
            return False
        self._grown = now
        return True

    def _take(self, batch: Batch) -> None:
        work, state = self._work, self._state
        flow = work.session.flow
        if batch.is_moved:
            self._show_past(batch)
            return
        if batch.is_behind:
            self._follow_beneath(batch)
            return
        if batch.is_fresh:
            self._begin(state)
        self._show_nodes(flow, batch)
        if state is None:
            return
        self._tell_pins(batch)
        if not batch.is_fresh:
            work.canvas.pulses.start(passing(flow, batch.entries, state))
            self._touch(batch)
        self._listen(state, batch.steps)
        self._follow_holds(state)
        self._log.tell()
        work.questions.show_questions(flow, state, self._library)
        self._show_debugging()
        self._messages.tell(lambda: self._show_messages(batch.steps))
        self._follow_status(state)

    def _touch(self, batch: Batch) -> None:
        self._touched.update(batch.steps)
        self._timeline.tell()

    def _show_bars(self) -> None:
        touched, self._touched = self._touched, {}
        self._work.timeline.touch(touched, is_read=self.is_read)

    def _show_log(self) -> None:
        work, state = self._work, self._state
        if state is not None:
            work.log.show_log(work.session.flow, state.started or 0.0, state.log, self._library)

    def _show_debugging(self) -> None:
        chosen = self._work.session.selection.now.step
        self._work.debugging.show_held(self._state, chosen, self._library)
        self._scopes.tell()

    def _follow_status(self, state: RunState) -> None:
        if state.status != self._status:
            self._status = state.status
            self.shown_changed.emit()

    def _follow_beneath(self, batch: Batch) -> None:
        """Note how the run goes on while an earlier moment of it is shown."""
        work, state = self._work, self._work.shown.live_state
        self._states.touched(work.session.flow, batch)
        if state is None:
            return
        self._touch(batch)
        work.questions.show_questions(work.session.flow, state, self._library)
        self._held = set(state.held_steps)
        self._follow_status(state)

    def _show_past(self, batch: Batch) -> None:
        """Show another moment: canvas, messages, log and debugger as they were then."""
        work, state = self._work, self._state
        self.playhead.show()
        if state is None:
            return
        flow, chosen = work.session.flow, work.session.selection.now.step
        nodes = (node for node in self._states.moved(batch) if node in flow.nodes)
        work.canvas.update_nodes({node: self._states.state_of(flow, node, chosen) for node in nodes})
        asked = (state.steps[one] for one in reversed(state.order) if state.steps[one].request is not None)
        last = next(asked, None)
        self._speaking = (last.parent or last.id) if last is not None else None
        self._log.tell()
        self._show_debugging()
        self._messages.tell()

    def _tell_pins(self, batch: Batch) -> None:
        """Say of a run that begins how much of it was pinned, for that changes what it gives."""
        started = batch.entries[0].event if batch.entries else None
        if not isinstance(started, RunStarted) or not started.pins:
            return
        many = len(started.pins)
        words = (
            self.tr("1 value is pinned in this run; its node is skipped.")
            if many == 1
            else self.tr("{count} values are pinned in this run; their nodes are skipped.")
        )
        self._work.told.emit(words.format(count=many))

    def _begin(self, state: RunState | None) -> None:
        """Clear what another run left behind."""
        work = self._work
        self.playhead.show()
        self._speaking = None
        self._status = None
        work.canvas.show_run({})
        run = work.shown.run
        flow = drawn_flow(run, work.session.flow)
        self._touched.clear()
        work.timeline.show_run(state, flow, self._lending, self._library, is_read=self.is_read)
        work.log.clear()
        work.questions.show_questions(flow, state, self._library)
        work.messages.show_step(None, None, "")
        self._show_debugging()
        self.shown_changed.emit()

    def _show_nodes(self, flow: Flow, batch: Batch) -> None:
        nodes = self._states.touched(flow, batch)
        chosen = self._work.session.selection.now.step
        found = {node: self._states.state_of(flow, node, chosen) for node in nodes if node in flow.nodes}
        if batch.is_fresh:
            self._work.canvas.show_run(found)
        elif found:
            self._work.canvas.update_nodes(found)

    def _listen(self, state: RunState, steps: Iterable[StepId]) -> None:
        """Note whose words came last."""
        for name in steps:
            step = state.steps[name]
            if step.request is not None:
                self._speaking = step.parent or step.id

    def _follow_holds(self, state: RunState) -> None:
        """A step that has just been held is shown everywhere, the first of several."""
        held = set(state.held_steps)
        fresh = [step for step in state.held_steps if step not in self._held]
        selected = self._work.session.selection.now.step
        if selected in self._held - held and not held:  # it was shown for being held: follow the run again
            self._work.session.selection.show_step(None)
        self._held = held
        if fresh and selected not in held:
            self._work.show_step(fresh[0], by_hand=False)
            if not is_seen(self._work.chat):  # it says where the run is held, and leads there
                self._work.offer("inspector", is_urgent=True)

    def _select(self, _selected: Selected) -> None:
        self._show_round()
        step = self._shown_step()
        self._work.timeline.select(step.id if step is not None else None)
        self._show_messages(None)
        self._show_debugging()
        if step is not None:
            flow, node = self._work.session.flow, node_of(step.id)
            if node in flow.nodes:
                self._work.canvas.update_nodes({node: self._states.state_of(flow, node, step.id)})

    def _show_round(self) -> None:
        """Show the nodes of an area as they were in the round that a person looks at."""
        looked, before = self._work.shown.looked_at, self._looked
        if looked == before:
            return
        self._looked = looked
        flow, chosen = self._work.session.flow, self._work.session.selection.now.step
        nodes = {*self._work.shown.around(before), *self._work.shown.around(looked)}
        self._work.canvas.update_nodes(
            {node: self._states.state_of(flow, node, chosen) for node in nodes if node in flow.nodes}
        )

    def _note_edits(self, change: Change) -> None:
        """Say of nodes that were edited that the run knew them otherwise, or that it did not, after undo."""
        flow, chosen = self._work.session.flow, self._work.session.selection.now.step
        nodes = [node for node in change.nodes if node in flow.nodes]
        if nodes and self._state is not None:
            self._work.canvas.update_nodes(
                {node: self._states.state_of(flow, node, chosen) for node in nodes}
            )

    def choose_neighbour(self, node: NodeId, way: int) -> None:
        """Look at what a node did in the round before (-1) or after (1), and with it all in that round."""
        work = self._work
        step = work.shown.shown_step(node, work.session.selection.now.step)
        found = neighbour(work.session.flow, work.shown, node, step, way)
        if found is None:
            return
        work.look_at(found)
        step = work.shown.shown_step(node, found)
        if neighbour(work.session.flow, work.shown, node, step, 1) is None:
            work.look_at(None)  # whoever looks at the last round goes along with the run
        if work.session.selection.now.is_empty:
            work.session.selection.select([node])

    def _shown_step(self) -> StepState | None:
        selected = self._work.session.selection.now
        node: NodeId | None = selected.only_node
        state = self._state
        if node is not None:
            return self._chosen_call() or self._work.shown.shown_step(node, selected.step)
        return state.steps.get(selected.step) if state is not None and selected.step is not None else None

    def _chosen_call(self) -> StepState | None:
        selected, state = self._work.session.selection.now, self._state
        found = state.steps.get(selected.step) if state is not None and selected.step is not None else None
        return found if found is not None and found.node == selected.only_node else None

    def _lender_turn(self, state: RunState) -> StepId | None:
        """The last turn of the selected node, which has its turns in the steps that it is lent to."""
        node, flow = self._work.session.selection.now.only_node, self._work.session.flow
        if node is None or node not in flow.nodes or flow.nodes[node].kind not in self._lending:
            return None
        steps = (state.steps[one] for one in reversed(state.order))
        return next((one.parent for one in steps if one.node == node and one.request is not None), None)

    def _show_messages(self, touched: Iterable[StepId] | None) -> None:
        state = self._state
        if state is None:
            return
        step = self._shown_step()
        has_spoken = step is not None and (
            step.request is not None or any(state.steps[one].request is not None for one in step.children)
        )
        may_speak = step is not None and (has_spoken or step.call or not step.status.is_final)
        own = step.id if step is not None and may_speak else None
        name = own or self._lender_turn(state)
        panel = self._work.messages
        flow = self._work.session.flow
        chosen = self._work.session.selection.now.only_node
        if name is None and (chosen is None or _is_in(self._speaking, chosen)):
            name = self._speaking
        title = title_of(flow, chosen) if chosen is not None else ""
        panel.tell_silent(title if name is None else "")
        title = count_words.step_title(flow, name, self._library) if name is not None else ""
        if name is None or touched is None:
            panel.show_step(state, name, title)
            return
        own = own_step(name)
        if panel.step != name or any(own_step(one) == own or one.startswith(f"{name}/") for one in touched):
            panel.show_step(state, name, title)


def _is_in(step: StepId | None, area: NodeId) -> bool:
    """Whether a step stands in a round or item of a loop or map, or in a flow that a node calls."""
    segments = str(step_parts(step)[0]).split("/") if step is not None else []
    return any(segment_node(one) == area for one in segments if one)
