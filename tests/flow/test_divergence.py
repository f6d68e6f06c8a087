"""Which nodes an edit makes run again."""

import pytest
from hypothesis import given, settings

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits.divergence import changed_nodes, renamed_nodes, under_new_names
from studio.flow.records import Flow, RunSettings
from studio.ids import NodeId, PortName
from studio.workspace.catalog import builtin_registry
from tests.examples import examples
from tests.flow.builders import LIBRARY
from tests.flow.strategies import flows
from tests.runtime.bench import flow_of

REGISTRY = builtin_registry()
FLOW = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "folder": "tools.files",
        "rounds": ("control.loop", {"max_rounds": 3}),
        "writer": "llm.agent",
        "critic": ("llm.chat", {"instructions": "Be strict."}),
        "out": "io.flow_output",
    },
    [
        "word.value -> rounds.start",
        "folder.tool -> writer.tools[0]",
        "rounds.value -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> rounds.again",
        "rounds.result -> out.value",
    ],
)
CRITIC, WRITER, ROUNDS, FOLDER = (NodeId(name) for name in ("critic", "writer", "rounds", "folder"))


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        (edits.set_setting(FLOW, CRITIC, "instructions", "Be kind."), {CRITIC: True}),
        (edits.set_input(FLOW, CRITIC, PortName("prompt"), "x"), {CRITIC: True}),
        (edits.set_run(FLOW, CRITIC, RunSettings(state="muted")), {CRITIC: True}),
        (edits.set_setting(FLOW, ROUNDS, "max_rounds", 5), {ROUNDS: False}),
        (edits.set_setting(FLOW, FOLDER, "path", "notes"), {FOLDER: True, WRITER: True}),
        (edits.set_title(FLOW, CRITIC, "Judge"), {}),
        (edits.set_run(FLOW, CRITIC, RunSettings(retries=2, limits={"calls": 9})), {}),
        (edits.disconnect(FLOW, [FLOW.wires[0]]), {FLOW.wires[0].target.node: True}),
    ],
)
def test_an_edit_changes_the_nodes_that_may_give_something_else(
    edited: Change, changed: dict[NodeId, bool]
) -> None:
    assert changed_nodes(FLOW, edited.applied_to(FLOW), REGISTRY) == changed


def test_a_renamed_node_is_known_again_by_what_it_is_and_how_it_is_wired() -> None:
    after = edits.rename_node(FLOW, CRITIC, NodeId("judge")).applied_to(FLOW)
    names = renamed_nodes(FLOW, after)
    assert names == {CRITIC: NodeId("judge")}
    assert changed_nodes(under_new_names(FLOW, names), after, REGISTRY) == {}


def test_one_of_two_alike_is_not_guessed() -> None:
    before = flow_of({"a": "llm.chat", "b": "llm.chat"}, [])
    after = flow_of({"c": "llm.chat", "d": "llm.chat"}, [])
    assert renamed_nodes(before, after) == {}


@settings(max_examples=examples(40), deadline=None)
@given(flows())
def test_a_flow_does_not_diverge_from_itself(flow: Flow) -> None:
    assert changed_nodes(flow, flow, LIBRARY) == {}
    assert renamed_nodes(flow, flow) == {}
