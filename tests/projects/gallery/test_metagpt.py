"""MetaGPT hands documents along an assembly line, and what a gate refuses goes back to whoever made it."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.state import RunState
from studio.trace.steps import StepState
from tests.projects.gallery.systems import ran

METAGPT = projects() / "metagpt"


@pytest.fixture
async def state(tmp_path: Path) -> RunState:
    return (await ran(METAGPT, tmp_path)).state


def step(state: RunState, name: str) -> StepState:
    return state.steps[StepId(name)]


def note(state: RunState, name: str) -> str:
    """What a gate said."""
    result: Any = step(state, name).outputs["result"].data
    return str(result["note"])


async def test_roles_follow_one_another_each_from_what_is_wired_to_it(state: RunState) -> None:
    order = ["product", "designing.1/architect", "designing.2/architect", "project", "coding.1/engineer"]
    begun = [step(state, name).began or 0.0 for name in order]
    assert begun == sorted(begun)
    read = str(step(state, "project").inputs["prompt"].data)
    assert "R3" in read
    assert "tests" not in read
    assert "test_feet_to_metres" not in str(step(state, "coding.1/engineer").inputs["prompt"].data)


async def test_a_design_that_forgets_a_requirement_goes_back_before_anybody_reads_it(state: RunState) -> None:
    assert note(state, "designing.1/review") == "No file covers R3."
    assert note(state, "designing.2/review") == ""
    assert "sent back: No file covers R3." in str(step(state, "designing.2/architect").inputs["prompt"].data)
    sent_back: Any = step(state, "designing.1/architect").outputs["data"].data
    for name in ("project", "qa", "coding.1/engineer"):
        prompt = str(step(state, name).inputs["prompt"].data)
        assert '"covers": ["R2", "R3"]' in prompt
        assert str(sent_back["files"][0]["covers"]).replace("'", '"') not in prompt


async def test_files_that_fail_a_test_go_back_with_the_reason(state: RunState) -> None:
    assert note(state, "coding.1/tested") == "test_feet_to_inches: AssertionError: a foot is 10 inches"
    assert note(state, "coding.2/tested") == ""
    prompt = str(step(state, "coding.2/engineer").inputs["prompt"].data)
    assert "Your last files failed: test_feet_to_inches: AssertionError: a foot is 10 inches" in prompt
    assert '"in\\": 0.03048' in prompt
    files: Any = state.outputs["answer"].data
    assert [one["path"] for one in files] == ["units.py", "lengths.py"]
    assert '"in": 0.3048 / 12' in files[0]["text"]


async def test_project_manager_and_qa_engineer_work_at_the_same_time(state: RunState) -> None:
    one, other = step(state, "project"), step(state, "qa")
    assert (one.began or 0.0) < (other.ended or 0.0)
    assert (other.began or 0.0) < (one.ended or 0.0)


async def test_every_role_is_asked_for_a_document(state: RunState) -> None:
    chats = [one for one in state.steps.values() if one.request is not None]
    assert len(chats) == 7
    assert all(one.request and one.request["response_schema"]["required"] for one in chats)


async def test_a_chat_of_the_same_roles_lets_the_mistake_pass(tmp_path: Path) -> None:
    chat = (await ran(METAGPT, tmp_path, file="chat.json")).state
    assert str(chat.outputs["answer"].data) == "Looks good to me. DONE"
    assert "an inch a tenth of that" in str(chat.outputs["said"].data)
