"""Long idle times in the timeline: folded, and what stands beside them as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.ui.panels.timeline.scale import NO_FOLDS, TimeScale, fitted, folded
from tests.examples import examples

LENGTHS = st.floats(0.01, 500.0)


def test_six_minutes_held_leave_the_work_of_a_second_room() -> None:
    folds = folded([(0.2, 360.2)], 361.0)
    scale = fitted(folds.fold(361.0), 1000.0, is_live=False)
    scale = TimeScale(scale.origin, scale.per_second, folds)
    assert scale.x(0.2) > 150
    assert scale.x(361.0) - scale.x(360.2) > 600
    assert scale.x(360.2) - scale.x(0.2) < 60


def test_short_waits_are_not_folded() -> None:
    assert folded([(1.0, 2.5)], 3.0) == NO_FOLDS
    assert folded([(10.0, 13.0)], 100.0) == NO_FOLDS


def test_what_is_not_folded_has_the_ticks_of_the_ruler() -> None:
    scale = TimeScale(0.0, 100.0, folded([(1.0, 100.0), (101.0, 200.0)], 202.0))
    assert list(scale.stretches(0.0, 202.0)) == [(0.0, 1.0), (100.0, 101.0), (200.0, 202.0)]
    assert list(scale.stretches(50.0, 100.5)) == [(100.0, 100.5)]


@settings(max_examples=examples(300))
@given(
    st.lists(st.tuples(LENGTHS, LENGTHS), max_size=5),
    LENGTHS,
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
)
def test_every_time_has_one_place_and_every_place_one_time(
    parts: list[tuple[float, float]], rest: float, places: list[float]
) -> None:
    now, idle = 0.0, list[tuple[float, float]]()
    for worked, waited in parts:
        idle.append((now + worked, now + worked + waited))
        now += worked + waited
    now += rest
    scale = TimeScale(0.0, 100.0, folded(idle, now))
    times = sorted(place * now for place in places)
    drawn = [scale.x(time) for time in times]
    assert drawn == sorted(drawn)
    for time, x in zip(times, drawn, strict=True):
        assert scale.seconds(x) == pytest.approx(time, abs=1e-6 * now)
    assert scale.x(now) <= now * 100.0 + 1
