"""Nodes that are muted or bypassed give in scripts what they give in the engine, wherever they stand."""

from dataclasses import replace
from pathlib import Path

import pytest

from studio.flow.check import check, errors_of
from studio.flow.records import Flow
from studio.ids import NodeId
from tests.export import test_collects, test_equal, test_items
from tests.export.scripts import both
from tests.runtime.bench import REGISTRY, flow_of

TAKEN = [
    *((test_equal.FLOWS["joined ways"], node) for node in ("long", "shout", "either", "all", "glue", "out")),
    *((test_equal.FLOWS["conversions"], node) for node in ("num", "file", "out")),
    *((test_collects.FLOWS["two policies, the error read, a failure"], node) for node in ("read", "some")),
    *((test_items.FLOWS["failed items are left out"], node) for node in ("each", "note", "way", "all")),
    *((test_items.FLOWS["a map in a loop"], node) for node in ("rounds", "each", "note")),
]


def out_of_use(flow: Flow, node: NodeId, state: str) -> Flow:
    """The flow, one of its nodes not in use."""
    record = flow.nodes[node]
    run = record.run.model_copy(update={"state": state})
    return replace(flow, nodes={**flow.nodes, node: record.model_copy(update={"run": run})})


CASES = [
    (changed, given[0] if given else {})
    for (nodes, wires, *given), node in TAKEN
    for state in ("muted", "bypassed")
    if not errors_of(check(changed := out_of_use(flow_of(nodes, wires), NodeId(node), state), REGISTRY))
]


@pytest.mark.parametrize("place", range(len(CASES)))
def test_a_script_gives_what_the_engine_gives(place: int, tmp_path: Path) -> None:
    flow, given = CASES[place]
    (tmp_path / "word.txt").write_text("word")
    engine, script = both(flow, tmp_path, given)
    assert script == engine


def test_most_nodes_can_be_taken_out_of_use() -> None:
    assert len(CASES) > len(TAKEN) * 3 // 2
