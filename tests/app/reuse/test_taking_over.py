"""A fork's edits become the flow's where they have a place in it, as one step that can be undone."""

import json
from pathlib import Path

import pytest

from studio.app.documents.history import History
from studio.app.reuse.fork_edits import Taken, all_of, edits_to_take
from studio.flow import edits
from studio.flow.records import Flow, Socket
from studio.ids import NodeId, PortName
from studio.past.fork_wishes import Fork, Setting, with_settings
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms
from studio.store.reader import RunStore
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.runs import run_here
from tests.app.stored import run_once
from tests.app.written_projects import write_project
from tests.documents import document
from tests.trusted import HERE

REGISTRY = builtin_registry()
SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""
WRITER = NodeId("writer")
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
FLOW = document(
    "Trial",
    {
        "question": {"kind": "io.flow_input", "title": "Question", "settings": {"default": "Why?"}},
        "style": {"kind": "text.text", "settings": {"text": "short"}},
        "writer": {"kind": "llm.chat", "title": "Writer", "settings": {"instructions": "Be kind."}},
        "critic": {"kind": "llm.chat", "title": "Critic"},
        "join": {"kind": "text.join", "inputs": {}},
        "answer": "io.flow_output",
    },
    "critic.reply -> answer.value",
    "question.value -> writer.prompt",
    "style.text -> join.parts[1]",
    "writer.reply -> critic.prompt",
    "writer.reply -> join.parts[0]",
)


@pytest.fixture
async def old(tmp_path: Path) -> OldRun:
    root = write_project(tmp_path / "trial", flow=FLOW, script=SCRIPT)
    return await run_once(root, REGISTRY)


async def forked(old: OldRun, fork: Fork) -> tuple[RunState, RunState]:
    """The fork, and the run that it goes back to."""
    state = await run_here(prepare_fork(old, REGISTRY, fork, Terms(HERE, is_live=True)))
    assert state.error is None, state.error
    return state, RunStore(old.project.private).load(old.run)


def took(flow: Flow, taken: list[Taken]) -> Flow:
    """Take all, and see that it is one step that can be undone."""
    history = History(flow)
    history.do(all_of(flow, taken))
    after = history.flow
    assert history.position == 1
    history.undo()
    assert history.flow == flow
    return after


async def test_settings_that_only_the_fork_had_are_set_in_the_flow(old: OldRun) -> None:
    flow = with_settings(old.flow, ['writer.instructions="Be brief."'])
    taken = edits_to_take(*await forked(old, Fork(flow=flow)), old.flow, REGISTRY)
    assert took(old.flow, taken).nodes[WRITER].settings["instructions"] == "Be brief."
    assert taken[0].says == (
        'Changed the setting `instructions` of “Writer” from "Be kind." to "Be brief.".',
    )


async def test_what_the_flow_has_already_is_not_offered(old: OldRun) -> None:
    flow = with_settings(old.flow, ['writer.instructions="Be brief."'])
    assert edits_to_take(*await forked(old, Fork(flow=flow)), flow, REGISTRY) == []


async def test_what_was_set_in_the_flow_since_stays(old: OldRun) -> None:
    flow = with_settings(old.flow, ['writer.instructions="Be brief."'])
    states = await forked(old, Fork(flow=flow))
    since = edits.set_setting(old.flow, WRITER, "temperature", 0.5).applied_to(old.flow)
    after = took(since, edits_to_take(*states, since, REGISTRY))
    assert after.nodes[WRITER].settings == {"instructions": "Be brief.", "temperature": 0.5}


@pytest.mark.parametrize(
    ("wish", "node", "setting", "value"),
    [
        ('writer.prompt="How?"', "question", "default", "How?"),
        ('question.value="How?"', "question", "default", "How?"),
        ('style.text="long"', "style", "text", "long"),
        (
            f"writer#chat.1.messages={json.dumps(ASKED)}",
            "writer",
            "instructions",
            "Be brief.",
        ),
    ],
)
async def test_an_edited_value_goes_where_the_flow_has_it_from(
    old: OldRun, wish: str, node: str, setting: str, value: str
) -> None:
    states = await forked(old, Fork(values=[Setting.read(wish)]))
    taken = edits_to_take(*states, old.flow, REGISTRY)
    assert took(old.flow, taken).nodes[NodeId(node)].settings[setting] == value


async def test_an_edited_input_without_a_wire_is_typed_there(old: OldRun) -> None:
    states = await forked(old, Fork(values=[Setting.read('critic.prompt="Look."')]))
    loose = edits.disconnect(old.flow, edits.wires_into(old.flow, socket("critic", "prompt")))
    flow = loose.applied_to(old.flow)
    after = took(flow, edits_to_take(*states, flow, REGISTRY))
    assert after.nodes[NodeId("critic")].inputs == {"prompt": "Look."}


def socket(node: str, port: str) -> Socket:
    return Socket(NodeId(node), PortName(port))


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ('critic.prompt="x"', "comes from “Writer” over a wire"),
        ('writer.reply="x"', "computes its output"),
        ('writer#chat.1.answer={"role": "assistant", "content": "x"}', "in one run"),
        ('writer#chat.1.messages=[{"role": "user", "content": "x"}]', "in one run"),
    ],
)
async def test_what_has_no_place_in_the_flow_is_refused_with_the_reason(
    old: OldRun, wish: str, reason: str
) -> None:
    states = await forked(old, Fork(values=[Setting.read(wish)]))
    (only,) = edits_to_take(*states, old.flow, REGISTRY)
    assert only.change is None
    assert reason in only.reason


async def test_another_input_of_the_run_becomes_the_default(old: OldRun) -> None:
    taken = edits_to_take(*await forked(old, Fork(inputs={"question": "How?"})), old.flow, REGISTRY)
    assert took(old.flow, taken).nodes[NodeId("question")].settings["default"] == "How?"


async def test_several_edits_are_taken_together_and_one_alone(old: OldRun) -> None:
    flow = with_settings(old.flow, ['writer.instructions="Be brief."', 'critic.instructions="Look."'])
    fork = Fork(values=[Setting.read('style.text="long"')], flow=flow, inputs={"question": "How?"})
    taken = edits_to_take(*await forked(old, fork), old.flow, REGISTRY)
    assert len(taken) == 4
    after = took(old.flow, taken)
    assert [after.nodes[NodeId(one)].settings for one in ("question", "style", "writer", "critic")] == [
        {"default": "How?"},
        {"text": "long"},
        {"instructions": "Be brief."},
        {"instructions": "Look."},
    ]
    alone = took(old.flow, [one for one in taken if "Critic" in one.title])
    assert alone.nodes[WRITER] == old.flow.nodes[WRITER]
