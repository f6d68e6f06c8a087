"""Simulated solvers are right as often as is stated, and together as often as is stated."""

import json
import math
from functools import cache

import pytest

from studio.llm.client import Caller
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.solvers.opinion import Opinion
from studio.llm.solvers.problems import Problem
from studio.llm.solvers.solver import Solver
from tests.llm.solvers.builders import GAP, PROBLEMS, ask, body, solvers

TRIALS = 3000
COIN = Problem(id="coin", question="Which side?", answer="heads", wrong=("tails",))


def opinion(
    solver: Solver,
    trial: int,
    *said: str | tuple[str, str],
    who: str = "",
    node: str = "",
    problem: Problem = COIN,
) -> Opinion:
    return Opinion(solver, problem, _request(problem.question, *said, who=who, node=node), str(trial))


@cache
def _request(*said: str | tuple[str, str], who: str, node: str) -> ScriptRequest:
    """What is asked, the same in each trial."""
    return ScriptRequest(body(*said, system=who), Caller(node))


def is_right(solver: Solver, trial: int, who: str = "", node: str = "") -> bool:
    return opinion(solver, trial, who=who, node=node).answer == COIN.answer


def near(share: float, chance: float) -> bool:
    """Within four standard deviations of what is expected."""
    return abs(share - chance) <= 4 * math.sqrt(chance * (1 - chance) / TRIALS)


@pytest.mark.parametrize("difficulty", [0.0, 0.5, 1.0])
def test_a_solver_is_right_as_often_as_is_stated_at_each_difficulty(difficulty: float) -> None:
    solver = Solver(accuracy=0.9, accuracy_at_hardest=0.4)
    problem = COIN.model_copy(update={"difficulty": difficulty})
    right = sum(opinion(solver, one, problem=problem).answer == "heads" for one in range(TRIALS))
    assert near(right / TRIALS, 0.9 - 0.5 * difficulty)


def test_wrong_answers_are_those_of_the_problem_each_as_often() -> None:
    solver = Solver(accuracy=0.0)
    said = [opinion(solver, one, problem=PROBLEMS[0]).answer for one in range(TRIALS)]
    assert set(said) == {"12", "21"}
    assert near(said.count("12") / TRIALS, 0.5)


@pytest.mark.parametrize("voters", [3, 5, 9])
def test_a_majority_of_independent_solvers_is_right_as_condorcet_says(voters: int) -> None:
    solver = Solver(accuracy=0.6, correlation=0)
    won = sum(
        sum(is_right(solver, trial, f"You are {voter}.") for voter in range(voters)) > voters / 2
        for trial in range(TRIALS)
    )
    most = range(voters // 2 + 1, voters + 1)
    expected = sum(math.comb(voters, k) * 0.6**k * 0.4 ** (voters - k) for k in most)
    assert near(won / TRIALS, expected)


def test_solvers_who_err_together_gain_nothing_by_voting() -> None:
    solver = Solver(accuracy=0.6, correlation=1)
    votes = [[is_right(solver, trial, f"You are {n}.", f"n{n}") for n in range(5)] for trial in range(200)]
    assert all(len(set(one)) == 1 for one in votes)


@pytest.mark.parametrize(("between", "within"), [(0.0, 0.5), (0.2, 0.6), (0.5, 0.5), (0.3, 1.0)])
def test_answers_correlate_as_stated_between_agents_and_between_samples(
    between: float, within: float
) -> None:
    solver = Solver(accuracy=0.5, correlation=between, correlation_of_samples=within)
    ada = [is_right(solver, trial, "ada", "a") for trial in range(TRIALS)]
    again = [is_right(solver, trial, "ada", "b") for trial in range(TRIALS)]
    ben = [is_right(solver, trial, "ben", "a") for trial in range(TRIALS)]
    # At even chances two answers agree with (1 + correlation) / 2.
    assert near(sum(a == b for a, b in zip(ada, ben, strict=True)) / TRIALS, (1 + between) / 2)
    agreed = sum(a == b for a, b in zip(ada, again, strict=True)) / TRIALS
    assert agreed == 1 if within == 1 else near(agreed, (1 + within) / 2)


@pytest.mark.parametrize(("said", "answer", "sway"), [("tails", "heads", 0.3), ("heads", "tails", 0.8)])
def test_a_solver_follows_others_as_far_as_is_stated(said: str, answer: str, sway: float) -> None:
    """Who said one thing is told another by most."""
    solver = Solver(sway_wrong=0.3, sway_right=0.8)
    talk = ("assistant", f"The answer is {answer}."), f"ADA: {said}\nBEN: {answer}\nCID: {said}, I am sure."
    followed = sum(opinion(solver, trial, *talk).answer == said for trial in range(TRIALS))
    assert near(followed / TRIALS, sway)


def test_only_what_each_said_last_counts() -> None:
    talk = ("ADA: tails", "BEN: tails\n\nCID: heads", "ADA: heads, after all\nIt is heads.")
    assert sorted(opinion(Solver(), 1, *talk).heard) == ["heads", "heads", "tails"]


@pytest.mark.parametrize(
    "told",
    [
        {"question": "Which side?", "answers": "a_1: It holds. Answer: tails\n\na_2: heads"},
        {"a_1": "tails", "a_2": "heads, since tails is wrong: heads"},
        {"said": [{"speaker": "a_1", "answer": "tails"}, {"speaker": "a_2", "answer": "heads"}]},
    ],
)
def test_what_is_told_as_json_is_heard_as_if_it_were_said(told: object) -> None:
    one = opinion(Solver(), 1, json.dumps(told))
    assert one.heard == ["tails", "heads"]
    assert one.said_by(["a_1", "a_2"]) == {"a_1": "tails", "a_2": "heads"}


def test_a_list_has_a_voice_for_each_that_it_has() -> None:
    assert (
        opinion(Solver(), 1, json.dumps({"answers": ["tails", "heads", "heads"]})).heard.count("heads") == 2
    )


def test_what_is_given_as_an_answer_counts_before_what_is_only_named() -> None:
    talk = "ADA: It can't be tails. Answer: heads\n\nMark each of them, from tails (bad) to heads."
    assert opinion(Solver(), 1, talk, "BEN: The answer is **tails**, not heads.").heard == ["heads", "tails"]
    assert COIN.stated_in('{"answer": "heads", "reason": "not tails"}') == "heads"


def test_what_stands_in_the_question_was_said_by_nobody() -> None:
    problem = Problem(id="x", question="Is it heads or tails?", answer="heads", wrong=("tails",))
    request = ScriptRequest(body("Is it heads or tails? Think."), Caller())
    assert Opinion(Solver(), problem, request, "1").heard == []


def test_a_judge_lets_pass_as_often_as_is_stated() -> None:
    solver = Solver(sensitivity=0.9, specificity=0.7)
    passed = {
        said: sum(opinion(solver, trial, f"ADA: {said}").verdict() for trial in range(TRIALS)) / TRIALS
        for said in ("heads", "tails")
    }
    assert near(passed["heads"], 0.9)
    assert near(passed["tails"], 1 - 0.7)


def test_who_picks_takes_what_most_said_of_what_passes() -> None:
    sure = Solver(picks=True, sensitivity=1, specificity=1)
    assert opinion(sure, 1, "ADA: tails", "BEN: tails", "CID: heads").answer == "heads"
    blind = Solver(picks=True, sensitivity=1, specificity=0)
    assert opinion(blind, 1, "ADA: tails", "BEN: tails", "CID: heads").answer == "tails"


def test_the_same_is_answered_the_same_in_one_trial_and_not_in_all() -> None:
    book = solvers(trial="1", accuracy=0.5)
    assert ask(book, GAP) == ask(solvers(trial="1", accuracy=0.5), GAP)
    assert len({ask(solvers(trial=str(trial), accuracy=0.5), GAP) for trial in range(20)}) > 1


def slipped(
    trial: int, chance: float, at: str = "", *, who: str = "", said: str = "", **stated: float
) -> bool:
    turns = [("assistant", said)] if said else []
    return opinion(Solver.model_validate(stated), trial, *turns, who=who).slips(chance, at)


@pytest.mark.parametrize("at", ["", "the permit"])
@pytest.mark.parametrize("chance", [0.0, 0.1, 0.6, 1.0])
def test_a_solver_slips_as_often_as_is_stated(chance: float, at: str) -> None:
    assert near(sum(slipped(one, chance, at) for one in range(TRIALS)) / TRIALS, chance)


@pytest.mark.parametrize("at", ["", "the permit"])
def test_the_same_chat_slips_the_same_and_who_slips_at_less_slips_at_more(at: str) -> None:
    small, again, large = ([slipped(one, c, at) for one in range(300)] for c in (0.2, 0.2, 0.4))
    assert small == again
    assert any(small)
    assert all(more for less, more in zip(small, large, strict=True) if less)
    assert sum(large) > sum(small)


def test_slips_are_anew_in_each_chat_but_those_with_a_name_are_not() -> None:
    first, later = ([slipped(one, 0.5, said=said) for one in range(TRIALS)] for said in ("", "Hm."))
    together = sum(a == b for a, b in zip(first, later, strict=True))
    assert near(together / TRIALS, 0.5)
    first, later = ([slipped(one, 0.5, "permit", said=said) for one in range(TRIALS)] for said in ("", "Hm."))
    assert first == later


@pytest.mark.parametrize("correlation", [0.0, 0.4, 1.0])
def test_two_agents_slip_at_what_is_named_together_as_is_stated(correlation: float) -> None:
    ada, ben = (
        [slipped(one, 0.5, "the permit", who=who, correlation=correlation) for one in range(TRIALS)]
        for who in ("Ada", "Ben")
    )
    alike = sum(a == b for a, b in zip(ada, ben, strict=True)) / TRIALS
    assert near(alike, 0.5 + correlation / 2)


def test_what_is_named_otherwise_is_slipped_at_otherwise() -> None:
    first, other = ([slipped(one, 0.5, at) for one in range(TRIALS)] for at in ("permit", "notice"))
    assert near(sum(a == b for a, b in zip(first, other, strict=True)) / TRIALS, 0.5)
