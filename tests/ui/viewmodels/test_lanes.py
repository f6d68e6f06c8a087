from hypothesis import given
from hypothesis import strategies as st

from studio.ids import NodeId, StepId
from studio.trace.events import ChatRequested, StepFinished, StepHeld, StepReady, StepStarted, ToolCalled
from studio.trace.fold.steps import StepStatus
from studio.trace.timeline.lanes import Grouping
from studio.trace.timeline.spans import Bar
from studio.ui.panels.timeline.scale import TimeScale, fitted, placed
from studio.ui.viewmodels.run.lanes import Lane, Lanes, ticks
from tests.ui import growing
from tests.ui.builders import a_flow, a_run, entries


def titles(lanes: Lanes) -> list[str]:
    return [lane.title for lane in lanes.all()]


def test_nodes_stand_in_the_order_in_which_they_ran_and_those_to_come_below() -> None:
    run = a_run(("question", StepStarted()), ("question", StepFinished()), ("critic", StepStarted()))
    lanes = Lanes(a_flow())
    lanes.touch(run.state, run.state.order)
    assert titles(lanes) == ["Question", "Critic", "Rounds", "Writer", "Answer"]


def test_a_chat_has_a_lane_beneath_its_node() -> None:
    run = a_run(("writer", StepStarted()), ("writer#chat.1", "writer", ChatRequested("", {"messages": []})))
    lanes = Lanes(a_flow())
    lanes.touch(run.state, run.state.order)
    assert titles(lanes)[:2] == ["Writer", "chat"]
    assert lanes.all()[1].is_nested


def test_a_step_held_before_it_started_has_a_bar_from_then_on() -> None:
    run = a_run(("critic", StepReady()), ("critic", StepHeld("before", "breakpoint")))
    lanes = Lanes(a_flow())
    lanes.touch(run.state, run.state.order)
    found = lanes.find(run.state.order[0])
    assert found is not None
    assert (found[0].start, found[0].end, found[0].status) == (3.0, None, "held")


def test_a_bar_grows_with_its_step_and_is_not_made_twice() -> None:
    run = a_run(("critic", StepStarted()))
    lanes = Lanes(a_flow())
    lanes.touch(run.state, run.state.order)
    before = lanes.find(run.state.order[0])
    assert before is not None
    assert before[0].end is None
    run.take(entries(("critic", StepStarted()), ("critic", StepFinished()))[2:])
    lanes.touch(run.state, run.state.order)
    assert before[0].end == 3.0
    assert sum(len(row.bars) for row in before[1].rows) == 1


def test_a_bar_in_a_loop_says_its_round() -> None:
    assert Lanes(a_flow()).label(StepId("rounds.2/writer")) == "round 2"


def grouped(grouping: Grouping) -> Lanes:
    """The lanes of a run of two rounds, in which the writer asks and then uses a tool."""
    run = a_run(
        ("question", StepStarted()),
        ("rounds", StepStarted()),
        ("rounds.1/writer", "rounds", StepStarted()),
        ("rounds.1/writer#chat.1", "rounds.1/writer", ChatRequested("", {"messages": []})),
        ("rounds.1/writer#tool.1", "rounds.1/writer", ToolCalled("search", {}, "1")),
        ("rounds.2/critic", "rounds", StepStarted()),
    )
    lanes = Lanes(a_flow(), grouping=grouping)
    lanes.touch(run.state, run.state.order)
    return lanes


def test_by_agent_there_are_lanes_of_those_who_ask_and_one_of_all_others() -> None:
    lanes = grouped(Grouping.AGENT)
    assert titles(lanes) == ["Writer", "chat", "search", "Other steps"]
    assert lanes.label(StepId("rounds.2/critic")) == "Critic, round 2"


def test_by_scope_there_are_lanes_of_rounds_whose_bars_name_their_nodes() -> None:
    lanes = grouped(Grouping.SCOPE)
    assert [(lane.title, lane.depth) for lane in lanes.all()] == [
        ("Draft and critique", 0), ("round 1", 1), ("chat", 1), ("search", 1), ("round 2", 1),
    ]  # fmt: skip
    assert lanes.label(StepId("rounds.2/critic")) == "Critic"


def test_a_step_that_asks_somebody_leaves_the_lane_of_the_others() -> None:
    run, lanes = a_run(("writer", StepStarted())), Lanes(a_flow(), grouping=Grouping.AGENT)
    lanes.touch(run.state, run.state.order)
    assert [len(lane.rows[0].bars) for lane in lanes.all()] == [1]
    asked = entries(("writer", StepStarted()), ("writer#chat.1", "writer", ChatRequested("", {})))[2:]
    run.take(asked)
    lanes.touch(run.state, [entry.step for entry in asked])
    assert [(lane.title, len(lane.rows[0].bars)) for lane in lanes.all()] == [
        ("Writer", 1), ("chat", 1), ("Other steps", 0),
    ]  # fmt: skip


def a_bar(start: float, lasts: float) -> Bar:
    return Bar(StepId(f"s{start}"), start, start + lasts, StepStatus.DONE)


def a_lane(*bars: Bar) -> Lane:
    lane = Lane(NodeId("each"), "Each", "step", bars)
    for bar in bars:
        lane.add(bar)
    return lane


def test_bars_that_overlap_in_time_are_stacked() -> None:
    lane = a_lane(a_bar(0.0, 1.0), a_bar(0.5, 1.0), a_bar(1.5, 1.0))
    assert [[bar.start for bar in row.bars] for row in lane.rows] == [[0.0, 1.5], [0.5]]


def test_only_bars_in_sight_are_looked_at() -> None:
    lane = a_lane(*(a_bar(float(number), 0.5) for number in range(1000)))
    assert len(list(lane.rows[0].between(500.2, 503.0))) <= 5


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 30))
def test_of_bars_within_a_pixel_none_is_left_out_that_could_be_seen(gaps: list[int], pixel: int) -> None:
    starts = [float(sum(gaps[:number])) for number in range(len(gaps))]
    lane = a_lane(*(a_bar(start, gap) for start, gap in zip(starts, gaps, strict=True)))
    drawn = list(lane.rows[0].apart(0.0, 1e9, float(pixel)))
    for bar in lane.rows[0].bars:
        near = [one for one in drawn if one.start <= bar.start < one.start + pixel]
        assert near, "something is drawn where it begins"
        assert bar in drawn or (bar.end or 0.0) - bar.start < pixel


def test_of_thousands_that_overlap_within_a_few_pixels_the_longest_is_drawn_and_not_all() -> None:
    starts = [number / 1000 for number in range(10_000)]
    lane = a_lane(*(a_bar(start, 60.0 if start == 4.321 else 2.0) for start in starts))
    row = lane.rows[-1]
    assert row.overlaps
    drawn = list(row.apart(0.0, 100.0, 1.0))
    assert len(drawn) <= 40
    longest = max(row.bars, key=lambda bar: bar.end or 0.0)
    assert longest in drawn


def test_bars_that_start_together_are_all_reached_one_after_the_other() -> None:
    first, second, third = a_bar(1.0, 1.0), a_bar(1.0, 1.0), a_bar(1.0, 1.0)
    lane = a_lane(first, second, third)
    assert lane.beside(first, 1) is second
    assert lane.beside(second, 1) is third
    assert lane.beside(third, 1) is None
    assert lane.beside(first, -1) is None


def test_the_nearest_bar_may_stand_before_or_after() -> None:
    early, late = a_bar(1.0, 1.0), a_bar(5.0, 1.0)
    lane = a_lane(early, late)
    assert [lane.nearest(time) for time in (0.0, 2.9, 3.1, 9.0)] == [early, early, late, late]
    assert a_lane().nearest(1.0) is None


def test_ticks_are_round_and_never_crowd() -> None:
    marks = ticks(0.0, 5.0, 160.0)
    assert [text for _, text in marks] == ["0.0 s", "0.5 s", "1.0 s", "1.5 s"] + [
        f"{n / 2:.1f} s" for n in range(4, 11)
    ]
    assert [text for _, text in ticks(0.0, 5.0, 60.0)] == ["0 s", "2 s", "4 s"]


def test_a_run_that_waits_for_years_has_no_more_ticks_than_fit() -> None:
    years = 50 * 365 * 86_400.0
    assert len(ticks(0.0, years, 800.0 / years)) <= 11


def test_zooming_keeps_what_is_under_the_pointer() -> None:
    scale = TimeScale(1.0, 100.0)
    assert scale.zoomed(2.0, 250.0, 60.0, 800.0).seconds(250.0) == scale.seconds(250.0)


def test_a_fitted_run_ends_in_sight_and_fills_the_room() -> None:
    for longest in (0.03, 1.4, 60.0):
        assert 700.0 < fitted(longest, 800.0, is_live=False).x(longest) < 800.0
    assert fitted(0.03, 800.0, is_live=True).x(0.03) < 10.0, "what has only begun has room to grow"


def test_lanes_are_found_by_their_height() -> None:
    places = placed([Lane("a", "A", "step"), Lane("b", "B", "step")], 26, 18)  # type: ignore[arg-type]
    assert (places.at(3), places.at(27), places.at(99)) == (0, 1, None)


def test_a_turn_is_called_as_the_part_that_it_works_on() -> None:
    run, lanes = growing.a_run(), Lanes(a_flow(), grouping=Grouping.AGENT)
    lanes.touch(run.state, run.state.order)
    assert lanes.label(StepId("team#tool.2")) == "Ask who sang"
    assert {"ada", "ben", "expert"} <= set(titles(lanes))


def test_a_turn_that_becomes_known_moves_to_its_lane_and_leaves_none_behind() -> None:
    run, lanes = growing.a_run(growing.BEGINS), Lanes(a_flow(), grouping=Grouping.AGENT)
    lanes.touch(run.state, run.state.order)
    before = len(growing.BEGINS)
    for number in range(len(growing.GOES_ON)):
        run.take(growing.entries()[before + number : before + number + 1])
        lanes.touch(run.state, [growing.entries()[before + number].step])
    whole = Lanes(a_flow(), grouping=Grouping.AGENT)
    whole.touch(run.state, run.state.order)
    assert titles(lanes) == titles(whole)
