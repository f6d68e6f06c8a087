"""Nodes that come to run in a loop or a map."""

import pytest

from studio.errors import EditRefusedError
from studio.flow.edits.bodies import enter
from studio.flow.records import Flow
from studio.flow.structure.regions import region_tree
from studio.ids import NodeId
from tests.flow.builders import LIBRARY, flow

NEW = NodeId("new")


def rounds(kind: str) -> Flow:
    return flow(
        {"a": "text.text", "rounds": "control.loop", "up": "text.upper", "new": kind},
        "a.text -> rounds.start",
        "rounds.value -> up.text",
        "up.text -> rounds.again",
    )


def body(of: Flow, owner: str) -> set[str]:
    return next(set(one.body) for one in region_tree(of, LIBRARY).root.walk() if one.owner == owner)


def test_a_node_that_enters_a_loop_is_waited_for_in_every_round() -> None:
    before = rounds("text.upper")
    change = enter(before, NEW, NodeId("rounds"), LIBRARY)
    after = change.applied_to(before)
    assert {"new", "up"} <= body(after, "rounds")
    assert "new.text -> rounds.also[0]" in {str(one) for one in after.wires}
    assert change.inverted().applied_to(after) == before


def test_the_first_node_in_an_empty_loop_is_its_round() -> None:
    before = flow({"a": "text.text", "rounds": "control.loop", "new": "text.upper"}, "a.text -> rounds.start")
    after = enter(before, NEW, NodeId("rounds"), LIBRARY).applied_to(before)
    assert "new.text -> rounds.again" in {str(one) for one in after.wires}


def test_a_node_that_enters_a_map_gets_each_item() -> None:
    before = flow(
        {
            "list": "text.split",
            "each": "control.for_each",
            "up": "text.upper",
            "all": "control.collect",
            "new": "text.write",
        },
        "list.parts -> each.items[0]",
        "each.item -> up.text",
        "up.text -> all.item",
    )
    after = enter(before, NEW, NodeId("each"), LIBRARY).applied_to(before)
    assert "new" in body(after, "each")


def test_a_loop_enters_another_whole() -> None:
    before = rounds("control.loop")
    after = enter(before, NEW, NodeId("rounds"), LIBRARY).applied_to(before)
    assert "new.result -> rounds.also[0]" in {str(one) for one in after.wires}
    assert "new" in body(after, "rounds")
    assert not region_tree(after, LIBRARY).problems


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("text.text", "no free input"),
        ("text.write", "has no output that goes back"),
        ("control.for_each", "has no output that goes back"),
    ],
)
def test_what_cannot_take_part_in_a_round_is_refused_with_the_reason(kind: str, reason: str) -> None:
    with pytest.raises(EditRefusedError, match=reason):
        enter(rounds(kind), NEW, NodeId("rounds"), LIBRARY)
