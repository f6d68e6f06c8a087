"""Where a profile can't be reached or refuses, others are asked, visibly; never once text was shown."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.llm.scripted_answers.server import serve
from studio.trace.events import ChatAnswered, ChatRequested, Entry, StepFailed
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.cli.conftest import Call
from tests.llm.builders import book_of
from tests.trusted import HERE

REFUSES = "rules: [{error: {status: 400, message: not today}}]"
ANSWERS = "rules: [{reply: from the first}]"
OWN = "rules: [{reply: from the second}]"


def ran(root: Path, script: str, faults: Sequence[str] = ()) -> tuple[RunState, list[Entry]]:
    """Run a flow whose profile is answered from `script`, and falls back on the project's own."""

    async def run() -> tuple[RunState, list[Entry]]:
        async with await serve(book_of(script), faults=faults, pace=0) as server:
            first = {"provider": "scripted", "base_url": server.base_url, "fallback": ["second"]}
            chat = {"default": "first", "profiles": {"first": first, "second": {"provider": "scripted"}}}
            write_project(root, flow=chain(), chat=chat, script=OWN)
            project = Project.open(root)
            flow = read_flow(project.main_flow).flow
            seen: list[Entry] = []
            inputs = {"question": "?"}
            materials = prepare(project, flow, builtin_registry(), environ=HERE, inputs=inputs)
            state = await run_here(materials, listener=lambda entries, _: seen.extend(entries))
            return state, seen

    return asyncio.run(run())


def test_where_the_first_refuses_the_second_answers_and_the_trace_has_both(tmp_path: Path) -> None:
    state, seen = ran(tmp_path, REFUSES)
    assert {shown.data for shown in state.outputs.values()} == {"from the second"}
    asked = [one.event for one in seen if isinstance(one.event, ChatRequested)]
    assert [(one.profile, one.fallback) for one in asked] == [("", ("second",)), ("second", ())]
    failed = [one for one in seen if isinstance(one.event, StepFailed)]
    assert [(one.step, "not today" in one.event.message) for one in failed] == [("writer#chat.1", True)]  # type: ignore[union-attr]
    assert sum(isinstance(one.event, ChatAnswered) for one in seen) == 1


def test_where_the_first_answers_nobody_else_is_asked(tmp_path: Path) -> None:
    state, seen = ran(tmp_path, ANSWERS)
    assert {shown.data for shown in state.outputs.values()} == {"from the first"}
    assert sum(isinstance(one.event, ChatRequested) for one in seen) == 1


@pytest.mark.parametrize("fault", ["error-in-stream", "reset-mid-stream", "truncated-tool-arguments"])
def test_once_text_was_shown_nobody_else_is_asked(tmp_path: Path, fault: str) -> None:
    state, seen = ran(tmp_path, ANSWERS, [fault])
    assert state.error is not None
    assert sum(isinstance(one.event, ChatRequested) for one in seen) == 1


@pytest.mark.parametrize(
    ("script", "faults", "code"), [(REFUSES, [], 0), (ANSWERS, [], 0), (ANSWERS, ["error-in-stream"], 1)]
)
def test_a_replay_goes_the_same_way_and_asks_nobody(
    call: Call,
    tmp_path: Path,
    script: str,
    faults: list[str],
    code: int,
) -> None:
    ran(tmp_path, script, faults)
    again = call("replay", "latest", "--project", tmp_path)
    assert again.code == code
    assert ("from the second" in again.out) is (script == REFUSES)
    twice = call("replay", "latest", "--project", tmp_path)
    assert (twice.code, twice.out) == (code, again.out)
