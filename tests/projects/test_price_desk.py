"""The example with an experiment: rows, three variants, a judge that needs no key, and who is better."""

import json
from pathlib import Path

import pytest

from studio.experiments.headlines import headlines
from studio.experiments.opening import open_experiment
from studio.experiments.report import report_of
from studio.experiments.report_files import plain_report
from studio.workspace.project import Project
from tests.experiments.running import run
from tests.projects.running import copied, ran

ROWS = 40


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied("price_desk", tmp_path_factory.mktemp("prices")).root


def problems(root: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (root / "data" / "problems.jsonl").read_text("utf-8").splitlines()]


async def test_scripted_clerks_reckon_what_they_are_asked(root: Path) -> None:
    for problem in problems(root)[3::10]:  # one of each topic
        state = await ran(Project.open(root), {"question": problem["question"]})
        assert state.outputs["answer"].data == f"The answer is {problem['answer']}."


def test_the_experiment_says_which_clerk_is_better_and_where_the_other_goes_wrong(root: Path) -> None:
    path = root / "experiments" / "clerks.json"
    document = json.loads(path.read_text("utf-8"))
    del document["scorers"]["judge"]
    document["repeats"] = 1
    path.write_text(json.dumps(document), "utf-8")
    one = open_experiment(Project.open(root), path, {})
    assert (len(one.dataset.rows), list(one.variants)) == (ROWS, ["at once", "step by step", "checked"])
    table = run(path)
    told = headlines(plain_report(report_of(one, table), table), "right")
    assert told[0].startswith("“step by step” is better than “at once” by ")
    wrong = [one for one in table.scores.values() if one.score == 0]
    assert wrong
    assert all(one.reason.startswith("It is ") for one in wrong)
