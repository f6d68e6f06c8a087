"""Forks at what an agent asked and was answered; what it did before holds, side effects among it."""

from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.errors import UsageError
from studio.ids import StepId
from studio.past.fork_wishes import Fork, Setting
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms
from studio.store.reader import RunStore
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.stored import last_run
from tests.app.written_projects import write_flow, write_project
from tests.documents import document
from tests.trusted import HERE

REGISTRY = builtin_registry()
SCRIPT = """
rules:
  - when: {turn: 0}
    tool_calls: [{name: write_file, arguments: {path: note.txt, text: A wren sang.}}]
  - when: {turn: 1}
    tool_calls: [{name: find_lines, arguments: {text: wren}}]
  - reply: "I read: {{ last }}"
"""
FLOW = document(
    "Trial",
    {
        "agent": "llm.agent",
        "files": {"kind": "tools.files", "settings": {"folder": "data", "write": True}},
        "out": "io.flow_output",
        "question": {"kind": "io.flow_input", "settings": {"default": "What sang?"}},
    },
    "agent.reply -> out.value",
    "files.tool -> agent.tools",
    "question.value -> agent.prompt",
)


@pytest.fixture
async def old(tmp_path: Path) -> OldRun:
    """An agent that has written a file, and looked for a word in it."""
    root = write_project(tmp_path / "trial", flow=FLOW, script=SCRIPT)
    (root / "data").mkdir()
    (root / "data" / "may.txt").write_text("A dunnock fed.\n", "utf-8")
    session = Session.open(root, REGISTRY)
    first = await run_here(prepare(Project.open(root), session.flow, session.registry, environ=HERE))
    assert first.outputs["out"].data == "I read: note.txt:1: A wren sang."
    (root / "data" / "note.txt").write_text("Somebody else's.\n", "utf-8")
    return last_run(root)


async def forked(old: OldRun, *settings: str, step: str = "", is_live: bool = True) -> RunState:
    fork = Fork(step, [Setting.read(text) for text in settings])
    return await run_here(prepare_fork(old, REGISTRY, fork, Terms(HERE, is_live=is_live)))


def bought(state: RunState) -> list[str]:
    return [step.id for step in state.steps.values() if step.call and not step.is_reused]


async def test_a_tool_is_asked_something_else_and_what_was_written_before_is_not_written_again(
    old: OldRun,
) -> None:
    new = await forked(old, 'agent#tool.2.arguments={"text": "dunnock"}')
    assert new.error is None, new.error
    assert new.outputs["out"].data == "I read: may.txt:1: A dunnock fed."
    assert bought(new) == ["agent#tool.2", "agent#chat.3"]
    assert (old.project.root / "data" / "note.txt").read_text("utf-8") == "Somebody else's.\n"


async def test_a_tool_has_said_something_else(old: OldRun) -> None:
    new = await forked(old, 'agent#tool.2.answer="A tit."')
    assert new.outputs["out"].data == "I read: A tit."
    assert bought(new) == ["agent#tool.2", "agent#chat.3"]


async def test_a_side_effect_after_the_fork_is_not_repeated_unasked(old: OldRun) -> None:
    new = await forked(old, 'agent#chat.1.messages=[{"role": "user", "content": "Sing."}]')
    assert new.error is not None
    assert (new.error.error, new.error.exit_code) == ("InDoubtError", 4)


async def test_edits_that_were_made_before_the_fork_are_made_again(old: OldRun) -> None:
    first = await forked(old, 'agent#tool.2.arguments={"text": "fed"}')
    store = RunStore(old.project.root / ".stepwire")
    again = OldRun.read(store, first.run)
    new = await forked(again, 'agent#chat.3.answer={"role": "assistant", "content": "Nothing."}')
    assert new.outputs["out"].data == "Nothing."
    assert new.steps[StepId("agent#tool.2")].arguments == {"text": "fed"}
    assert bought(new) == ["agent#chat.3"]


async def test_a_run_is_forked_at_a_call_and_does_the_same_with_nobody_asked(old: OldRun) -> None:
    new = await forked(old, step="agent#tool.2", is_live=False)
    assert new.error is None, new.error
    assert new.outputs["out"].data == "I read: note.txt:1: A wren sang."
    assert bought(new) == []


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ('agent#tool.2.arguments="x"', "does not fit"),
        ("agent#chat.1.messages=[]", "one message"),
        ('agent#tool.9.answer="x"', "has no step"),
        ('agent#chat.1.prompt="x"', "no `prompt`"),
    ],
)
async def test_what_no_call_has_and_what_does_not_fit_is_refused(
    old: OldRun, setting: str, reason: str
) -> None:
    with pytest.raises(UsageError) as refused:
        await forked(old, setting)
    assert reason in refused.value.message


LOOKING = """
rules:
  - when: {node: agent, turn: 0}
    tool_calls: [{name: look, arguments: {bird: owl}}]
  - when: {node: agent}
    reply: "Told: {{ last }}"
  - reply: "saw {{ last }}"
"""
LOOK = {
    **FLOW,
    "nodes": {
        "bird": {"kind": "io.flow_input"},
        "scout": {"kind": "llm.chat"},
        "seen": {"kind": "io.flow_output"},
    },
    "wires": ["bird.value -> scout.prompt", "scout.reply -> seen.value"],
}
WITH_LOOK = {
    **FLOW,
    "nodes": {
        "agent": {"kind": "llm.agent"},
        "lender": {"kind": "tools.flow_as_tool", "settings": {"flow": "look.json", "name": "look"}},
        "out": {"kind": "io.flow_output"},
        "question": {"kind": "io.flow_input", "settings": {"default": "What sang?"}},
    },
    "wires": ["agent.reply -> out.value", "lender.tool -> agent.tools", "question.value -> agent.prompt"],
}


async def test_what_was_edited_in_a_flow_that_a_tool_ran_before_the_call_is_edited_again(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "looking", flow=WITH_LOOK, script=LOOKING)
    write_flow(root / "look.json", LOOK)
    session = Session.open(root, REGISTRY)
    await run_here(prepare(Project.open(root), session.flow, session.registry, environ=HERE))
    store = RunStore(root / ".stepwire")
    first = last_run(root)
    edited = await forked(first, 'agent#tool.1/lender/scout.prompt="jay"')
    assert edited.outputs["out"].data == "Told: saw jay"
    again = await forked(OldRun.read(store, edited.run), step="agent#chat.2")
    assert again.outputs["out"].data == "Told: saw jay"
    assert not [call for call in bought(again) if "#chat" in call], "the same words have their answers"
    other = await forked(OldRun.read(store, edited.run), step="agent#chat.1")
    assert other.outputs["out"].data == "Told: saw owl", "what follows is done as if for the first time"
