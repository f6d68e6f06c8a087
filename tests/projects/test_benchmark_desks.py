"""The examples in the forms of benchmarks run on scripted answers, and say which variant is better."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.experiments.headlines import headlines
from studio.experiments.opening import open_experiment
from studio.experiments.report import report_of
from studio.experiments.report_files import plain_report
from studio.experiments.table import Table
from studio.workspace.project import Project
from tests.experiments.running import run
from tests.projects.running import copied


def reasons(path: Path, table: Table, variant: str) -> Mapping[str, str]:
    """Why a variant fails, by row."""
    opened = open_experiment(Project.open(path.parent.parent), path, {})
    scorer = next(iter(opened.scorers))
    found = {
        opened.dataset.rows[cell.row].id: table.scores[cell.key, scorer]
        for cell in table.cells
        if cell.variant == variant
    }
    return {row: one.reason for row, one in found.items() if one.score == 0}


def test_functions_are_called_better_with_rules_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    root = copied("station_desk", tmp_path).root
    path = root / "experiments" / "rules.json"
    table = run(path)
    assert len(table.cells) == 40
    opened = open_experiment(Project.open(root), path, {})
    plain = plain_report(report_of(opened, table), table)
    assert headlines(plain, "calls") == ["“with rules” is better than “as it is” by 40 points (9 to 63)."]
    assert set(reasons(path, table, "with rules")) == {"multiple_10", "multiple_14"}
    wrong = reasons(path, table, "as it is")
    assert "`day` of `trains.search` is 'tomorrow'" in wrong["multiple_3"]
    assert "irrelevance_0" in wrong
    assert wrong["parallel_multiple_0"] == "1 call was made, and 2 are expected."


@pytest.mark.box
def test_a_clerk_who_looks_first_leaves_the_orders_as_they_should_be(tmp_path: Path) -> None:
    root = copied("returns_desk", tmp_path).root
    path = root / "experiments" / "looks_first.json"

    tasks = root / "data" / "tasks.json"
    few = [one for one in json.loads(tasks.read_text("utf-8")) if one["id"] in {"one shipped", "the cheaper"}]
    tasks.write_text(json.dumps(few), "utf-8")

    table = run(path)
    assert reasons(path, table, "looks first") == {}
    assert reasons(path, table, "acts at once") == {
        "one shipped": "It did not say shipped.",
        "the cheaper": "The orders are not as they should be. It did not say 12.50.",
    }
