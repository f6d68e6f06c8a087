"""Charts say what the report says, in places and in words."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.experiments.charts import cost_scatter, effect_points, front_of, score_bars, score_histograms
from studio.experiments.headlines import headline, headlines
from tests.examples import examples

amounts = st.floats(0, 10, allow_nan=False)


def report(**variants: tuple[float, float]) -> dict[str, Any]:
    """A plain report of variants, each with a score and what a trial costs."""
    told = {
        name: {
            "scores": {"right": {"mean": score, "interval": [score - 0.1, score + 0.1]}},
            "measures": {"cost": {"mean": cost, "interval": None}, "tokens": {"mean": 9.0, "interval": None}},
        }
        for name, (score, cost) in variants.items()
    }
    return {"variants": told, "compared": []}


@given(st.lists(st.tuples(amounts, amounts), min_size=1, max_size=12))
@settings(max_examples=examples(100))
def test_the_front_has_what_no_other_beats_and_nothing_else(points: list[tuple[float, float]]) -> None:
    front = front_of(points)
    assert front
    for at, (cost, score) in enumerate(points):
        is_beaten = any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        assert (at in front) is not is_beaten


def test_a_longer_bar_is_a_better_score() -> None:
    chart = score_bars(report(low=(0.25, 1), high=(0.75, 1)), "right", 600)
    low, high = (one for one in chart.marks if one.kind == "bar")
    assert high.width == 3 * low.width
    assert "low: 25 % (15 to 35)" in chart.words


def test_a_place_on_a_chart_says_what_is_there() -> None:
    chart = cost_scatter(report(cheap=(0.5, 0.01), dear=(0.9, 0.08)), "right", 600)
    dots = [one for one in chart.marks if one.kind == "dot"]
    assert [chart.tip_at(one.x, one.y) for one in dots] == [
        "cheap: 50 % (40 to 60), $0.0100",
        "dear: 90 % (80 to 100), $0.0800",
    ]
    assert chart.tip_at(1, 1) == ""
    assert {one.shape for one in dots} == {0, 1}  # told apart without colours


def test_names_are_drawn_over_all_lines() -> None:
    chart = cost_scatter(report(cheap=(0.5, 0.01), near=(0.52, 0.011), dear=(0.9, 0.08)), "right", 600)
    assert [one.text for one in chart.marks][-3:] == ["cheap", "near", "dear"]


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_the_line_of_the_front_strikes_no_name_out(score: float) -> None:
    chart = cost_scatter(report(cheap=(score, 0.01), dear=(score, 0.08)), "right", 600)
    (dot,) = (one for one in chart.marks if one.kind == "dot" and one.tip.startswith("cheap"))
    (name,) = (one for one in chart.marks if one.text == "cheap")
    assert abs(name.y - 4 - dot.y) >= 8
    assert 8 <= name.y <= chart.height


def test_what_costs_nothing_is_drawn_over_tokens() -> None:
    assert "tokens" in cost_scatter(report(one=(0.5, 0.0)), "right", 600).title


def test_a_variant_without_scores_says_so() -> None:
    told = report(one=(0.5, 0.0))
    told["variants"]["none"] = {"scores": {}, "measures": {}}
    assert "none: no score" in score_bars(told, "right", 600).words


def test_nothing_of_a_chart_lies_outside_of_it() -> None:
    told = report(**{f"variant number {n}": (n / 9, n / 100) for n in range(10)})
    counts = {name: [n] * 10 for n, name in enumerate(told["variants"])}
    for chart in (
        score_bars(told, "right", 500),
        cost_scatter(told, "right", 500),
        score_histograms(counts, 500),
    ):
        for one in chart.marks:
            assert -1 <= one.x <= chart.width + 1
            assert -1 <= one.y <= chart.height + 1


def compared(difference: float, low: float, high: float, *, is_sure: bool) -> dict[str, Any]:
    return {
        "variant": "B",
        "baseline": "A",
        "scorer": "right",
        "difference": difference,
        "interval": [low, high],
        "is_sure": is_sure,
    }


def test_an_effect_has_the_sign_for_minus_in_its_figures_and_none_in_its_name() -> None:
    drawn = effect_points([("model: small-2", -0.061, (-0.11, 0.01))], 400)
    said = "model: small-2: \N{MINUS SIGN}6.1 points (\N{MINUS SIGN}11.0 to +1.0)"
    assert drawn.words == f"Effects in points, with 95 % intervals. {said}."
    assert [one.tip for one in drawn.marks if said in one.tip] == [said, said]
    assert "\N{MINUS SIGN}6" in [one.text for one in drawn.marks]


def test_the_first_sentence_says_which_is_better_or_that_nobody_can_tell() -> None:
    assert (
        headline(compared(0.06, 0.01, 0.11, is_sure=True)) == "“B” is better than “A” by 6 points (1 to 11)."
    )
    assert (
        headline(compared(-0.06, -0.11, -0.01, is_sure=True))
        == "“B” is worse than “A” by 6 points (1 to 11)."
    )
    unsure = compared(0.02, -0.03, 0.07, is_sure=False)
    assert headline(unsure) == "The data cannot tell “B” and “A” apart (\N{MINUS SIGN}3 to +7 points)."
    assert headline({**unsure, "interval": None}) == "Too few rows or repeats to compare “B” with “A”."


def test_sure_sentences_come_first_and_only_of_the_scorer() -> None:
    sure = {**compared(0.06, 0.01, 0.11, is_sure=True), "variant": "C"}
    other = {**sure, "scorer": "judge"}
    told = {"compared": [compared(0.02, -0.03, 0.07, is_sure=False), sure, other]}
    assert [one.partition(" ")[0] for one in headlines(told, "right")] == ["“C”", "The"]
