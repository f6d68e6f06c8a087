"""Parts that become nodes: what is wired how, in one change that can be undone."""

import json

import pytest

from studio.app.reuse.kept_parts import Keeping, can_keep, keep_parts
from studio.errors import EditRefusedError
from studio.flow.checks.check import check
from studio.flow.edits import disconnect, set_input
from studio.flow.files.codec import loads
from studio.flow.records import Flow, Point
from studio.ids import NodeId, PortName
from studio.trace.events.parts import PartTold
from studio.workspace.catalog import builtin_registry
from tests.ui import growing

REGISTRY = builtin_registry()
TEAM = NodeId("team")
LOOK = PartTold("look", "Look", sort="llm.chat", settings=growing.LOOK)
ASK = PartTold("ask", "Ask", after=("look",), sort="llm.chat", settings=growing.ASK)
LATER = PartTold("later", "Later", after=("ask",), sort="text.text", settings={"text": "It is late."})


def flow() -> Flow:
    return loads(json.dumps(growing.FLOW)).flow


def kept(*parts: PartTold) -> tuple[Flow, Flow]:
    """The flow before, and with these parts as nodes."""
    before = flow()
    places = [(one, Point(number * 240, 600)) for number, one in enumerate(parts)]
    nodes, change = keep_parts(before, Keeping(TEAM, places), REGISTRY)
    after = change.applied_to(before)
    assert set(nodes) == after.nodes.keys() - before.nodes.keys()
    assert change.inverted().applied_to(after) == before, "it is undone in one step"
    return before, after


def fresh(before: Flow, after: Flow) -> list[str]:
    return sorted(str(wire) for wire in set(after.wires) - set(before.wires))


def test_a_part_that_names_another_in_a_placeholder_reads_what_that_gives() -> None:
    before, after = kept(LOOK, ASK)
    assert fresh(before, after) == [
        "look.reply -> ask.look",
        "task.value -> ask.prompt",
        "task.value -> look.prompt",
    ]
    assert after.nodes[NodeId("ask")].settings == growing.ASK
    assert after.layout.nodes[NodeId("ask")] == Point(240, 600)
    known = {one.message for one in check(before, REGISTRY)}
    assert not [one for one in check(after, REGISTRY) if one.message not in known and one.severity == "error"]


def test_what_only_waits_runs_after_it() -> None:
    assert "ask.then -> later.after" in fresh(*kept(LOOK, ASK, LATER))


def test_an_agent_reads_what_it_waited_for_as_its_prompt_and_the_first_what_its_maker_was_asked() -> None:
    first = PartTold("first", "First", sort="llm.agent", settings={"instructions": "Look."})
    second = PartTold("second", "Second", after=("first",), sort="llm.agent")
    assert fresh(*kept(first, second)) == ["first.reply -> second.prompt", "task.value -> first.prompt"]


def test_an_agent_that_was_made_is_lent_to_its_maker() -> None:
    wren = PartTold("wren", "Wren", sort="team.member", settings={"name": "wren"})
    assert fresh(*kept(wren)) == ["wren.agent -> team.agents[2]"]


def test_one_part_alone_leaves_out_the_wires_to_others() -> None:
    assert fresh(*kept(ASK)) == ["task.value -> ask.prompt"]


def test_parts_of_the_same_title_become_nodes_of_their_own() -> None:
    before, after = kept(LOOK, PartTold("again", "Look", sort="llm.chat"))
    assert after.nodes.keys() - before.nodes.keys() == {"look", "look_2"}


def test_what_is_no_node_is_refused() -> None:
    nothing, unknown = PartTold("a", "A"), PartTold("b", "B", sort="no.such")
    assert not can_keep(nothing, REGISTRY)
    assert not can_keep(unknown, REGISTRY)
    with pytest.raises(EditRefusedError):
        keep_parts(flow(), Keeping(TEAM, [(nothing, Point(0, 0)), (unknown, Point(0, 0))]), REGISTRY)


def test_what_was_typed_for_the_maker_to_do_is_typed_for_whoever_it_made() -> None:
    before = flow()
    gone = [wire for wire in before.wires if wire.target.port == "task"]
    before = disconnect(before, gone).applied_to(before)
    before = set_input(before, TEAM, PortName("task"), "What sang?").applied_to(before)
    _, change = keep_parts(before, Keeping(TEAM, [(LOOK, Point(0, 0))]), REGISTRY)
    assert change.applied_to(before).nodes[NodeId("look")].inputs == {"prompt": "What sang?"}
