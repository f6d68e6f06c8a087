import json

from hypothesis import given
from hypothesis import strategies as st

from studio.trace.events import (
    Entry,
    RunStarted,
    StepFinished,
    StepHeld,
    StepReady,
    StepReleased,
    StepSkipped,
    StepStarted,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.spans import Bar, Lane, Spans, lanes
from studio.trace.state import RunState, StepStatus, fold
from tests.trace.builders import answer, asked, histories, numbered

FLOW = json.dumps(
    {
        "nodes": {
            "question": {"kind": "io.input", "title": "Question"},
            "rounds": {"kind": "control.loop", "title": "Rounds"},
            "writer": {"kind": "llm.agent", "title": "Writer"},
            "each": {"kind": "control.for_each"},
        }
    }
)
A_RUN = numbered(
    RunStarted("Notes", FLOW),
    ("question", StepStarted()),
    ("question", StepFinished()),
    ("rounds", StepStarted()),
    ("rounds.1/writer", "rounds", StepStarted()),
    ("rounds.1/writer#chat.1", "rounds.1/writer", asked()),
    ("rounds.1/writer#chat.1", "rounds.1/writer", answer("", calls=["1"])),
    ("rounds.1/writer#tool.1", "rounds.1/writer", ToolCalled("search", {}, "1")),
    ("rounds.1/writer#tool.1", "rounds.1/writer", ToolAnswered("search", "x")),
    ("rounds.1/writer", "rounds", StepFinished()),
    ("rounds.1/critic", "rounds", StepStarted()),
    ("rounds.1/critic", "rounds", StepFinished()),
    ("rounds.2/writer", "rounds", StepStarted()),
    ("rounds.2/writer#chat.1", "rounds.2/writer", asked()),
)


def bars(entries: list[Entry], title: str) -> list[Bar]:
    return next(lane.bars for lane in lanes(fold(entries)) if lane.title == title)


def test_lanes_stand_in_order_of_appearance_with_calls_beneath_their_node() -> None:
    assert [(lane.title, lane.depth) for lane in lanes(fold(A_RUN))] == [
        ("Question", 0), ("Rounds", 0), ("Writer", 0), ("chat", 1), ("search", 1), ("critic", 0),
    ]  # fmt: skip


def test_a_bar_says_when_and_in_which_round() -> None:
    assert bars(A_RUN, "Writer") == [
        Bar("rounds.1/writer", 5.0, 10.0, StepStatus.DONE, "round 1"),
        Bar("rounds.2/writer", 13.0, None, StepStatus.RUNNING, "round 2"),
    ]
    assert [(one.start, one.end) for one in bars(A_RUN, "chat")] == [(6.0, 7.0), (14.0, None)]


def test_a_loop_is_a_bar_around_its_body() -> None:
    assert bars(A_RUN, "Rounds") == [Bar("rounds", 4.0, None, StepStatus.RUNNING, is_scope=True)]
    assert not bars(A_RUN, "Question")[0].is_scope
    assert not bars(A_RUN, "Writer")[0].is_scope


def test_items_and_attempts_are_named() -> None:
    entries = numbered(RunStarted("f", FLOW), ("rounds.2/each.17/x@3", "rounds.2/each", StepStarted()))
    assert bars(entries, "x")[0].label == "round 2, item 17, attempt 3"


def test_a_held_step_begins_when_it_is_held() -> None:
    entries = numbered(
        ("critic", StepReady()),
        ("critic", StepHeld("before", "breakpoint")),
        ("critic", StepReleased()),
        ("critic", StepStarted()),
    )
    assert bars(entries[:2], "critic") == [Bar("critic", 2.0, None, StepStatus.HELD, held=((2.0, None),))]
    assert bars(entries, "critic") == [Bar("critic", 2.0, None, StepStatus.RUNNING, held=((2.0, 3.0),))]


def test_what_waits_or_was_skipped_has_a_lane_and_no_bar() -> None:
    assert lanes(fold(numbered(("a", StepReady()), ("b", StepSkipped("absent"))))) == [
        Lane("", "a", "", "a", 0), Lane("", "b", "", "b", 0),
    ]  # fmt: skip


def test_nodes_of_one_name_in_different_scopes_have_lanes_of_their_own() -> None:
    entries = numbered(("writer", StepStarted()), ("summary/writer", "summary", StepStarted()))
    assert [(lane.scope, lane.node) for lane in lanes(fold(entries)) if lane.node == "writer"] == [
        ("", "writer"), ("summary", "writer"),
    ]  # fmt: skip


@given(histories(), st.data())
def test_a_timeline_that_grew_shows_the_bars_of_one_built_at_the_end(
    entries: list[Entry], data: st.DataObject
) -> None:
    state = RunState()
    spans = Spans(state)
    touched: list[str] = []
    for entry in entries:
        touched.append(state.apply(entry))
        if data.draw(st.booleans()):
            spans.update(touched)
            touched.clear()
    spans.update(touched)
    assert drawn(spans.lanes) == drawn(lanes(state))
    for lane in spans.lanes:
        assert [bar.start for bar in lane.bars] == sorted(bar.start for bar in lane.bars)


def drawn(found: list[Lane]) -> dict[str, tuple[object, ...]]:
    """What is drawn of each step; order and kinds of lanes depend on what was known when."""
    return {
        bar.step: (bar.start, bar.end, bar.status, bar.held, bar.is_scope)
        for lane in found
        for bar in lane.bars
    }
