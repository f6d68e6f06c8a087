"""Answers are scored as the authors of question sets score them."""

import json
from typing import Any

import pytest

from nodes.check.score import score
from nodes.check.score.answer_match import chosen_letter, is_short_answer, word_match
from studio.errors import StepError
from studio.sdk.testing import run_bench


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        (" (c).", "C"),
        ("**D**", "D"),
        ("B. Wren", "B"),
        ("The answer is (C).", "C"),
        ("Not A, since A is wrong.\n\nAnswer: D", "D"),
        ("First I thought the answer is A. The correct answer is \\boxed{B}.", "B"),
        ("final answer: **E**", "E"),
        ("I would say B, because it sings.", "B"),
        ("A wren is small, so it must be D", "D"),
        ("Nobody knows.", ""),
    ],
)
def test_a_choice_is_the_letter_that_is_said_to_be_it_at_last(text: str, letter: str) -> None:
    assert chosen_letter(text) == letter


@pytest.mark.parametrize(
    ("given", "wanted", "share"),
    [
        ("The River Exe!", "river exe", 1.0),
        ("the river", "the River Exe", 2 / 3),
        ("It is the River Exe", "River Exe", 2 / 3),
        ("no", "yes", 0.0),
        ("no, it is not", "no", 0.0),
        ("Bath", "Exeter", 0.0),
        ("", "", 1.0),
    ],
)
def test_words_agree_as_in_the_script_of_squad(given: str, wanted: str, share: float) -> None:
    assert word_match(given, wanted).f1 == pytest.approx(share)


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ("$1,234.50", "1234.5", True),
        ("17 %", "17", True),
        ("seventeen", "17", False),
        ("Wren;  Jay", "wren, jay", True),
        ("Jay, Wren", "wren, jay", False),
        ("1, 2.0, x", "1,2,X", True),
        ("a wren", "wren", False),
        ("St. Ives", "st ives", True),
    ],
)
def test_short_answers_are_compared_as_in_gaia(given: str, wanted: str, *, fits: bool) -> None:
    assert is_short_answer(given, wanted) is fits


async def test_what_stands_behind_final_answer_is_the_answer() -> None:
    given = {"value": "I counted them.\nFINAL ANSWER: 3", "wanted": "3"}
    assert (await run_bench(score, given, {"by": "short answer"}))["ok"] is True


async def test_the_best_of_several_answers_counts() -> None:
    found = await run_bench(score, {"value": "the Exe", "wanted": ["River Exe", "Exe"]}, {"by": "words"})
    assert (found["score"], found["ok"]) == (1.0, True)
    found = await run_bench(
        score, {"value": "the Exe", "wanted": "River Exe"}, {"by": "words", "enough": 0.5}
    )
    assert (found["score"], found["ok"]) == (0.666667, True)


@pytest.mark.parametrize("by", ["words", "choice", "short answer"])
async def test_a_row_without_an_answer_cannot_be_scored(by: str) -> None:
    with pytest.raises(StepError, match="No expected"):
        await run_bench(score, {"value": "B", "wanted": None}, {"by": by})


FACTS = {"answer": "River Exe", "supporting_facts": [["Wren", 1], ["Tiverton", 0]]}


@pytest.mark.parametrize(
    ("given", "share"),
    [
        (FACTS, 1),
        (json.dumps(FACTS), 1),
        ({**FACTS, "supporting_facts": [{"title": "Tiverton", "sentence": 0}, ["Wren", 1]]}, 1),
        ({**FACTS, "answer": "the river Exe in Devon"}, 2 / 3),
        ({**FACTS, "supporting_facts": [["Wren", 1], ["Tiverton", 1]]}, 1 / 2),
        ({"answer": "the river Exe in Devon", "supporting_facts": [["Wren", 1], ["Wren", 0]]}, 1 / 3),
        ({"answer": "River Exe"}, 0),
        ({**FACTS, "answer": "yes"}, 0),
        ("River Exe", 0),
    ],
)
async def test_an_answer_counts_with_its_facts_as_for_hotpotqa(given: Any, share: float) -> None:
    found = await run_bench(score, {"value": given, "wanted": FACTS}, {"by": "answer and facts"})
    assert (found["score"], found["ok"]) == (pytest.approx(share, abs=1e-6), share == 1)
    assert bool(found["reason"]) is (share < 1)


async def test_without_facts_no_joint_score_is_told() -> None:
    with pytest.raises(StepError, match="No expected `answer` with its `supporting_facts`"):
        await run_bench(score, {"value": FACTS, "wanted": {"answer": "x"}}, {"by": "answer and facts"})
