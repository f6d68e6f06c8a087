"""Where a flow takes what is said in a chat, and the edits that give it a place."""

from collections.abc import Mapping

import pytest

from studio.app.chats.chat_places import (
    ChatPlaces,
    add_history,
    add_text_input,
    chat_places,
    let_last,
    values_of,
)
from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName
from studio.workspace.catalog import builtin_registry
from studio.workspace.inputs import check_inputs, input_fields

REGISTRY = builtin_registry()


def wire(text: str) -> Wire:
    source, target = (one.split(".") for one in text.split(" -> "))
    index = 0 if target[1] in {"memory", "tools"} else None
    return Wire(*(Socket(NodeId(node), PortName(port)) for node, port in (source, target)), index)


def flow_of(nodes: Mapping[str, tuple[str, dict[str, object]]], *wires: str) -> Flow:
    made = {
        NodeId(name): Node.model_validate({"kind": kind, "title": name.title(), "settings": settings})
        for name, (kind, settings) in nodes.items()
    }
    places = {name: Point(number * 300, 0) for number, name in enumerate(made)}
    return Flow(nodes=made, wires=tuple(map(wire, wires)), layout=Layout(places))


TALK = {
    "question": ("io.flow_input", {}),
    "guide": ("llm.agent", {}),
    "answer": ("io.flow_output", {}),
}
WIRES = ("question.value -> guide.prompt", "guide.reply -> answer.value")


def places_in(flow: Flow, to: str = "") -> ChatPlaces:
    return chat_places(flow, REGISTRY, input_fields(flow, REGISTRY), to)


def test_a_message_goes_to_the_input_that_leads_to_a_prompt_unless_another_is_chosen() -> None:
    flow = flow_of({"tone": ("io.flow_input", {}), **TALK}, *WIRES)
    places = places_in(flow)
    assert places.to is not None
    assert places.to.node == "question"
    assert [one.node for one in places.others] == ["tone"]
    chosen = places_in(flow, "tone").to
    assert chosen is not None
    assert chosen.node == "tone"


def test_earlier_turns_go_to_an_input_of_messages_or_stay_in_a_memory_that_lasts() -> None:
    flow = flow_of(TALK, *WIRES)
    assert places_in(flow).earlier == "nowhere"
    said = {"before": ("io.flow_input", {"type": "messages", "default": []})}
    assert places_in(flow_of({**TALK, **said}, *WIRES)).earlier == "history"
    for keep, earlier in (("run", "forgets"), ("project", "memory")):
        talk = {"talk": ("memory.window", {"name": "birds", "keep": keep})}
        unused = flow_of({**TALK, **talk}, *WIRES)
        assert places_in(unused).earlier == "nowhere"
        lent = flow_of({**TALK, **talk}, *WIRES, "talk.memory -> guide.memory")
        places = places_in(lent)
        assert places.earlier == earlier
        assert places.lasting == (("birds",) if keep == "project" else ())
        both = flow_of({**TALK, **talk, **said}, *WIRES, "talk.memory -> guide.memory")
        assert places_in(both).earlier == ("memory" if keep == "project" else "history")


def test_a_memory_kept_for_one_run_can_be_let_last_by_one_edit() -> None:
    talk = {"talk": ("memory.window", {})}
    flow = flow_of({**TALK, **talk}, *WIRES, "talk.memory -> guide.memory")
    change = let_last(flow, NodeId("talk"))
    assert places_in(change.applied_to(flow)).earlier == "memory"
    assert change.inverted().applied_to(change.applied_to(flow)) == flow


def test_a_place_for_earlier_messages_is_one_edit_wired_where_there_is_one_that_takes_them() -> None:
    flow = flow_of(TALK, *WIRES)
    node, change = add_history(flow, REGISTRY, "Earlier messages", NodeId("question"))
    after = change.applied_to(flow)
    assert [str(one) for one in after.wires if one.source.node == node] == [f"{node}.value -> guide.history"]
    assert not errors_of(check(after, REGISTRY))
    places = places_in(after)
    assert places.earlier == "history"
    assert check_inputs(after, REGISTRY, {"question": "Which birds?"}) == {"question": "Which birds?"}
    assert change.inverted().applied_to(after) == flow


def test_where_several_could_take_them_it_stands_there_unwired() -> None:
    flow = flow_of({**TALK, "critic": ("llm.chat", {})}, *WIRES, "guide.reply -> critic.prompt")
    node, change = add_history(flow, REGISTRY, "Earlier messages", None)
    assert not change.added
    assert node in change.applied_to(flow).nodes


def test_a_flow_without_a_text_input_is_given_one() -> None:
    nodes = {name: one for name, one in TALK.items() if name != "question"}
    flow = flow_of(nodes, WIRES[1])
    node, change = add_text_input(flow, REGISTRY, "Message")
    after = change.applied_to(flow)
    assert [str(one) for one in change.added] == [f"{node}.value -> guide.prompt"]
    to = places_in(after).to
    assert to is not None
    assert to.node == node
    assert not errors_of(check(after, REGISTRY))


@pytest.mark.parametrize(
    ("kind", "given"), [("image", "b.png"), ("image[]", ["a.png", "b.png"]), ("file", "b.png")]
)
def test_pictures_and_files_go_to_an_input_of_their_type(kind: str, given: object) -> None:
    flow = flow_of({**TALK, "seen": ("io.flow_input", {"type": kind})}, *WIRES)
    places = places_in(flow)
    sent = ["a.png", "b.png"]
    pictures, files = ([], sent) if kind == "file" else (sent, [])
    inputs = values_of(places, "What is it?", [], pictures, files, {})
    assert inputs == {"question": "What is it?", "seen": given}
    assert check_inputs(flow, REGISTRY, inputs) == inputs


def test_a_message_without_pictures_leaves_a_list_of_them_empty_where_it_is_needed() -> None:
    flow = flow_of({**TALK, "seen": ("io.flow_input", {"type": "image[]"})}, *WIRES)
    assert values_of(places_in(flow), "Hello", [], [], [], {})["seen"] == []


def test_history_that_is_needed_is_given_empty_in_the_first_turn() -> None:
    flow = flow_of({**TALK, "before": ("io.flow_input", {"type": "messages"})}, *WIRES)
    said = [{"role": "user", "content": "Hello"}]
    assert values_of(places_in(flow), "Hello", [], [], [], {})["before"] == []
    assert values_of(places_in(flow), "Hello", said, [], [], {"tone": None})["before"] == said
