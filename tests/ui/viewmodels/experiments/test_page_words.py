"""What the Experiments page says: estimates, progress, cells, and which runs a cell stands for."""

from dataclasses import replace
from typing import Any

import pytest

from studio.app.experiments.progress import Estimate, Stage, Told
from studio.experiments.trial_pages import ShownRow, ShownTrial, Wanted
from studio.experiments.trials import TrialState
from studio.ui.panels.experiments.node_states import states_of
from studio.ui.viewmodels.experiments.cell_choice import cell_at, pair_of, regular_pair
from studio.ui.viewmodels.experiments.new_variants import read_value
from studio.ui.viewmodels.experiments.output_words import output_words
from studio.ui.viewmodels.experiments.page_words import (
    estimate_words,
    progress_words,
    provisional_words,
    state_words,
    verdict_words,
    where_of,
)
from studio.ui.viewmodels.experiments.table_rows import PAGE, TableRows, cell_look, grade_of, reason_words

ABOUT: dict[str, Any] = {
    "variants": ["A", "B", "C"],
    "flows": ["a.json", "b.json", "a.json"],
    "baseline": "A",
}


def trial(
    score: float | None = None, repeat: int = 1, state: TrialState | None = TrialState.DONE, reason: str = ""
) -> ShownTrial:
    return ShownTrial(repeat, f"k{repeat}", f"r{score}-{repeat}", state, score, reason, 0.01, 70, 1.5)


def test_an_estimate_says_trials_cost_and_power() -> None:
    found = Estimate(240, 120, 40, 3, ("A", "B", "C"), power="With 40 rows, 9 points are found.")
    assert estimate_words(found) == (
        "240 trials to run: 40 rows, 3 variants, 3 times each. 120 are stored already. "
        "The cost is known after the first trials. With 40 rows, 9 points are found."
    )
    assert "Estimated cost $1.50." in estimate_words(replace(found, cost=1.5))
    assert "allow $12.00 at most" in estimate_words(replace(found, cost=1.5, most=12.0))
    assert "nothing is paid" in estimate_words(replace(found, is_free=True))
    assert estimate_words(Estimate(0, 360)) == "All 360 trials are stored."
    one = Estimate(1, 1, 1, 1, ("A",), is_free=True)
    assert estimate_words(one).startswith("1 trial to run: 1 row, 1 variant, once each. 1 is stored already.")


def test_a_state_says_what_goes_on_and_a_refusal_nothing_beside_it() -> None:
    assert state_words(Told(Stage.OPENING)) == "Checking the experiment…"
    assert state_words(Told(Stage.RUNNING)) == "Starting…"
    assert state_words(Told(Stage.READY, estimate=Estimate(0, 360))) == "All 360 trials are stored."
    assert state_words(Told(Stage.REFUSED)) == ""


def test_progress_says_how_far_it_is_and_what_is_left() -> None:
    told = Told(Stage.RUNNING, done=94, total=360, cost=0.0671, remaining=14.2)
    assert progress_words(told) == "94 of 360 trials, $0.0671, about 0:14 left"
    first = replace(told, done=1, remaining=8_000.0)
    assert progress_words(first) == "1 of 360 trials, $0.0671"
    told.estimate = Estimate(266, 94, is_free=True)  # what solvers state is not paid
    assert progress_words(told) == "94 of 360 trials, about 0:14 left"
    told.estimate = None
    told.stage = Stage.PAUSED
    assert progress_words(told) == "94 of 360 trials, $0.0671, paused"
    told.stage = Stage.CANCELLING
    assert "kept" in progress_words(told)


def test_a_cell_is_coloured_by_its_score_and_says_it_too() -> None:
    look = cell_look([trial(1.0), trial(0.0, 2, reason="It is 7,\nnot 8.")])
    assert (look.text, look.grade, look.detail) == ("50 %", "middle", "It is 7, not 8.")
    assert "Repeat 2: 0 % (70 tokens, 1.5 s)" in look.tip
    assert reason_words(trial(1.0, reason="It is 7.")) == "Repeat 1: 100 % (70 tokens, 1.5 s)"
    assert reason_words(trial(0.0, reason="No,\n8.")) == "Repeat 1: 0 % (70 tokens, 1.5 s) – No, 8."
    failed = cell_look([trial(0.0, state=TrialState.FAILED, reason="The run failed: no.")])
    assert (failed.text, failed.grade) == ("0 %  ✕", "low")  # a cross on screen
    assert cell_look([trial(state=None)]).text == "–"
    lost = cell_look([trial(state=TrialState.PROVIDER, reason="HTTP 429")])
    assert (lost.text, lost.grade, lost.detail) == ("1 failed at the provider", "", "HTTP 429")
    assert cell_look([trial(1.0), trial(state=None, repeat=2)]).tip.endswith("1 of 2 run")
    assert [grade_of(one) for one in (0.0, 0.39, 0.5, 0.8, 0.81)] == [
        "low",
        "low",
        "middle",
        "middle",
        "high",
    ]


def row(*scores: tuple[float | None, ...]) -> ShownRow:
    return ShownRow(
        0, "row-1", "What?", (), [[trial(one, n) for n, one in enumerate(each, 1)] for each in scores]
    )


def test_two_cells_are_compared_at_the_first_repeat_that_they_score_apart() -> None:
    one = row((1.0, 0.0), (1.0, 1.0), (1.0, 0.0))
    found = pair_of(cell_at(ABOUT, one, 0), cell_at(ABOUT, one, 1))
    assert found is not None
    assert (found.first, found.second, found.flow) == ("r0.0-2", "r1.0-2", "b.json")
    assert pair_of(cell_at(ABOUT, one, 0), cell_at(ABOUT, one, 2)) is None  # one trial for both


def test_one_cell_is_compared_with_the_baseline_and_that_with_the_most_different() -> None:
    one = row((0.0,), (0.5,), (1.0,))
    found = regular_pair(ABOUT, one, 1)
    assert found is not None
    assert found.words == ("row-1, B", "row-1, A")
    other = regular_pair(ABOUT, one, 0)
    assert other is not None
    assert other.words == ("row-1, A", "row-1, C")
    assert regular_pair(ABOUT, one, -1) is None


def compared(variant: str, difference: float, *, is_sure: bool) -> dict[str, Any]:
    between = [difference - 0.05, difference + 0.05]
    return {
        "variant": variant,
        "baseline": "A",
        "scorer": "right",
        "difference": difference,
        "interval": between,
        "is_sure": is_sure,
    }


def test_where_the_baseline_goes_wrong_is_where_the_best_sure_variant_is_better() -> None:
    report: dict[str, Any] = {
        "variants": {"A": {}, "B": {}, "C": {}},
        "compared": [compared("B", 0.06, is_sure=True), compared("C", 0.1, is_sure=False)],
    }
    found = where_of(report, "right")
    assert found is not None
    assert (found.variant, found.baseline) == ("B", "A")
    assert verdict_words(report, "right")[0] == "“B” is better than “A” by 6 points (1 to 11)."
    assert provisional_words(report) == ""
    early = {**report, "done": 94, "total": 360}
    assert provisional_words(early) == "Provisional, after 94 of 360 trials."
    assert verdict_words(early, "right")[0] == "So far: “B” is better than “A” by 6 points (1 to 11)."
    assert where_of(report, "judge") is None
    assert where_of(None, "right") is None


@pytest.mark.parametrize(
    ("typed", "like", "value"),
    [("0.5", 1, 0.5), ("yes", False, True), ("12", "a text", "12"), ("twelve", 1, "twelve"), ("7", 3, 7)],
)
def test_a_typed_value_is_read_as_the_setting_has_it(typed: str, like: Any, value: object) -> None:
    assert read_value(typed, like) == value


def test_a_node_says_what_it_took_over_trials() -> None:
    figures = {
        "steps": 120,
        "failed": 3,
        "ways": {"yes": 84, "no": 36},
        "seconds": {"low": 0.5, "median": 1.4, "high": 3.0},
        "tokens": 8400,
        "cost": 0.12,
    }
    state = states_of({"a": figures})["a"]
    assert state.text == "120 steps, 3 failed, yes 70 %, no 30 %, 500 ms – 3.0 s"
    assert state.note == "1.4 s · 70 tokens · $0.0010"
    assert state.status == "failed"


def test_a_conversation_is_read_line_by_line_and_blind_without_its_instructions() -> None:
    call = {"name": "look", "arguments": {"order": "#1"}}
    messages = [
        {"role": "system", "content": "Look first."},
        {"role": "user", "content": "Cancel #1."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "assistant", "content": "Done."},
    ]
    said = 'user: Cancel #1.\nassistant calls look: {"order": "#1"}\nassistant: Done.'
    assert output_words(messages, is_blind=True) == said
    assert output_words(messages) == f"system: Look first.\n{said}"
    assert output_words("It is 7.") == "It is 7."
    assert output_words([{"a": 1}]) == '[\n  {\n    "a": 1\n  }\n]'


class Counting:
    """Pages of a table that count how many rows are read."""

    variants = ("A",)

    def __init__(self, count: int) -> None:
        self.count, self.read = count, 0

    def places(self, _wanted: Wanted) -> range:
        return range(self.count)

    def page(self, places: range, _scorer: str) -> list[ShownRow]:
        self.read += len(places)
        return [ShownRow(one, f"row {one}", "", (), [[]]) for one in places]


def test_a_table_of_any_size_reads_what_is_looked_at_and_keeps_little() -> None:
    pages = Counting(1_000_000)
    rows = TableRows(pages)  # type: ignore[arg-type]
    rows.want(Wanted())
    assert rows.count == 1_000_000
    assert [rows.row(n).id for n in (0, 1, 40, 999_999)] == ["row 0", "row 1", "row 40", "row 999999"]
    assert pages.read == 2 * PAGE
    for n in range(0, 100_000, PAGE):
        rows.row(n)
    assert pages.read == (2 + 100_000 // PAGE - 1) * PAGE
    rows.row(0)
    assert pages.read == (3 + 100_000 // PAGE - 1) * PAGE  # the first page was let go, of no more than KEPT
