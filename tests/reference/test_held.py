"""Random flows that a person holds, edits and steps through mean what the edits would have meant."""

import asyncio
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate, Phase, Stepping
from studio.runtime.gates.edited_gate import EditedGate
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.recorder import MemorySink, Recorder
from studio.trace.events import Entry, StepHeld
from tests.reference.clock import run_virtually
from tests.reference.edits import other_values, places
from tests.reference.generator import Case, cases
from tests.reference.interpreter import Told
from tests.reference.meaning import meant
from tests.reference.profile import random_flows
from tests.reference.running import ENDS, Setup, differences, run_case
from tests.runtime.bench import Ran

Edited = dict[tuple[StepId, Phase], dict[str, Any]]


@st.composite
def edited(draw: st.DrawFn, case: Case, steps: dict[str, Told], most: int = 3) -> Edited:
    """Some edits of steps that ran to their end."""
    found = places(case, steps)
    chosen = draw(st.lists(st.sampled_from(found), min_size=1, max_size=most)) if found else []
    edits: Edited = {}
    for step, phase, port, value in chosen:
        edits.setdefault((step, phase), {})[port] = draw(other_values(value))
    return edits


@random_flows
@given(cases(), st.data())
def test_edited_values_mean_what_the_reference_says(case: Case, data: st.DataObject) -> None:
    edits = data.draw(edited(case, meant(case).steps))
    assume(edits)
    expected = meant(case, edits)
    ran = run_virtually(
        run_case(case, setup=Setup(lambda recorder: EditedGate(recorder, edits, case.flow, case.registry)))
    )
    assert differences(ran, expected) == []


class Person(MemorySink):
    """Sees each step that is held, makes the edits that are meant for it, and lets it go on in some way."""

    def __init__(self, case: Case, edits: Edited, ways: list[str]) -> None:
        self.ran = Ran()
        super().__init__(self.ran.entries.append)
        self.gate: DebugGate | None = None
        self._case = case
        self._edits = edits
        self._ways = ways
        self.made: Edited = {}

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        super().put(entry, durable=durable)
        if isinstance(entry.event, StepHeld):
            asyncio.get_running_loop().call_soon(self._act, entry.step, entry.event.phase)

    def _act(self, step: StepId, phase: Phase) -> None:
        gate = self.gate
        assert gate is not None
        way = self._ways.pop() if self._ways else "release"
        plain = self._edits.get((step, phase), {})
        values = read_edits(self._case.flow, self._case.registry, step, phase, plain)
        if plain and gate.phase(step) == phase:
            self.made[step, phase] = plain
        match way:
            case "release" | "hold":
                gate.release(step, values)
            case "resume":
                gate.release(step, values)
                gate.resume()
            case _:
                gate.step(step, Stepping(way), values)
        if way == "hold":
            gate.hold()
            self._ways.insert(max(0, len(self._ways) - 3), "resume")
            asyncio.get_running_loop().call_later(1, gate.resume)


WAYS = ("release", "release", "resume", "hold", "over", "into", "out")


@random_flows
@given(cases(), st.data(), st.lists(st.sampled_from(WAYS), max_size=12))
def test_held_steps_wait_are_edited_and_go_on(case: Case, data: st.DataObject, ways: list[str]) -> None:
    is_held_first = data.draw(st.booleans())
    edits = data.draw(edited(case, meant(case).steps))
    nodes = data.draw(st.lists(st.sampled_from(sorted(case.flow.nodes)), max_size=3))
    breakpoints = {
        *nodes,
        *(name for step, phase in edits if phase == "before" for name in case.breakpoints(step)),
        *(
            f"{name}.{port}"
            for (step, phase), ports in edits.items()
            if phase == "after"
            for name in case.breakpoints(step)
            for port in ports
        ),
    }
    person = Person(case, edits, ways)

    def make_gate(recorder: Recorder) -> DebugGate:
        person.gate = DebugGate(recorder, breakpoints, hold_first=is_held_first)
        return person.gate

    run_virtually(run_case(case, person.ran, Setup(make_gate, sink=person)))
    assert differences(person.ran, meant(case, person.made)) == []
    held = {entry.step for entry in person.ran.entries if entry.event.kind == "step_held"}
    assert held <= {
        entry.step for entry in person.ran.entries if entry.event.kind in {"step_released", *ENDS}
    }
