"""Debate is ahead of a vote at equal cost only where truth convinces better than error."""

import pytest

from studio.app.measurements.measurement import measure
from studio.places import projects
from tests.trusted import HERE

FOLDER = projects() / "debate"


@pytest.mark.parametrize(("solvers", "ahead"), [("strong", "vote"), ("truth_convinces", "debate")])
def test_debate_is_ahead_of_samples_at_equal_cost_only_where_truth_convinces_better(
    solvers: str, ahead: str
) -> None:
    flows = [FOLDER / name for name in ("flow.json", "voting.json", "same_three.json")]
    problems = FOLDER / "data" / "problems.jsonl"
    debate, samples, vote = measure(flows, problems, environ=HERE, chat=solvers, runs=15, rows="fixed").flows
    assert vote.mean("tokens") < debate.mean("tokens") * 1.1
    if ahead == "debate":
        assert debate.costs_as_much_as(samples)
        assert debate.against(samples).interval.low > 0
    else:
        assert debate.against(samples).interval.high < 0.12
        assert vote.against(debate).interval.low > 0
