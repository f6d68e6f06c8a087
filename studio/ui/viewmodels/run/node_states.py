"""What the canvas says of each node during a run, read from its shown step."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import quoted
from studio.flow.ports import Structure
from studio.flow.records import Flow, Node, Wire, title_of
from studio.ids import NodeId, Scope, StepId, is_in_called_flow, step_parts
from studio.sdk.registry import Registry
from studio.trace.events import Entry, StepFinished
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Values
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.canvas.document import NodeState, Status, Steps
from studio.ui.viewmodels.run.members import members_of
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun, node_of
from studio.ui.viewmodels.run.step_choice import scope_shown, steps_shown
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.held_words import call_words, held_text
from studio.ui.viewmodels.words.step_words import is_in_doubt, question_in_call, question_of
from studio.ui.viewmodels.words.value_words import plural_in, read, told

translate = QCoreApplication.translate

HEAD = 480
"""Characters of a text that a card can show at most."""
MANY = 2_000
"""Steps between two moments from which on all nodes are shown anew, and not asked one by one."""
TAIL = 180
"""Characters of a stream that a card shows: its end."""


class NodeStates:
    """Keeps what batches tell of rounds and tool calls, and gives the state of nodes."""

    def __init__(self, registry: Registry, shown: ShownRun) -> None:
        self._registry, self._shown = registry, shown
        self._rounds: dict[NodeId, tuple[str, int]] = {}
        self._calls: dict[NodeId, list[StepState]] = {}
        self._python: tuple[Flow, str, frozenset[NodeId]] | None = None

    def touched(self, flow: Flow, batch: Batch) -> set[NodeId]:
        """Take a batch in; gives the nodes whose state it changed."""
        state = self._shown.live_state
        if batch.is_fresh:
            self._rounds.clear()
            self._calls.clear()
        if state is None:
            return set()
        nodes = self._without_steps(flow, state) if batch.is_fresh or state.status.is_final else set[NodeId]()
        grown: set[str] = set()
        for name in state.order if batch.is_fresh else batch.steps:
            scope, node, _, _ = step_parts(name)
            if is_in_called_flow(scope):
                nodes.add(node_of(name))
                continue
            nodes.add(node)
            if "#" in scope:
                nodes.add(node_of(name))
            counted = self._count_rounds(scope) if scope else ()
            if counted:  # the cards in that area say of how many rounds they show one
                nodes.update(counted)
                grown.add(scope.partition(".")[0])
            lender = self._lender(flow, state.steps[name])
            if lender is not None:
                nodes.add(lender)
        if grown:
            nodes.update(one for one, last in state.latest.items() if last.partition(".")[0] in grown)
        return nodes

    def moved(self, batch: Batch) -> set[NodeId]:
        """The nodes that are otherwise at another moment; `batch` has the steps that are."""
        state = self._shown.live_state
        if state is None:
            return set()
        if len(batch.steps) > MANY:
            return {*state.latest, *self._calls, *map(NodeId, (*state.inputs, *state.outputs))}
        areas = {step.partition("/")[0].partition(".")[0] for step in batch.steps if "/" in step}
        nodes = {found for step in batch.steps for found in (node_of(step), step_parts(step)[1])}
        inside = {
            one for one, last in state.latest.items() if "/" in last and last.partition(".")[0] in areas
        }
        ends = map(NodeId, (*state.inputs, *state.outputs) if state.source is not None else ())
        return nodes | inside | {NodeId(area) for area in areas} | self._calls.keys() | {*ends}

    def state_of(self, flow: Flow, node: NodeId, chosen: StepId | None) -> NodeState:
        """What `node` says just now; `chosen` is the step that is shown everywhere."""
        step = self._shown.shown_step(node, chosen)
        state = self._shown.state
        library = self._shown.library(self._registry)
        if step is not None and state is not None and node in state.bindings:
            step = None  # what it lends could not be opened at first
        question = question_of(state, step.id) if state is not None and step is not None else None
        if question is not None and step is not None:
            return NodeState("waiting", question[:HEAD], round=count_words.place(flow, step.id, library))
        calls = self._calls_of(node)
        if calls:
            question = question_in_call(state, node) if state is not None else None
            if question is not None:
                return NodeState("waiting", question[:HEAD])
            return self._lending_state(calls, step)
        if step is None:
            return self._state_without_step(flow, node, state)
        if is_in_doubt(step):
            return NodeState(
                "waiting", _text(step, title_of(flow, node)), round=count_words.place(flow, step.id, library)
            )
        if (lender := self._could_not_lend(step)) is not None:
            said = translate("card", "“{lender}” failed").format(lender=title_of(flow, lender))
            return NodeState("stopped", said, round=count_words.place(flow, step.id, library))
        seconds = state.worked_by(step) if state is not None else None
        other = self._held_beside(node, step)
        if other is not None:
            where = count_words.place(flow, other.id, library) or call_words(other)
            note = translate("card", "{where} is paused").format(where=where) if where else _held_note(other)
            said = count_words.place(flow, step.id, library)
            steps = steps_shown(flow, self._shown, node, step)
            return NodeState(
                "held",
                _text(step, title_of(flow, node)),
                seconds,
                step.tokens,
                step.cost or None,
                said,
                note,
                steps,
            )
        return NodeState(
            _status(step.status),
            _text(step, title_of(flow, node)),
            seconds,
            step.tokens,
            step.cost or None,
            count_words.place(flow, step.id, library),
            self._note(flow, node, step),
            self._steps(flow, node, step),
            is_made_up=any(MADE_UP_LABEL in one.labels for one in (step.outputs or step.inputs).values()),
        )

    def _without_steps(self, flow: Flow, state: RunState) -> set[NodeId]:
        """The nodes of which a script's run has something to say, though it has no steps of them."""
        if state.source is None:
            return set()
        return {*map(NodeId, (*state.inputs, *state.outputs)), *self._in_python(flow, state)}

    def _in_python(self, flow: Flow, state: RunState) -> frozenset[NodeId]:
        """The nodes that the script of the shown run says in plain Python."""
        source = state.source
        if source is None or not source.text:
            return frozenset()
        if self._python is None or self._python[0] is not flow or self._python[1] != source.digest:
            from studio.app.scripts.script_steps import in_python  # with all that reads scripts

            self._python = (flow, source.digest, in_python(source.text, flow))
        return self._python[2]

    def _state_without_step(self, flow: Flow, node: NodeId, state: RunState | None) -> NodeState:
        """What a node says that did nothing yet; in a script's run, inputs and outputs are no steps."""
        if state is None or state.source is None:
            return NodeState()
        signature = self._registry.signature(flow.nodes[node])
        structure = signature.structure if signature is not None else None
        given = state.inputs if structure is Structure.FLOW_INPUT else state.outputs
        if structure in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}:
            value = given.get(str(node))
            return NodeState("done", told(value.data)[:HEAD]) if value is not None else NodeState()
        is_python = node in self._in_python(flow, state)
        return NodeState("in_python") if is_python else NodeState()

    def _could_not_lend(self, step: StepState) -> NodeId | None:
        """The node that a step failed for, since what that lends could not be opened."""
        origin, run = step.error.origin if step.error is not None else "", self._shown.run
        scope, node, _, _ = step_parts(StepId(origin))
        record = run.flow.nodes.get(node) if run is not None and origin and not scope else None
        signature = self._registry.signature(record) if record is not None else None
        return node if signature is not None and signature.is_binding else None

    def _calls_of(self, node: NodeId) -> Sequence[StepState]:
        """The calls of what a node lends, as they are at the moment that is shown."""
        calls, state = self._calls.get(node, ()), self._shown.state
        if not calls or state is None or self._shown.moment is None:
            return calls
        known = bisect_left(calls, True, key=lambda one: one.id not in state.steps)
        return [*calls[: known - 1], state.steps[calls[known - 1].id]] if known else ()

    def _held_beside(self, node: NodeId, step: StepState) -> StepState | None:
        """Another step of the node that waits for a person, where the one that is shown does not."""
        state = self._shown.state
        if state is None or step.status is StepStatus.HELD:
            return None
        held = (state.steps[one] for one in state.held_steps)
        return next((one for one in held if node_of(one.id) == node and one.id != step.id), None)

    def _count_rounds(self, scope: Scope) -> Sequence[NodeId]:
        """Note how far loops and maps have come; an inner loop begins again with each outer round."""
        outer, counted = "", list[NodeId]()
        for segment in scope.split("/"):
            node, _, index = segment.partition(".")
            if index.isdigit() and "#" not in node:
                known = self._rounds.get(NodeId(node))
                if known is None or known[0] != outer or int(index) > known[1]:
                    self._rounds[NodeId(node)] = (outer, int(index))
                    counted.append(NodeId(node))
            outer = f"{outer}/{segment}"
        return counted

    def _steps(self, flow: Flow, node: NodeId, step: StepState) -> Steps | None:
        """Which step of several is shown; a loop says so in the words that it has otherwise."""
        steps = steps_shown(flow, self._shown, node, step)
        if steps is None or node not in self._rounds or count_words.is_map(flow, node):
            return steps
        return replace(steps, text=self._note(flow, node, step))

    def _is_edited(self, flow: Flow, node: NodeId) -> bool:
        """Whether the node is another one now than it was in the run that is shown."""
        run = self._shown.run
        before = run.flow.nodes.get(node) if run is not None else None
        return before is not None and node in flow.nodes and before != flow.nodes[node]

    def _note(self, flow: Flow, node: NodeId, step: StepState) -> str:
        if step.status.is_final and self._is_edited(flow, node):
            return translate("card", "edited since this run")
        if step.is_pinned:
            return translate("card", "pinned")
        signature = self._registry.signature(flow.nodes[node]) if node in flow.nodes else None
        structure = signature.structure if signature is not None else None
        at = self._rounds[node][1] if node in self._rounds else None
        if at is not None and self._shown.moment is not None:
            at = self._shown.rounds.last(step.scope, node)
        if at is not None and self._shown.looked_at is not None:
            at = int(scope_shown(self._shown, node, step).rpartition(".")[2] or at)
        if structure is Structure.LOOP and at is not None:
            most = self._registry.settings(flow.nodes[node]).get("max_rounds")
            return translate("card", "{at} of at most {most}").format(at=at, most=most)
        if structure is Structure.FOR_EACH and at is not None:
            return translate("card", "{count} items").format(count=at + 1)
        if step.status is StepStatus.HELD:
            return _held_note(step)
        if step.status is StepStatus.RUNNING:
            return _how_far(step)
        return quoted(step.note) if step.status is StepStatus.SKIPPED else ""

    def _lender(self, flow: Flow, step: StepState) -> NodeId | None:
        """The binding node whose tool a call used, as far as its name tells."""
        if not step.tool:
            return None
        lenders = [
            wire.source.node
            for wire in flow.wires
            if wire.target.node == step.node and self._is_binding(flow, wire.source.node)
        ]
        names = {one: self._tool_name(flow.nodes[one]) for one in lenders}
        member = members_of(flow, self._registry, step.node).get(step.tool)
        found = member.source.node if member is not None else None
        found = found or next(
            (
                one
                for one in lenders
                if step.tool in {names[one] or str(one), str(one), flow.nodes[one].kind.rpartition(".")[2]}
            ),
            None,
        )
        if found is None:  # a server lends tools under names that only it knows
            left = lenders if len(lenders) == 1 else [one for one in lenders if not names[one]]
            found = left[0] if len(left) == 1 else None
        if found is not None:
            calls = self._calls.setdefault(found, [])
            if not any(one.id == step.id for one in calls[-8:]):
                calls.append(step)
        return found

    def _tool_name(self, record: Node) -> str:
        """What the one tool of a lending node is called; empty where its settings do not tell."""
        kind = self._registry.get(record.kind)
        if kind is None or all(one.name != "name" for one in kind.settings):
            return ""
        flow = str(record.settings.get("flow") or "").removesuffix(".json").rpartition("/")[2]
        return str(record.settings.get("name") or "") or flow or record.kind.rpartition(".")[2]

    def _is_binding(self, flow: Flow, node: NodeId) -> bool:
        signature = self._registry.signature(flow.nodes[node]) if node in flow.nodes else None
        return signature is not None and signature.is_binding

    def _lending_state(self, calls: Sequence[StepState], lender: StepState | None) -> NodeState:
        last = calls[-1]
        if last.status is StepStatus.RUNNING and lender is not None and (far := _how_far(lender)):
            return NodeState(_status(last.status), _asked(last), note=far)
        count = len(calls)
        note = (
            translate("card", "1 call")
            if count == 1
            else translate("card", "{count} calls").format(count=count)
        )
        return NodeState(_status(last.status), _asked(last), note=note)


def passing(flow: Flow, entries: Iterable[Entry], state: RunState) -> list[Wire]:
    """The wires along which values passed with these entries."""
    given: set[tuple[NodeId, str]] = set()
    for entry in entries:
        event = entry.event
        if isinstance(event, StepFinished) and event.outputs and entry.step in state.steps:
            scope, node, _, _ = step_parts(entry.step)
            if not is_in_called_flow(scope):
                given.update((node, port) for port in event.outputs)
    return [wire for wire in flow.wires if (wire.source.node, str(wire.source.port)) in given]


def _how_far(step: StepState) -> str:
    """What a step says of its progress, in words and numbers; nothing once it has come to its end."""
    done, total = step.progress or (0.0, 0.0)
    if total <= 0 or done >= total:
        return quoted(step.note) if total <= 0 else ""
    far = translate("card", "{done} of {total}").format(done=f"{done:g}", total=f"{total:g}")
    return f"{quoted(step.note)} ({far})" if step.note else far


def _held_note(step: StepState) -> str:
    if step.held_reason == "error":
        return translate("card", "on error")
    is_before = step.held_phase == "before"
    if step.call:
        words = translate("card", "before {call}") if is_before else translate("card", "after {call}")
        return words.format(call=call_words(step))
    return translate("card", "before it runs") if is_before else translate("card", "after it ran")


def _status(status: StepStatus) -> Status:
    return "stopped" if status is StepStatus.CANCELLED else cast("Status", str(status))


def _text(step: StepState, title: str) -> str:
    if step.error is not None:
        return quoted(step.error.message)
    if step.status is StepStatus.HELD:
        return held_text(step)[:HEAD] or _first_text(
            step.inputs if step.held_phase == "before" else step.outputs, title
        )
    text = step.text
    if step.status is StepStatus.RUNNING and len(text) > TAIL:
        return f"…{text[-TAIL:].partition(' ')[2]}"
    if step.status is StepStatus.DONE and text[:1] in {"{", "["}:
        text = read(text)
    return (
        text[:HEAD]
        or _first_text(step.outputs, title)
        or (_first_text(step.inputs, title) if step.status is StepStatus.DONE else "")
    )


def _asked(call: StepState) -> str:
    """What a tool was last asked, in the words of its first argument that is text."""
    given: object = call.arguments
    arguments: Mapping[str, object] = {}
    if isinstance(given, Mapping):
        arguments = cast("Mapping[str, object]", given)
    said = next((value for value in arguments.values() if isinstance(value, str)), "")
    return f"“{said[:HEAD]}”" if said else ""


def _first_text(values: Values, title: str = "") -> str:
    texts = (shown.data for shown in values.values() if isinstance(shown.data, str))
    found = next(texts, "")[:HEAD]
    said = (told(shown.data, plural_in(title, name)) for name, shown in values.items())
    return found or next(said, "")
