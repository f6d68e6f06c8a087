"""MetaGPT hands documents along a line; each role hears what it subscribed to, and gates send back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from tests.projects.gallery.systems import ran

METAGPT = projects() / "metagpt"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> RunState:
    return asyncio.run(ran(METAGPT, tmp_path_factory.mktemp("metagpt"))).state


def step(state: RunState, name: str) -> StepState:
    return state.steps[StepId(name)]


def heard(state: RunState, name: str) -> set[str]:
    """Under which keys stood what a role heard."""
    items: Any = step(state, name).outputs["items"].data
    return {one["data"]["key"] for one in items}


def asked(state: RunState, name: str) -> str:
    request = step(state, f"{name}#chat.1").request
    assert request is not None
    return str(request["messages"][-1]["content"])


def test_each_role_hears_what_it_subscribed_to_and_nothing_else(state: RunState) -> None:
    code = {"files/units.py", "files/lengths.py"}
    tests = {"files/test_units.py", "files/test_lengths.py"}
    assert heard(state, "designing.2/architect_hears") == {"prd"}
    assert heard(state, "project_hears") == {"design"}
    assert heard(state, "each_file.0/engineer_hears") == {"design", "tasks"}
    assert heard(state, "each_file.1/engineer_hears") == {"design", "tasks", "files/units.py"}
    assert heard(state, "each_test.1/qa_hears") == {"prd"} | code
    assert heard(state, "testing.1/tester_hears") == code | tests
    assert heard(state, "testing.1/mender_hears") == {"prd", "design", "tasks"} | code | tests


def test_a_design_that_forgets_a_requirement_goes_back_before_anybody_hears_of_it(state: RunState) -> None:
    notes = [step(state, f"designing.{number}/review").outputs["result"].data for number in (1, 2)]
    assert notes == ["No file covers R3.", ""]
    assert "sent back: No file covers R3." in asked(state, "designing.2/architect")
    for name in ("project", "each_file.0/engineer/write"):
        assert '"covers": ["R2", "R3"]' in asked(state, name)
        assert '"covers": ["R2"]' not in asked(state, name)


def test_the_design_has_interfaces_and_a_flow_of_calls(state: RunState) -> None:
    design: Any = step(state, "designing.2/architect").outputs["data"].data
    assert "factor(unit: str) float" in design["data_structures_and_interfaces"]
    assert "lengths->>units: factor(source)" in design["program_call_flow"]
    assert "classDiagram" in asked(state, "each_file.1/engineer/write")


def test_the_engineer_writes_one_file_an_answer_in_the_order_of_the_tasks(state: RunState) -> None:
    assert state.outputs["documents"].data == ["units.py", "lengths.py"]
    for number, path in enumerate(("units.py", "lengths.py")):
        assert f"The file: {path}\n" in asked(state, f"each_file.{number}/engineer/write")
    assert "## files/units.py\nFACTORS" in asked(state, "each_file.1/engineer/write")


def test_a_test_that_fails_has_one_file_rewritten(state: RunState) -> None:
    failed = step(state, "testing.1/tested").outputs["result"].data
    assert failed == "test_units.py, test_a_foot_is_twelve_inches: AssertionError: a foot is 10 inches"
    assert str(failed) in asked(state, "testing.1/analyst")
    assert "The file: units.py\n" in asked(state, "testing.1/mender/write")
    assert step(state, "testing.2/tested").outputs["result"].data == ""
    files: Any = state.outputs["answer"].data
    assert [one["path"] for one in files] == ["files/lengths.py", "files/units.py"]
    assert '"in": 0.3048 / 12' in files[1]["text"]


def test_every_role_is_told_how_files_are_named_and_what_there_is_to_run_them(state: RunState) -> None:
    chats = [one.request for one in state.steps.values() if one.request is not None]
    assert len(chats) == 10
    said = ["\n".join(one["content"] for one in request["messages"]) for request in chats]
    told = "modules that stand in one folder and import one another by name"
    assert [told in one for one in said].count(False) == 2  # who orders the tasks, and who says what is wrong
    assert sum("response_schema" in one and bool(one["response_schema"]) for one in chats) == 5


async def test_a_chat_of_the_same_roles_lets_the_mistake_pass(tmp_path: Path) -> None:
    chat = (await ran(METAGPT, tmp_path, file="chat.json")).state
    assert str(chat.outputs["answer"].data) == "Looks good to me. DONE"
    assert "an inch a tenth of that" in str(chat.outputs["said"].data)


@pytest.mark.parametrize("file", ["", "chat.json"])
async def test_another_product_is_unknown(file: str, tmp_path: Path) -> None:
    other = (await ran(METAGPT, tmp_path, {"idea": "A snake game."}, file=file)).state
    assert other.error is not None
    assert (other.error.error, other.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert "Unknown: These answers know one product" in other.error.message
