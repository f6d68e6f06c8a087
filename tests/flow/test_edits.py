import pytest

from studio.errors import EditRefusedError
from studio.flow.edits import (
    REMOVE,
    add_node,
    bend,
    connect,
    describe,
    disconnect,
    fragment,
    move,
    paste,
    remove,
    rename_node,
    renumber,
    set_input,
    set_run,
    set_setting,
    set_title,
    unset_setting,
)
from studio.flow.records import Flow, Point, RunSettings
from studio.ids import NodeId, PortName
from tests.flow.builders import LIBRARY, flow, node, review, socket, wire

JOIN = flow({"a": "text.text", "b": "text.text", "join": "text.join"})


def wires_of(some: Flow) -> list[str]:
    return [str(one) for one in some.wires]


def test_a_new_node_gets_a_readable_id_that_is_free() -> None:
    name, change = add_node(review(), "llm.agent", "Critic", Point(10, 20), settings={"tone": "dry"})
    after = change.applied_to(review())
    assert (name, change.label) == ("critic_2", "Add Critic")
    assert after.nodes[name].settings == {"tone": "dry"}
    assert after.layout.nodes[name] == Point(10, 20)


def test_removing_a_node_takes_its_wires_place_and_bends_along() -> None:
    before = bend(review(), wire("writer.reply -> critic.prompt"), [Point(1, 2)]).applied_to(review())
    change = remove(before, [NodeId("critic")])
    after = change.applied_to(before)
    assert change.label == "Delete Critic"
    assert not any("critic" in text for text in wires_of(after))
    assert "critic" not in after.layout.nodes
    assert not after.layout.bends
    assert change.inverted().applied_to(after) == before


def test_a_single_input_takes_the_new_wire_for_the_old_one() -> None:
    before = flow({"a": "text.text", "b": "text.text", "up": "text.upper"}, "a.text -> up.text")
    after = connect(before, socket("b.text"), socket("up.text"), LIBRARY).applied_to(before)
    assert wires_of(after) == ["b.text -> up.text"]


def test_a_list_input_takes_one_more_wire_behind_the_others() -> None:
    one = connect(JOIN, socket("b.text"), socket("join.parts"), LIBRARY).applied_to(JOIN)
    two = connect(one, socket("a.text"), socket("join.parts"), LIBRARY).applied_to(one)
    assert wires_of(two) == ["a.text -> join.parts[1]", "b.text -> join.parts[0]"]


def test_a_wire_for_order_has_no_index() -> None:
    after = connect(JOIN, socket("a.then"), socket("b.after"), LIBRARY).applied_to(JOIN)
    assert wires_of(after) == ["a.then -> b.after"]


def test_a_typed_value_stays_when_its_port_is_wired() -> None:
    before = flow({"a": "text.text", "up": node("text.upper", inputs={"text": "typed"})})
    after = connect(before, socket("a.text"), socket("up.text"), LIBRARY).applied_to(before)
    assert after.nodes[NodeId("up")].inputs == {"text": "typed"}


def test_a_refused_wire_says_why() -> None:
    before = flow({"a": "value.picture", "b": "value.square"})
    with pytest.raises(EditRefusedError, match="`image` does not fit `number`"):
        connect(before, socket("a.image"), socket("b.number"), LIBRARY)


def test_moving_counts_only_the_nodes_that_move() -> None:
    change = move(review(), {NodeId("critic"): Point(1, 1), NodeId("question"): Point(0, 0)})
    assert change.label == "Move Critic"
    assert not change.touches_logic


def test_wires_of_a_port_that_a_setting_takes_away_go_in_the_same_change() -> None:
    before = flow(
        {"a": "text.text", "page": node("text.template", ports=["x", "y"])},
        "a.text -> page.x",
        "a.text -> page.y",
    )
    change = set_setting(before, NodeId("page"), "ports", ["y"], library=LIBRARY)
    after = change.applied_to(before)
    assert wires_of(after) == ["a.text -> page.y"]
    assert change.inverted().applied_to(after) == before


def test_settings_inputs_and_titles_are_set_and_taken_back() -> None:
    before = flow({"up": "text.upper"})
    name = NodeId("up")
    after = set_setting(before, name, "tone", None).applied_to(before)
    assert after.nodes[name].settings == {"tone": None}
    assert unset_setting(after, name, "tone").applied_to(after) == before
    typed = set_input(before, name, PortName("text"), None).applied_to(before)
    assert typed.nodes[name].inputs == {"text": None}
    assert set_input(typed, name, PortName("text"), REMOVE).applied_to(typed) == before
    assert set_title(before, name, "Loud").applied_to(before).nodes[name].title == "Loud"


def test_an_error_port_that_goes_takes_its_wires_along() -> None:
    before = flow({"up": "text.upper", "out": "io.flow_output"}, "up.error -> out.value")
    name = NodeId("up")
    before = set_run(before, name, RunSettings(on_error="output")).applied_to(before)
    after = set_run(before, name, RunSettings(), library=LIBRARY).applied_to(before)
    assert not after.wires


def test_renaming_an_id_reaches_wires_places_bends_and_policies() -> None:
    before = bend(review(), wire("writer.reply -> critic.prompt"), [Point(1, 2)]).applied_to(review())
    before = Flow("", "", before.nodes, before.wires, ({"tool": "critic", "node": "critic"},), before.layout)
    after = rename_node(before, NodeId("critic"), NodeId("judge")).applied_to(before)
    assert "writer.reply -> judge.prompt" in wires_of(after)
    assert "critic" not in str((after.wires, dict(after.layout.nodes), after.layout.bends))
    assert after.policies == ({"tool": "critic", "node": "judge"},)
    assert rename_node(after, NodeId("judge"), NodeId("critic")).applied_to(after) == before


@pytest.mark.parametrize("name", ["writer", "Judge", "2nd", ""])
def test_an_id_that_is_taken_or_no_id_is_refused(name: str) -> None:
    with pytest.raises(EditRefusedError):
        rename_node(review(), NodeId("critic"), NodeId(name))


def test_a_pasted_fragment_keeps_its_shape_and_gets_free_ids() -> None:
    piece = fragment(review(), [NodeId("writer"), NodeId("critic")])
    assert wires_of(piece) == ["writer.reply -> critic.prompt"]
    names, change = paste(review(), piece, Point(1000, 500))
    after = change.applied_to(review())
    assert names == {"writer_2", "critic_2"}
    assert "writer_2.reply -> critic_2.prompt" in wires_of(after)
    assert after.layout.nodes[NodeId("writer_2")] == Point(1000, 500)
    assert after.layout.nodes[NodeId("critic_2")] == Point(1200, 500)
    assert change.label == "Paste 2 nodes"


def test_renumbering_keeps_the_order_and_moves_the_bends() -> None:
    before = flow(
        dict.fromkeys("ab", "text.text") | {"j": "text.join"}, "a.text -> j.parts[5]", "b.text -> j.parts[5]"
    )
    before = bend(before, wire("b.text -> j.parts[5]"), [Point(3, 3)]).applied_to(before)
    after = renumber(before, socket("j.parts")).applied_to(before)
    assert wires_of(after) == ["a.text -> j.parts[0]", "b.text -> j.parts[1]"]
    assert list(after.layout.bends) == ["b.text -> j.parts[1]"]


def test_disconnecting_and_describing_are_edits_like_any_other() -> None:
    before = review()
    gone = disconnect(before, before.wires[:2])
    assert gone.label == "Disconnect 2 wires"
    assert len(gone.applied_to(before).wires) == len(before.wires) - 2
    named = describe(before, "Review", "Two take turns.").applied_to(before)
    assert (named.name, named.description) == ("Review", "Two take turns.")
    assert named.nodes == before.nodes
