"""The fourth example remembers the handbook, what was said and what was sent; people see what is unsure."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from studio.ids import StepId
from studio.sdk import Form
from studio.trace.events.memories import MemoryRead
from studio.trace.fold.state import RunState
from tests.projects.running import copied, ran, steps

DRAFT = "Dogs are welcome in the garden rooms and may be brought to the bar."
PRICE = "A dog costs 8 pounds a night."
QUESTION = "May I bring my dog, and what does it cost?"


def given(state: RunState, step: str, port: str) -> Any:
    found = state.steps[StepId(step)].outputs
    return found[port].data if port in found else None


def recalled(state: RunState, step: str) -> dict[str, list[Mapping[str, Any]]]:
    """What a step found in each memory, in order, each with its score and why."""
    reads: list[MemoryRead] = state.steps[StepId(step)].recalled
    return {
        read.memory: [cast("Mapping[str, Any]", one.data) for one in read.found]
        for read in reads
        if read.purpose == "recall"
    }


def written(state: RunState, step: str) -> list[tuple[str, str, str]]:
    """What a step changed in memories: in which, what was done, and the text."""
    return [
        (one.memory, one.operation, str(cast("Mapping[str, Any]", one.item.data)["text"]))
        for one in state.steps[StepId(step)].remembered
    ]


async def test_the_first_draft_fails_and_the_second_passes(tmp_path: Path) -> None:
    state = await ran(copied("front_desk", tmp_path))
    assert state.status == "finished"
    assert [name for name in steps(state) if "/clerk" in name] == ["rounds.1/clerk", "rounds.2/clerk"]
    assert given(state, "rounds.1/judge", "failed") == given(state, "rounds.1/clerk", "reply") == DRAFT
    assert given(state, "rounds.1/judge", "score") == 0.25
    assert state.steps[StepId("rounds.2/clerk")].inputs["prompt"].data == f"Half is missing: {QUESTION}"
    assert given(state, "rounds.2/judge", "passed") == f"{DRAFT} {PRICE}"
    assert {"rounds.1/person", "rounds.2/person"} <= set(steps(state, "skipped"))
    assert state.outputs["answer"].data == f"{DRAFT} {PRICE}"
    assert (tmp_path / "front_desk/out/answer.md").read_text("utf-8") == f"{DRAFT} {PRICE}\n"


async def test_the_passage_that_is_nearest_is_recalled_and_is_said_why(tmp_path: Path) -> None:
    state = await ran(copied("front_desk", tmp_path))
    for number in (1, 2):
        [found] = recalled(state, f"rounds.{number}/clerk")["handbook"]
        assert found["text"].startswith(DRAFT)
        assert found["by"] == "handbook.md"
        assert found["score"] > 0.25
        assert "WordLlama" in found["why"]


async def test_the_second_draft_goes_on_from_the_first_by_the_conversation(tmp_path: Path) -> None:
    state = await ran(copied("front_desk", tmp_path))
    first, second = (recalled(state, f"rounds.{number}/clerk")["conversation"] for number in (1, 2))
    assert first == []
    assert [one["text"] for one in second] == [QUESTION, DRAFT]
    assert written(state, "rounds.1/clerk") == [
        ("conversation", "put", QUESTION),
        ("conversation", "put", DRAFT),
    ]


async def test_what_was_sent_is_remembered_and_passes_at_once_when_it_is_asked_again(tmp_path: Path) -> None:
    project = copied("front_desk", tmp_path)
    first = await ran(project)
    assert written(first, "keep") == [("sent", "put", f"{DRAFT} {PRICE}")]
    again = await ran(project, {"question": "Can I bring my two dogs?"})
    assert [one["text"] for one in recalled(again, "rounds.1/clerk")["sent"]] == [f"{DRAFT} {PRICE}"]
    assert "rounds.2/clerk" not in again.steps
    assert again.outputs["answer"].data == first.outputs["answer"].data


async def test_what_is_learnt_or_sent_again_is_not_doubled(tmp_path: Path) -> None:
    project = copied("front_desk", tmp_path)
    for _ in range(2):
        assert (await ran(project)).status == "finished"
    opened = (await ran(project)).memories.opened
    assert {name: one.items for name, one in opened.items()} == {"handbook": 13, "sent": 1, "conversation": 6}


async def test_a_number_of_the_house_does_not_leave_it(tmp_path: Path) -> None:
    project = copied("front_desk", tmp_path)
    state = await ran(project, {"question": "I am locked out. Whom can I call, at what number?"})
    assert "07700 900123" in given(state, "rounds.2/clerk", "reply")
    assert given(state, "rounds.2/guard", "passed") is None
    assert str(state.outputs["answer"].data).endswith("at [the number on your key ring].")


@pytest.mark.parametrize("question", ["Is there a piano?", "Where is the nearest chemist?"])
async def test_where_the_handbook_is_silent_a_person_is_waited_for(question: str, tmp_path: Path) -> None:
    state = await ran(copied("front_desk", tmp_path), {"question": question})
    assert recalled(state, "rounds.1/clerk").get("handbook", []) == []
    assert given(state, "rounds.1/judge", "score") == 0.5
    assert state.steps[StepId("rounds.1/person")].status == "failed"
    assert state.error is not None
    assert f"waits for a person: {question}" in state.error.message
    assert "keep" not in steps(state)


class Editor:
    """A person who knows where the piano stands."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Edit what is shown."""
        assert step == "rounds.1/person#ask.1"
        self.asked.append(form.question)
        return {"decision": "edit", "value": "The piano stands in the bar."}


async def test_what_a_person_makes_of_it_is_sent_and_remembered(tmp_path: Path) -> None:
    person = Editor()
    project = copied("front_desk", tmp_path)
    state = await ran(project, {"question": "Is there a piano?"}, people=person)
    assert person.asked == ["Is there a piano?"]
    assert state.outputs["answer"].data == "The piano stands in the bar."
    assert written(state, "keep") == [("sent", "put", "The piano stands in the bar.")]
    again = await ran(project, {"question": "Is there a piano?"}, people=person)
    assert again.outputs["answer"].data == "The piano stands in the bar."
    assert len(person.asked) == 1
