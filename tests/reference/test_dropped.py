"""Random flows of which a person drops all steps of some nodes give what they give with these nodes muted."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from studio.flow.ports import Structure
from studio.flow.records import Flow
from studio.flow.structure.regions import region_tree
from studio.flow.structure.shelter import sheltered
from studio.ids import NodeId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.drops import is_drop
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from studio.trace.events import Entry, StepHeld
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.meaning import meant
from tests.reference.profile import random_flows
from tests.reference.running import Setup, differences, run_case, told_by
from tests.runtime.bench import Ran

TAKES_FAILURES = {Structure.CATCH, Structure.RACE, Structure.COLLECT, Structure.FOR_EACH, Structure.LOOP}


class Dropper(MemorySink):
    """Drops whatever is held."""

    def __init__(self) -> None:
        self.ran = Ran()
        super().__init__(self.ran.entries.append)
        self.gate: DebugGate | None = None

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        super().put(entry, durable=durable)
        if isinstance(entry.event, StepHeld) and self.gate is not None:
            asyncio.get_running_loop().call_soon(self.gate.drop, entry.step)


def with_muted(case: Case, names: set[NodeId]) -> Case:
    """The case with these nodes muted, in whichever flow they stand."""

    def muted(flow: Flow) -> Flow:
        nodes = {
            name: node.model_copy(update={"run": node.run.model_copy(update={"state": "muted"})})
            if name in names
            else node
            for name, node in flow.nodes.items()
        }
        return replace(flow, nodes=nodes)

    return replace(case, flow=muted(case.flow), flows={name: muted(one) for name, one in case.flows.items()})


def may_be_dropped(case: Case, flow: Flow, node: NodeId) -> bool:
    """Whether a node has steps, and takes no failures in: dropped it still would, and muted it would not."""
    signature = case.registry.signature(flow.nodes[node])
    return signature is not None and not signature.is_binding and signature.structure not in TAKES_FAILURES


def both(case: Case, other: Case) -> Iterator[tuple[Flow, Flow]]:
    """The flows of two cases, pair by pair."""
    return zip(case.all_flows, other.all_flows, strict=True)


def shelter(case: Case, flow: Flow) -> frozenset[NodeId]:
    """Whose failures travel in a flow."""
    return sheltered(flow, case.registry, region_tree(flow, case.registry))


@random_flows
@given(cases(), st.data())
def test_dropped_steps_mean_what_muted_nodes_mean_and_a_replay_drops_them_again(
    case: Case, data: st.DataObject
) -> None:
    every = sorted(name for flow in case.all_flows for name in flow.nodes if may_be_dropped(case, flow, name))
    names = set(data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=2)))
    expected = with_muted(case, names)
    assume(not expected.is_refused)
    # What a muted node stands behind is sheltered by fewer wires: its failure may then end the run.
    assume(all(shelter(case, one) == shelter(case, other) for one, other in both(case, expected)))
    person = Dropper()
    places = [place for name in names for place in case.breakpoints(name)]

    def make_gate(recorder: Recorder) -> DebugGate:
        person.gate = DebugGate(recorder, places)
        return person.gate

    run_virtually(run_case(case, person.ran, Setup(make_gate, sink=person)))
    told = told_by(person.ran.entries)
    # What has a failed input fails before it could be held; a muted node does not look at its inputs.
    own = [one for step, one in told.items() if NodeId(step.rpartition("/")[2]) in names]
    assume(all(one.status != "failed" for one in own))
    assert differences(person.ran, meant(expected)) == []
    edits = edits_of(person.ran.entries, case.flow, case.registry)
    assert all(is_drop(values) for values in edits.values())
    again = run_virtually(
        run_case(
            case,
            setup=Setup(
                lambda recorder: EditedGate(recorder, edits, case.flow, case.registry),
                replayed(person.ran.entries, case.flow, case.registry),
                has_chats=False,
            ),
        )
    )
    assert first_difference(person.ran.entries, again.entries) is None
