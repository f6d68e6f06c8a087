"""What is known in every scope around a step: its own values, its rounds', items' and callers', the run's."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from PySide6.QtCore import QCoreApplication

from studio.flow.ports import item_port
from studio.flow.records import CallingLibrary, Flow, Socket, title_of
from studio.ids import NodeId, PortName, Scope, StepId, is_called, step_id
from studio.trace.events import StateWritten
from studio.trace.events.values import Plain, Shown
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from studio.ui.viewmodels.run.scopes import ScopeRow, scopes_of
from studio.ui.viewmodels.words import count_words

translate = QCoreApplication.translate

Side = Literal["input", "output"]
NOWHERE = StepId("")


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value by the name that it has in its scope, and the step, with side and port, at which it stands."""

    name: str
    shown: Shown
    step: StepId = NOWHERE
    side: Side = "output"
    port: str = ""


@dataclass(frozen=True, slots=True)
class KnownScope:
    """One scope with what is known in it."""

    row: ScopeRow
    values: tuple[KnownValue, ...] = ()


def known_in_scopes(
    flow: Flow, state: RunState, step: StepState | None, library: CallingLibrary | None = None
) -> list[KnownScope]:
    """The step, what encloses it, and the run, innermost first; without a step, the run."""
    seeing = _Seeing(flow, state, library)
    if step is None:
        run = ScopeRow(NOWHERE, translate("scopes", "Run"), state.flow_name)
        return [KnownScope(run, tuple(seeing.in_run(NOWHERE)))]
    rows = scopes_of(flow, state, step, library)
    segments = str(step.scope).split("/") if step.scope else []
    known = [KnownScope(rows[0], tuple(_own_values(step)))]
    for row in rows[1:-1]:
        scope = Scope("/".join(segments))
        values = (*seeing.on_border(scope), *seeing.written_in(scope), *seeing.given_in(scope, step.id))
        known.append(KnownScope(row, values))
        segments.pop()
    known.append(KnownScope(rows[-1], tuple(seeing.in_run(step.id))))
    return known


def _own_values(step: StepState) -> Iterator[KnownValue]:
    for side, values in (("input", step.inputs), ("output", step.outputs)):
        for port, shown in values.items():
            yield KnownValue(port, shown, step.id, cast("Side", side), port)


class _Seeing:
    """Looks for values in one run."""

    def __init__(self, flow: Flow, state: RunState, library: CallingLibrary | None) -> None:
        self._flow, self._state, self._library = flow, state, library

    def in_run(self, beside: StepId) -> Iterator[KnownValue]:
        """What nodes of the run's own flow gave outside of loops and maps, and its variables."""
        yield from self.given_in(Scope(""), beside)
        for name, shown in self._state.variables.known.items():
            yield KnownValue(_variable(name), shown)

    def written_in(self, scope: Scope) -> Iterator[KnownValue]:
        """What was written to variables in an item, which takes effect when that ends."""
        written = self._state.pending.waiting.get(scope, ())
        for write in (one for one in written if isinstance(one, StateWritten)):
            name = translate("scopes", "{variable}, from the end of this item on")
            yield KnownValue(name.format(variable=_variable(write.name)), write.value)

    def given_in(self, scope: Scope, beside: StepId) -> Iterator[KnownValue]:
        """What the nodes that stand directly in a scope gave there, in the order of the flow."""
        around = count_words.flow_around(self._flow, self._library, scope)
        for node in around.nodes if around is not None else ():
            name = step_id(scope, node)
            step = self._state.steps.get(name)
            if around is None or step is None or name == beside:
                continue
            title = title_of(around, node)
            for port, shown in step.outputs.items():
                yield KnownValue(f"{title} · {port}", shown, name, "output", port)

    def on_border(self, scope: Scope) -> Iterator[KnownValue]:
        """What a round, an item or a called flow is given."""
        outer, _, segment = str(scope).rpartition("/")
        if is_called(segment):
            caller = self._state.steps.get(StepId(f"{outer}/{segment}" if outer else segment))
            if caller is not None:
                for port, shown in caller.inputs.items():
                    yield KnownValue(port, shown, caller.id, "input", port)
            return
        name, _, index = segment.partition(".")
        node, number = NodeId(name), int(index)
        around = count_words.flow_around(self._flow, self._library, Scope(outer))
        if around is None:
            return
        if count_words.is_map(around, node):
            yield from self._of_item(Scope(outer), node, number)
        else:
            yield from self._of_round(around, Scope(outer), node, number)

    def _of_item(self, outer: Scope, node: NodeId, number: int) -> Iterator[KnownValue]:
        name = step_id(outer, node)
        step = self._state.steps.get(name)
        for port, shown in step.inputs.items() if step is not None else ():
            items = cast("list[Plain]", shown.data) if isinstance(shown.data, list) else []
            if number < len(items):
                yield KnownValue(
                    str(item_port(port)), Shown(items[number], shown.labels), name, "input", port
                )
        yield KnownValue("index", Shown(number), name, "input")

    def _of_round(self, around: Flow, outer: Scope, node: NodeId, number: int) -> Iterator[KnownValue]:
        found = self._value_of_round(around, outer, node, number)
        if found is not None:
            yield KnownValue("value", found.shown, found.step, found.side, found.port)
        yield KnownValue("round", Shown(number), step_id(outer, node), "input")

    def _value_of_round(self, around: Flow, outer: Scope, node: NodeId, number: int) -> KnownValue | None:
        """What a round began with: what the loop was given, or what the round before gave back."""
        while number > 1:
            again = Socket(node, PortName("again"))
            source = next((wire.source for wire in around.wires if wire.target == again), None)
            if source is None:
                return None
            before = f"{node}.{number - 1}"
            if source.node != node:
                return self._given(source, Scope(f"{outer}/{before}" if outer else before))
            if source.port != "value":
                return KnownValue("value", Shown(number - 1), step_id(outer, node), "input")
            number -= 1
        step = self._state.steps.get(step_id(outer, node))
        start = step.inputs.get("start") if step is not None else None
        return KnownValue("value", start, step_id(outer, node), "input", "start") if start else None

    def _given(self, source: Socket, scope: Scope) -> KnownValue | None:
        """What stands at an output, seen from a scope: its node's step there, or in a scope around it."""
        segments = str(scope).split("/") if scope else []
        while True:
            name = step_id(Scope("/".join(segments)), source.node)
            step = self._state.steps.get(name)
            if step is not None:
                shown = step.outputs.get(source.port)
                return KnownValue("", shown, name, "output", source.port) if shown is not None else None
            if not segments:
                return None
            segments.pop()


def _variable(name: str) -> str:
    return translate("scopes", "variable {name}").format(name=name)
