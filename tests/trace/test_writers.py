"""Where values come from that a memory had: the step that put them in, or what was there before the run."""

from studio.flow.subflows.alone import why_not_alone
from studio.ids import NodeId, StepId
from studio.sdk.item_layers import PlainMemories
from studio.sdk.items import Item
from studio.trace.lineage.provenance import Provenance
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot
from tests.runtime.bench import REGISTRY, flow_of, run

NODES = {
    "board": ("memory.notes", {"name": "board"}),
    "word": ("text.text", {"text": "owls"}),
    "put": ("memory.remember", {}, {"fields": {"key": "bird"}}),
    "ask": "memory.recall",
    "out": "io.flow_output",
}
WIRES = [
    "word.text -> put.texts[0]",
    "board.memory -> put.memory",
    "board.memory -> ask.memory",
    "put.then -> ask.after",
    "ask.text -> out.value",
]
ASKED = Spot(StepId("ask"), "output", "text")


async def test_what_was_recalled_comes_from_the_step_that_put_it_in() -> None:
    flow = flow_of(NODES, WIRES)
    provenance = Provenance((await run(flow)).state, flow, REGISTRY)
    put = Spot(StepId("put"), "output", "memory.board/bird")
    assert Source(put, None, "board") in provenance.made_of(ASKED)
    shown = provenance.value(put)
    assert shown is not None
    assert shown.data == "owls"
    found = {(one.beginning, one.spot.step) for one in provenance.beginnings(ASKED)}
    assert (Beginning.TYPED, "word") in found


async def test_what_was_there_before_the_run_is_said_to_come_from_the_memory() -> None:
    flow = flow_of(NODES, WIRES)
    memories = PlainMemories({"board": [Item("fish", "carp", {"key": "fish"})]})
    provenance = Provenance((await run(flow, memories=memories)).state, flow, REGISTRY)
    found = [one for one in provenance.beginnings(ASKED) if one.beginning is Beginning.MEMORY]
    assert [(one.detail, one.spot.port) for one in found] == [("board", "memory.board/fish")]


def test_a_step_that_remembers_is_no_case() -> None:
    flow = flow_of(NODES, WIRES)
    assert "uses the memory of “board”" in why_not_alone(flow, NodeId("ask"), REGISTRY)
    assert why_not_alone(flow, NodeId("word"), REGISTRY) == ""
