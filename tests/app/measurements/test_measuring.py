"""Flows are measured under simulated solvers: how often they are right, at what cost, one against another."""

import json
import math
from pathlib import Path

import pytest

from studio.app.measurements.measurement import Measured, Measurement, measure
from studio.errors import UsageError
from tests.app.solving import solving_project
from tests.app.written_projects import write_flow
from tests.trusted import HERE

RUNS = 60


def measured(root: Path, *flows: str, chat: str = "solvers", runs: int = RUNS, seed: int = 1) -> Measurement:
    paths = [root / name for name in flows]
    return measure(paths, root / "data" / "problems.jsonl", environ=HERE, chat=chat, runs=runs, seed=seed)


def near(one: Measured, chance: float) -> bool:
    """Within four standard deviations."""
    return abs(one.accuracy.value - chance) <= 4 * math.sqrt(chance * (1 - chance) / len(one.trials))


def test_a_vote_of_three_gains_what_condorcet_says_and_costs_three_times_as_much(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p")
    alone, voting = measured(root, "flow.json", "voting.json").flows
    assert near(alone, 0.6)
    assert near(voting, 0.6**3 + 3 * 0.6**2 * 0.4)
    assert (alone.mean("chats"), voting.mean("chats")) == (1, 3)
    assert voting.times_the_tokens_of(alone) == pytest.approx(3, rel=0.01)
    assert not voting.costs_as_much_as(alone)
    assert voting.against(alone).interval.low > -0.02


def test_a_vote_of_solvers_who_err_together_gains_nothing(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", correlation=1)
    alone, voting = measured(root, "flow.json", "voting.json").flows
    assert voting.rows == alone.rows
    assert voting.against(alone).interval.value == 0


def test_runs_of_a_problem_are_not_taken_for_problems() -> None:
    """Forty runs that all say the same made the interval a sixth as wide when they were."""

    def flow(runs: int, right: int) -> Measured:
        rows = {f"p{n}": [float(n < right)] * runs for n in range(12)}
        return Measured("flow.json", "Solve", rows, [])

    once, often = flow(1, 6).accuracy, flow(40, 6).accuracy
    assert (often.low, often.high) == (pytest.approx(once.low, abs=0.03), pytest.approx(once.high, abs=0.03))
    told = flow(40, 9).against(flow(40, 6))
    assert (told.rows, told.chance) == (12, pytest.approx(0.25))


def test_simulated_seconds_are_those_of_the_longest_way(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", seconds=2, tokens=100, tokens_per_second=25)
    alone, voting, twice = measured(root, "flow.json", "voting.json", "twice.json", runs=1).flows
    assert alone.mean("seconds") == pytest.approx(6)
    assert voting.mean("seconds") == pytest.approx(6)
    assert twice.mean("seconds") == pytest.approx(12)


def test_dollars_are_those_of_the_solvers(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", tokens=1000, input_price=0, output_price=2)
    assert measured(root, "flow.json", runs=1).flows[0].mean("cost") == pytest.approx(0.002)


def test_a_measurement_is_the_same_again_and_another_with_another_seed(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p")
    first, again, other = (measured(root, "voting.json", runs=3, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.flows[0].rows != other.flows[0].rows


def test_who_asks_the_same_agents_has_the_same_luck(tmp_path: Path) -> None:
    """So that the difference of two flows is that of the flows, and less of chance."""
    root = solving_project(tmp_path / "p", correlation_of_samples=1)
    write_flow(root / "again.json", json.loads((root / "flow.json").read_text("utf-8")))
    one, other = measured(root, "flow.json", "again.json", runs=3).flows
    assert one.rows == other.rows


def test_a_run_that_fails_is_a_wrong_answer_and_is_told(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p")
    (root / "data" / "rules.yaml").write_text("rules: [{error: {status: 400, message: No.}}]", "utf-8")
    text = (root / "project.json").read_text("utf-8")
    (root / "project.json").write_text(text.replace('"accuracy"', '"rules": ["data/rules.yaml"], "accuracy"'))
    [found] = measured(root, "flow.json", runs=1).flows
    assert len(found.missed) == len(found.trials) == len(found.why_failed)
    assert all("No." in one for one in found.why_failed)


def test_what_writes_files_writes_them_to_a_copy(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", count=2)
    text = (root / "flow.json").read_text("utf-8")
    kept = '"keep": {"kind": "io.write_file", "title": "Keep", "settings": {"path": "data/said.txt"}}, "w":'
    text = text.replace('"w":', kept).replace('"w.reply', '"w.reply -> keep.text",\n"w.reply', 1)
    (root / "keeping.json").write_text(text, "utf-8")
    found = measured(root, "keeping.json", runs=1).flows[0]
    assert not found.why_failed
    assert not (root / "data" / "said.txt").exists()


@pytest.mark.parametrize(("chat", "said"), [("openai", "not simulated"), ("nobody", "no chat profile")])
def test_only_simulated_solvers_are_measured(tmp_path: Path, chat: str, said: str) -> None:
    root = solving_project(tmp_path / "p", count=1)
    with pytest.raises(UsageError, match=said):
        measured(root, "flow.json", chat=chat)


def test_a_flow_that_would_ask_who_is_paid_is_refused(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", count=1)
    text = (root / "flow.json").read_text("utf-8")
    (root / "flow.json").write_text(text.replace('"instructions"', '"profile": "openai", "instructions"'))
    with pytest.raises(UsageError, match="uses the chat profile `openai`"):
        measured(root, "flow.json")


def test_the_only_simulated_profile_is_taken_where_none_is_named(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", count=1)
    assert measured(root, "flow.json", chat="", runs=1).chat == "solvers"


def test_a_flow_without_question_or_answer_is_refused_in_words(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p", count=1)
    text = (root / "flow.json").read_text("utf-8")
    (root / "flow.json").write_text(text.replace("answer", "result"))
    with pytest.raises(UsageError, match="no flow output `answer`"):
        measured(root, "flow.json")


@pytest.mark.slow
def test_the_turns_of_one_agent_that_is_lent_are_as_many_tries(tmp_path: Path) -> None:
    root = solving_project(tmp_path / "p")
    nodes = {
        "question": {"kind": "io.flow_input"},
        "alone": {"kind": "team.member", "settings": {"name": "alone"}},
        "vote": {"kind": "team.vote", "settings": {"times": 9}},
        "answer": {"kind": "io.flow_output"},
    }
    wires = ["question.value -> vote.task", "alone.agent -> vote.agents[0]", "vote.reply -> answer.value"]
    document = {"format": "stepwire.flow", "version": 1, "name": "Nine"}
    write_flow(root / "nine.json", {**document, "nodes": nodes, "wires": wires})
    [found] = measured(root, "nine.json").flows
    assert near(found, sum(math.comb(9, right) * 0.6**right * 0.4 ** (9 - right) for right in range(5, 10)))
