"""Nodes that are put into wires, taken out of them, and deleted without a gap."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import EditRefusedError
from studio.flow.edits.list_order import connect_at, moved, place_of, put_at
from studio.flow.edits.splices import insert_on, joints, remove_joined, take_out
from studio.flow.records import Flow
from studio.ids import NodeId
from tests.flow.builders import LIBRARY, flow, socket, wire

UP = NodeId("up")


def written(of: Flow) -> list[str]:
    return [str(one) for one in of.wires]


def row(count: int, *free: str) -> Flow:
    """`n0 -> n1 -> …`, and nodes beside it."""
    kinds = {f"n{place}": "text.upper" for place in range(count)}
    wires = [f"n{place}.text -> n{place + 1}.text" for place in range(count - 1)]
    return flow({**kinds, **dict.fromkeys(free, "text.upper")}, *wires)


def test_a_node_put_into_a_wire_stands_between_its_ends() -> None:
    before = row(2, "up")
    change = insert_on(before, before.wires[0], UP, LIBRARY)
    assert written(change.applied_to(before)) == ["n0.text -> up.text", "up.text -> n1.text"]
    assert change.inverted().applied_to(change.applied_to(before)) == before


def test_a_node_put_into_a_wire_of_a_list_keeps_its_place() -> None:
    before = flow(
        {"a": "text.text", "b": "text.text", "join": "text.join", "up": "text.upper"},
        "a.text -> join.parts[3]",
        "b.text -> join.parts[7]",
    )
    after = insert_on(before, before.wires[0], UP, LIBRARY).applied_to(before)
    assert written(after) == ["a.text -> up.text", "b.text -> join.parts[7]", "up.text -> join.parts[3]"]


def test_inputs_that_do_not_fit_or_are_wired_are_passed_over() -> None:
    before = flow(
        {"a": "text.text", "b": "text.text", "pair": "text.pair", "end": "text.write"},
        "a.text -> end.text",
        "b.text -> pair.one",
    )
    after = insert_on(before, before.wires[0], NodeId("pair"), LIBRARY).applied_to(before)
    assert "a.text -> pair.two" in written(after)
    assert "pair.text -> end.text" in written(after)


def test_what_does_not_fit_a_wire_is_refused_with_the_reason() -> None:
    before = flow({"a": "text.text", "end": "text.write", "up": "value.square"}, "a.text -> end.text")
    with pytest.raises(EditRefusedError) as caught:
        insert_on(before, before.wires[0], UP, LIBRARY)
    assert "`text` does not fit `number`" in caught.value.message


def test_a_loop_put_into_a_wire_gives_its_result_on() -> None:
    before = flow({"a": "text.text", "end": "text.write", "up": "control.loop"}, "a.text -> end.text")
    after = insert_on(before, before.wires[0], UP, LIBRARY).applied_to(before)
    assert written(after) == ["a.text -> up.start", "up.result -> end.text"]


def test_a_node_taken_out_leaves_no_gap_and_stays_in_the_flow() -> None:
    before = row(3)
    after = take_out(before, [NodeId("n1")], LIBRARY).applied_to(before)
    assert written(after) == ["n0.text -> n2.text"]
    assert after.nodes == before.nodes


def test_nodes_taken_out_together_stay_wired_to_one_another() -> None:
    before = row(4)
    after = take_out(before, [NodeId("n1"), NodeId("n2")], LIBRARY).applied_to(before)
    assert written(after) == ["n0.text -> n3.text", "n1.text -> n2.text"]


def test_an_agent_taken_out_keeps_its_tools() -> None:
    before = flow(
        {"a": "text.text", "up": "llm.agent", "files": "tools.files", "end": "text.write"},
        "a.text -> up.prompt",
        "files.tool -> up.tools[0]",
        "up.reply -> end.text",
    )
    after = take_out(before, [UP], LIBRARY).applied_to(before)
    assert written(after) == ["a.text -> end.text", "files.tool -> up.tools[0]"]
    freed = take_out(before, [NodeId("files")], LIBRARY).applied_to(before)
    assert "files.tool -> up.tools[0]" not in written(freed)


def test_a_loop_deleted_and_joined_leaves_its_body_to_run_once() -> None:
    before = flow(
        {"a": "text.text", "rounds": "control.loop", "up": "text.upper", "end": "text.write"},
        "a.text -> rounds.start",
        "rounds.value -> up.text",
        "up.text -> rounds.again",
        "rounds.result -> end.text",
    )
    after = remove_joined(before, [NodeId("rounds")], [], LIBRARY).applied_to(before)
    assert written(after) == ["a.text -> up.text", "up.text -> end.text"]


def test_order_is_handed_on_by_a_node_that_goes() -> None:
    before = flow(
        {"a": "text.text", "b": "text.text", "up": "text.text", "end": "text.text"},
        "a.then -> up.after",
        "b.then -> up.after",
        "up.then -> end.after",
    )
    after = remove_joined(before, [UP], [], LIBRARY).applied_to(before)
    assert written(after) == ["a.then -> end.after", "b.then -> end.after"]


def test_what_cannot_be_joined_stays_apart() -> None:
    before = flow(
        {"a": "value.number", "up": "value.square", "end": "value.square", "pic": "value.picture"},
        "a.number -> up.number",
        "up.number -> end.number",
    )
    assert joints(before, [NodeId("a")], LIBRARY) == frozenset()
    assert joints(before, [NodeId("pic")], LIBRARY) == frozenset()


@given(st.integers(2, 6), st.data())
def test_a_node_put_in_and_taken_out_again_leaves_the_flow_as_it_was(count: int, data: st.DataObject) -> None:
    before = row(count, "up")
    chosen = data.draw(st.sampled_from(before.wires))
    inserted = insert_on(before, chosen, UP, LIBRARY).applied_to(before)
    assert take_out(inserted, [UP], LIBRARY).applied_to(inserted) == before


@given(st.sets(st.integers(0, 5)))
def test_a_row_with_any_nodes_deleted_is_a_row_still(gone: set[int]) -> None:
    before = row(6)
    names = [NodeId(f"n{place}") for place in gone]
    after = remove_joined(before, names, [], LIBRARY).applied_to(before)
    left = [f"n{place}" for place in range(6) if place not in gone]
    wanted = {f"{one}.text -> {other}.text" for one, other in pairwise(left)}
    assert set(written(after)) == wanted


def parts() -> Flow:
    return flow(
        {"a": "text.text", "b": "text.text", "c": "text.text", "d": "text.text", "join": "text.join"},
        "a.text -> join.parts[2]",
        "b.text -> join.parts[4]",
        "c.text -> join.parts[9]",
    )


def order(of: Flow) -> str:
    wires = sorted((one for one in of.wires if one.target.node == "join"), key=lambda one: one.index or 0)
    return "".join(one.source.node for one in wires)


@given(st.sampled_from("abc"), st.integers(0, 4))
def test_a_wire_put_at_a_place_is_there_and_the_others_keep_their_order(name: str, place: int) -> None:
    before = parts()
    chosen = next(one for one in before.wires if one.source.node == name)
    change = put_at(before, chosen, place)
    after = change.applied_to(before)
    others = "abc".replace(name, "")
    assert order(after) == others[: min(place, 2)] + name + others[min(place, 2) :]
    assert place_of(after, moved(before, chosen, place)) == min(place, 2)
    assert change.inverted().applied_to(after) == before


def test_a_new_wire_comes_between_two_others() -> None:
    before = parts()
    change = connect_at(before, socket("d.text"), socket("join.parts"), 1, LIBRARY)
    assert order(change.applied_to(before)) == "adbc"
    assert change.label == "Connect d to join"


def test_a_wire_alone_has_no_place() -> None:
    before = flow({"a": "text.text", "join": "text.join"}, "a.text -> join.parts[0]")
    assert place_of(before, before.wires[0]) is None
    assert place_of(parts(), wire("b.text -> join.parts[4]")) == 1


def test_a_node_is_taken_out_of_a_wire_whose_source_is_not_there() -> None:
    before = flow({"up": "text.upper", "b": "text.upper"}, "ghost.text -> up.text", "up.text -> b.text")
    after = take_out(before, [UP], LIBRARY).applied_to(before)
    assert not after.wires
    assert after.nodes == before.nodes
