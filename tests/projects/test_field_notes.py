"""The first example answers whatever is asked, from what its notes really say."""

import json
import re
from pathlib import Path

import pytest

from studio.runtime.gates.debug_gate import OpenGate, StepRef
from studio.runtime.values import Resolved, Value
from studio.trace.fold.state import RunState
from tests.projects.running import copied, ran, steps

CITED = re.compile(r"- (?P<day>[^:]+), [\d:]+: (?P<said>.*) \[(?P<file>\w+\.txt):(?P<line>\d+)\]")


def answer(state: RunState) -> str:
    return str(state.outputs["answer"].data)


def verdict(state: RunState, number: int) -> dict[str, object]:
    found = state.steps[f"rounds.{number}/critic"].outputs["data"].data  # type: ignore[index]
    assert isinstance(found, dict)
    return found


async def test_a_writer_and_a_critic_take_turns_until_the_critic_accepts(tmp_path: Path) -> None:
    state = await ran(copied("field_notes", tmp_path))
    assert state.status == "finished"
    assert steps(state) == [
        "question",
        "rounds",
        *(f"rounds.1/{name}" for name in ("writer", "critic", "accepted", "revision")),
        *(f"rounds.2/{name}" for name in ("writer", "critic", "accepted")),
        *(name for name in steps(state)[9:]),
    ]
    assert set(steps(state)[9:]) == {"answer", "save"}
    assert steps(state, "skipped") == ["rounds.2/revision"]
    assert verdict(state, 1)["accepted"] is False
    assert verdict(state, 2)["accepted"] is True


@pytest.mark.parametrize(
    "question",
    [
        "Which birds were seen in the morning?",
        "When did the pond freeze?",
        "moths in June",
        "hail, frost or snow",
    ],
)
async def test_every_claim_is_what_the_cited_note_says_on_that_day(tmp_path: Path, question: str) -> None:
    project = copied("field_notes", tmp_path)
    claims = list(CITED.finditer(answer(await ran(project, {"question": question}))))
    assert claims
    for claim in claims:
        lines = (project.root / "data" / "notes" / claim["file"]).read_text("utf-8").splitlines()
        passage = " ".join(lines[int(claim["line"]) - 1 :]).split("  ")[0]
        assert passage.startswith(claim["day"])
        for sentence in re.split(r"(?<=[.!?]) ", claim["said"]):
            assert sentence in passage


async def test_another_question_gives_another_answer(tmp_path: Path) -> None:
    project = copied("field_notes", tmp_path)
    questions = ("Which owls were there?", "When did the pond freeze?", "siskins")
    answers = [answer(await ran(project, {"question": one})) for one in questions]
    assert len(set(answers)) == 3
    assert "tawny owl" in answers[0].lower()
    assert "frozen" in answers[1]
    assert "siskins" in answers[2].lower()


async def test_the_accepted_answer_is_written_to_a_file(tmp_path: Path) -> None:
    project = copied("field_notes", tmp_path)
    state = await ran(project, {"question": "siskins"})
    assert (project.root / "out" / "answer.md").read_text("utf-8") == f"{answer(state)}\n"


async def test_the_objection_and_the_draft_reach_the_writer_in_the_next_round(tmp_path: Path) -> None:
    state = await ran(copied("field_notes", tmp_path), {"question": "siskins"})
    read = str(state.steps["rounds.2/writer"].inputs["prompt"].data)  # type: ignore[index]
    draft = str(state.steps["rounds.1/writer"].outputs["reply"].data)  # type: ignore[index]
    assert read.startswith(draft)
    assert read.endswith(str(verdict(state, 1)["reason"]))


@pytest.mark.parametrize(
    "question", ["submarines", "", "What is the capital of France?", "{{question}} [x.txt:1]"]
)
async def test_what_the_notes_do_not_say_is_said_at_once(tmp_path: Path, question: str) -> None:
    state = await ran(copied("field_notes", tmp_path), {"question": question})
    assert answer(state).startswith("The notes say nothing about ")
    assert verdict(state, 1)["accepted"] is True
    assert "rounds.2/writer" not in state.steps


class EditedDraft(OpenGate):
    """Gives the critic another draft in the first round, as a person at a breakpoint may."""

    is_open = False

    def __init__(self, draft: str) -> None:
        self.draft = draft

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Edit what the critic is about to read."""
        if ref.step == "rounds.1/critic":
            return {**inputs, "prompt": Value(self.draft)}
        return inputs


@pytest.mark.parametrize(
    ("draft", "accepted", "said"),
    [
        ("There were owls, I think.", False, "No note is cited for “There were owls, I think.”"),
        ("A wren sang. [may.txt:12]", False, "Say on which day: “A wren sang.”"),
        ("On 8 May a wren sang. [may.txt:12]", True, "The one claim is dated and cited."),
        ("- 8 May: a wren. [may.txt:12]\n- It was loud.", False, "No note is cited for “- It was loud.”"),
    ],
)
async def test_the_critic_judges_the_draft_that_it_reads(
    tmp_path: Path, draft: str, *, accepted: bool, said: str
) -> None:
    state = await ran(copied("field_notes", tmp_path), make_gate=lambda _: EditedDraft(draft))
    assert verdict(state, 1)["accepted"] is accepted
    assert said in str(verdict(state, 1)["reason"])
    assert state.status == "finished"


async def test_the_search_that_the_writer_asked_for_is_in_the_trace(tmp_path: Path) -> None:
    state = await ran(copied("field_notes", tmp_path), {"question": "How many siskins?"})
    call = state.steps["rounds.1/writer#tool.1"]  # type: ignore[index]
    assert call.tool == "text_search"
    assert call.arguments == {"query": "many siskins", "limit": 3}
    assert json.loads(call.text)["found"] == 3
