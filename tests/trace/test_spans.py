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
from studio.trace.spans import Bar, Lane, Spans
from studio.trace.state import RunState, StepStatus, fold
from tests.trace.builders import answer, asked, histories, numbered

A_RUN = numbered(
    RunStarted("Notes", ""),
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


def spans(state: RunState) -> Spans:
    built = Spans()
    built.update(state, state.order)
    return built


def lanes(entries: list[Entry]) -> list[Lane]:
    return spans(fold(entries)).lanes


def bars(entries: list[Entry], node: str, call: str = "") -> list[Bar]:
    return next(lane.bars for lane in lanes(entries) if (lane.node, lane.call) == (node, call))


def test_lanes_stand_in_order_of_appearance_with_calls_beneath_their_node() -> None:
    assert [(lane.node, lane.call) for lane in lanes(A_RUN)] == [
        ("question", ""), ("rounds", ""), ("writer", ""), ("writer", "chat"), ("writer", "search"),
        ("critic", ""),
    ]  # fmt: skip


def test_a_bar_says_when_its_step_ran() -> None:
    assert bars(A_RUN, "writer") == [
        Bar("rounds.1/writer", 5.0, 10.0, StepStatus.DONE),
        Bar("rounds.2/writer", 13.0, None, StepStatus.RUNNING),
    ]
    assert bars(A_RUN, "rounds") == [Bar("rounds", 4.0, None, StepStatus.RUNNING)]
    assert [(one.start, one.end) for one in bars(A_RUN, "writer", "chat")] == [(6.0, 7.0), (14.0, None)]


def test_a_held_step_begins_when_it_is_held() -> None:
    entries = numbered(
        ("critic", StepReady()),
        ("critic", StepHeld("before", "breakpoint")),
        ("critic", StepReleased()),
        ("critic", StepStarted()),
    )
    assert bars(entries[:2], "critic") == [Bar("critic", 2.0, None, StepStatus.HELD, [(2.0, None)])]
    assert bars(entries, "critic") == [Bar("critic", 2.0, None, StepStatus.RUNNING, [(2.0, 3.0)])]


def test_a_step_held_after_its_work_begins_with_its_work() -> None:
    entries = numbered(("critic", StepStarted()), ("critic", StepHeld("after", "breakpoint")))
    assert bars(entries, "critic") == [Bar("critic", 1.0, None, StepStatus.HELD, [(2.0, None)])]


def test_what_waits_or_was_skipped_has_taken_no_time() -> None:
    assert lanes(numbered(("a", StepReady()), ("b", StepSkipped("absent")))) == []


def test_nodes_of_one_name_in_different_scopes_have_lanes_of_their_own() -> None:
    entries = numbered(("writer", StepStarted()), ("summary/writer", "summary", StepStarted()))
    assert [(lane.scope, lane.node) for lane in lanes(entries)] == [("", "writer"), ("summary", "writer")]


@given(histories(), st.data())
def test_a_timeline_that_grew_shows_the_bars_of_one_built_at_the_end(
    entries: list[Entry], data: st.DataObject
) -> None:
    state = RunState()
    grown = Spans()
    touched: list[str] = []
    for entry in entries:
        touched.append(state.apply(entry))
        if data.draw(st.booleans()):
            grown.update(state, touched)
            touched.clear()
    grown.update(state, touched)
    assert drawn(grown.lanes) == drawn(spans(state).lanes)
    for lane in grown.lanes:
        assert [bar.start for bar in lane.bars] == sorted(bar.start for bar in lane.bars)


def drawn(found: list[Lane]) -> dict[str, tuple[object, ...]]:
    """What is drawn of each step; order and kinds of lanes depend on what was known when."""
    return {bar.step: (bar.start, bar.end, bar.status, bar.held) for lane in found for bar in lane.bars}
