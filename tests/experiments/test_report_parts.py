"""What the command line tells of a report, window and HTML report lay out as parts, by the same figures."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from studio.experiments.figures.sequential import confidence
from studio.experiments.headlines import headlines
from studio.experiments.html_report import html_report
from studio.experiments.labels import Label
from studio.experiments.report import Report, report_of
from studio.experiments.report_files import plain_report
from studio.experiments.report_parts import Part, parts_of
from studio.experiments.table import Table
from tests.experiments.builders import experiment_project, opened
from tests.experiments.running import run
from tests.experiments.test_html_report import Page

pytest.importorskip("scipy")

FACTORS = {
    "flow": {"one": {"flow": "flow.json"}, "three": {"flow": "voting.json"}},
    "limit": {"wide": {}, "none": {"limits": {"tokens": 1}}},
}


class Told:
    """A report of factors with labels and a sequential rule, told in all ways."""

    def __init__(self, root: Any) -> None:
        path = experiment_project(
            root / "p", 16, {"accuracy": 1}, variants=None, factors=FACTORS, stop={"looks": 4, "within": 0.9}
        )
        self.opened, self.table = opened(path), run(path)
        keys = list(dict.fromkeys(cell.key for cell in self.table.cells))[:6]
        labels = [Label(trial=key, scorer="right", by="Ann", score=1.0) for key in keys]
        self.report: Report = report_of(self.opened, self.table, labels=labels)
        self.plain: Mapping[str, Any] = json.loads(json.dumps(plain_report(self.report, self.table)))
        self.parts = {part.title: part for part in parts_of(self.plain)}

    def grid(self, part: str, title: str = "") -> list[list[str]]:
        """A table's lines."""
        [found] = [one for one in self.parts[part].grids if one.title == title]
        assert {len(one) for one in found.lines} == {len(found.head)}
        return [list(one) for one in found.lines]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return Told(tmp_path_factory.mktemp("parts"))


def test_factors_are_told_with_their_interactions_and_drawn(told: Told) -> None:
    mains = told.grid("Factors", "Main effects")
    assert [one[:4] for one in mains] == [
        ["flow", "three", "one", "+0.0"],
        ["limit", "none", "wide", "\N{MINUS SIGN}100.0"],
    ]
    [together] = told.grid("Factors", "Interactions")
    assert together[:3] == ["flow: three", "limit: none", "wide"]
    assert [name for name, *_ in told.parts["Factors"].effects] == [
        "flow: three",
        "limit: none",
        "flow: three with limit: none",
    ]


def test_a_judge_stands_beside_what_people_say(told: Told) -> None:
    passing, failing = told.grid("“right” against human labels", "Labelled trials")
    judge = told.report.judges[0].confusion
    assert passing == ["scorer passes", f"{judge.both_pass}", f"{judge.judge_alone}"]
    assert failing == ["scorer fails", f"{judge.people_alone}", f"{judge.both_fail}"]


def test_each_look_of_a_rule_says_what_came_of_it(told: Told) -> None:
    looks = told.grid("Early stop")
    assert [one[2] for one in looks] == ["4", "8", "12", "16"]
    ended = told.report.look
    assert ended is not None
    assert ended.is_end
    assert [one[1] for one in looks] == [
        *["went on"] * (ended.number - 1),
        "decided: it ended here",
        *["not needed"] * (4 - ended.number),
    ]
    assert told.parts["Early stop"].words == [ended.words]


def test_an_interval_is_never_said_to_be_sure() -> None:
    assert [confidence(one) for one in (0.05, 0.0045, 2e-7)] == ["95 %", "99.55 %", "over 99.99 %"]


def test_budgets_that_differ_are_told_at_equal_budget(told: Told) -> None:
    lines = told.grid("At equal budget")
    assert len(lines) == sum(one.equal is not None for one in told.report.compared)
    assert "More repeats would tell" in told.parts["At equal budget"].words[0]


def test_no_note_says_what_a_part_of_its_own_tells(told: Told) -> None:
    words = told.parts["Notes"].words if "Notes" in told.parts else []
    assert not [one for one in words if "budgets differ" in one or "ended early" in one]
    kept = [one for one in told.report.notes if "budgets" not in one and "At equal" not in one]
    assert len(words) == len(kept) - 1  # but for the look


def test_the_page_has_every_part_with_every_figure(told: Told) -> None:
    page = Page(html_report(told.opened, told.table, told.report))
    titles = list(told.parts)
    assert titles == sorted(titles, key=page.text.index)
    labelled: Part = told.parts["Factors"]
    assert all(cell in page.text for grid in labelled.grids for line in grid.lines for cell in line)
    assert page.tags.count("svg") == 4  # the effects beside the three of every report


def test_a_report_before_the_end_is_provisional(told: Told) -> None:
    half: dict[str, Any] = {**told.plain, "done": 12, "total": 32}
    assert all(one.startswith("So far: ") for one in headlines(half, "right"))
    assert not any(one.startswith("So far: ") for one in headlines(told.plain, "right"))
    early = Page(html_report(told.opened, Table(told.table.cells, {}, {}), _without_trials(told)))
    assert f"Provisional, after 0 of {len(told.table.cells)} trials." in early.text


def _without_trials(told: Told) -> Report:
    return report_of(told.opened, Table(told.table.cells, {}, {}))


def test_a_report_that_an_earlier_version_kept_has_the_parts_that_it_can(told: Told) -> None:
    old = {name: one for name, one in told.plain.items() if name not in NEW}
    old["look"] = {name: one for name, one in told.plain["look"].items() if name != "words"}
    assert [part.title for part in parts_of(old)][:2] == ["Figures", "Differences"]
    assert headlines(old, "right")


NEW = ("interactions", "looks", "done", "total", "is_free")
