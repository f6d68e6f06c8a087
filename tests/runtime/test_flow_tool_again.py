"""Going back into flows that tools ran: replays, forks from within, and resumed runs."""

from pathlib import Path

import pytest

from studio.flow.records import Json
from studio.ids import StepId
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.edited_gate import EditedGate, Edits
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import Ran, run
from tests.runtime.lent import FLOWS, REGISTRY, with_agent

AGENT = with_agent("look.json")
NOTES = with_agent("note.json")


def bought(ran: Ran) -> list[str]:
    """The chats that were really asked."""
    reused = set(ran.steps("answer_reused"))
    asked = [step for step in ran.steps("chat_answered") if step not in reused]
    return sorted(step for step in asked if step.partition("#chat")[0] not in reused)


def cut(ran: Ran, step: str, kind: str) -> None:
    """Let the run have died just after this."""
    place = next(
        index for index, entry in enumerate(ran.entries) if entry.step == step and entry.event.kind == kind
    )
    ran.entries[:] = ran.entries[: place + 1]


async def test_a_replay_tells_the_steps_of_the_tool_again_and_asks_nobody(script: Path) -> None:
    old = await run(AGENT, flows=FLOWS, script=script)
    new = await run(AGENT, flows=FLOWS, past=replayed(old.entries, AGENT, REGISTRY))
    assert new.outputs == old.outputs
    assert new.state.tokens == 0
    assert first_difference(old.entries, new.entries) is None


async def fork(old: Ran, step: str, phase: Phase, port: str, value: Json, script: Path) -> Ran:
    edits: Edits = {(StepId(step), phase): {port: value}}
    roots = [Root(StepId(step), runs_again=phase == "before")]
    return await run(
        AGENT,
        flows=FLOWS,
        script=script,
        past=forked(old.entries, AGENT, REGISTRY, roots, is_live=True),
        make_gate=lambda recorder: EditedGate(recorder, edits, AGENT, REGISTRY),
    )


async def test_a_fork_inside_the_tool_asks_the_agent_anew_and_leaves_other_calls_as_they_were(
    script: Path,
) -> None:
    old = await run(AGENT, flows=FLOWS, script=script)
    new = await fork(old, "agent#tool.1/lender/scout", "after", "reply", "nothing", script)
    assert new.outputs == {"out": "nothing; saw tit 2"}
    assert bought(new) == ["agent#chat.2"]
    again = await fork(old, "agent#tool.2/lender/scout", "before", "prompt", "jay", script)
    assert again.outputs == {"out": "saw owl 1; saw jay"}
    assert bought(again) == ["agent#chat.2", "agent#tool.2/lender/scout#chat.1"]


@pytest.mark.parametrize(
    ("step", "touched"),
    [
        ("agent#tool.1/lender/scout", False),
        ("agent#tool.2/lender/prompt", False),
        ("agent#tool.2/lender/scout", True),
        ("agent#tool.2/lender/seen", True),
        ("agent#tool.3/lender/prompt", True),
        ("agent#tool.2@2/lender/prompt", True),
        ("agent", True),
        ("out", True),
        ("ask", False),
    ],
)
def test_later_calls_depend_on_what_happened_in_a_tool_and_earlier_ones_do_not(
    step: str, *, touched: bool
) -> None:
    root = Root(StepId("agent#tool.2/lender/scout"))
    assert Dependence(AGENT, REGISTRY).is_touched(StepId(step), [root]) is touched


async def test_a_run_that_died_in_a_tool_goes_on_there(script: Path) -> None:
    old = await run(AGENT, flows=FLOWS, script=script)
    cut(old, "agent#tool.2/lender/scout", "step_finished")
    done = set(old.steps("chat_answered"))
    past, over = resumed(old.entries, AGENT, REGISTRY)
    assert "agent#tool.2/lender/scout" in over
    new = await run(AGENT, flows=FLOWS, script=script, past=past)
    assert new.outputs == {"out": "saw owl 1; saw tit 2"}
    assert not done & set(bought(new))


async def test_what_was_changed_in_a_tool_is_not_changed_again(script: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    old = await run(NOTES, flows=FLOWS, script=script, root=tmp_path)
    assert notes.read_text("utf-8").splitlines() == ['"saw owl"', '"saw tit"']
    replay = await run(NOTES, flows=FLOWS, root=tmp_path, past=replayed(old.entries, NOTES, REGISTRY))
    assert first_difference(old.entries, replay.entries) is None
    cut(old, "agent#tool.2/lender/scout", "step_finished")
    notes.write_text('"saw owl"\n', "utf-8")
    past, _ = resumed(old.entries, NOTES, REGISTRY)
    new = await run(NOTES, flows=FLOWS, script=script, root=tmp_path, past=past)
    assert new.state.error is None
    assert notes.read_text("utf-8").splitlines() == ['"saw owl"', '"saw tit"']


async def test_a_change_in_a_tool_that_had_begun_is_in_doubt(script: Path, tmp_path: Path) -> None:
    old = await run(NOTES, flows=FLOWS, script=script, root=tmp_path)
    cut(old, "agent#tool.2/lender/write", "step_started")
    past, _ = resumed(old.entries, NOTES, REGISTRY)
    new = await run(NOTES, flows=FLOWS, script=script, root=tmp_path, past=past)
    assert new.state.error is not None
    assert new.state.error.exit_code == 4
    assert "agent#tool.2/lender/write" in new.state.error.message
