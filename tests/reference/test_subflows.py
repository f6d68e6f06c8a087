"""A part of a flow that became a flow of its own means what it meant before."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from studio.errors import EditRefusedError
from studio.flow.records import Flow, Frame, Json, Layout, Node, Point
from studio.flow.subflows.calls import GivenFlows
from studio.flow.subflows.extraction import extract
from studio.flow.subflows.inline_calls import dissolve
from studio.ids import NodeId
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.reference.running import run_case

NAME = "part.json"


def honest(flow: Flow) -> Flow:
    """The same flow, whose probes give what their ports promise; a default that never is, is none."""

    def without(node: Node) -> Node:
        settings: dict[str, Json] = {key: one for key, one in node.settings.items() if key != "gives_nothing"}
        return node.model_copy(update={"settings": settings})

    return replace(flow, nodes={name: without(node) for name, node in flow.nodes.items()})


@st.composite
def parts(draw: st.DrawFn) -> tuple[Case, frozenset[NodeId]]:
    """A flow and some of its nodes: a neighbourhood more often than a handful from everywhere."""
    case = draw(cases(most_crossings=2))
    case = Case(honest(case.flow), case.given, {name: honest(one) for name, one in case.flows.items()})
    ids = sorted(case.flow.nodes)
    chosen = {draw(st.sampled_from(ids))}
    for _ in range(draw(st.integers(0, 6))):
        near = {
            end.node
            for wire in case.flow.wires
            for end in (wire.source, wire.target)
            if {wire.source.node, wire.target.node} & chosen
        } - chosen
        if near:
            chosen.add(draw(st.sampled_from(sorted(near))))
    return case, frozenset(chosen)


def outcome(case: Case) -> tuple[dict[str, Any], bool]:
    """What a run gives, and whether it failed."""
    found = run_virtually(run_case(case)).outcome
    assert found is not None
    return dict(found.outputs), found.error is not None


@random_flows
@given(parts())
def test_a_flow_with_a_subflow_made_of_some_of_its_nodes_gives_what_it_gave(
    part: tuple[Case, frozenset[NodeId]],
) -> None:
    case, nodes = part
    assume(not case.is_refused)
    try:
        found = extract(case.flow, nodes, "Part", NAME, case.registry)
    except EditRefusedError:
        assume(False)
        raise
    cut = Case(found.change.applied_to(case.flow), case.given, {**case.flows, NAME: found.made})
    assert not cut.is_refused
    assert outcome(cut) == outcome(case)


@random_flows
@given(parts())
def test_what_was_made_a_subflow_comes_back_as_it_was_when_the_call_dissolves(
    part: tuple[Case, frozenset[NodeId]],
) -> None:
    case, nodes = part
    assume(not case.is_refused)
    places = {name: Point(37 * row % 400, 91 * row % 300 - 100) for row, name in enumerate(case.flow.nodes)}
    flow = replace(case.flow, layout=Layout(places, {"f": Frame("A frame", 1, 2, 30, 40)}))
    try:
        found = extract(flow, nodes, "Part", NAME, case.registry)
    except EditRefusedError:
        assume(False)
        raise
    library = case.registry.with_flows(GivenFlows({**case.flows, NAME: found.made}))
    cut = found.change.applied_to(flow)
    back = dissolve(cut, found.call, library)
    assert back.change.applied_to(cut) == flow
    assert back.nodes == flow.nodes.keys() - cut.nodes.keys()
