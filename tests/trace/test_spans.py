from hypothesis import given
from hypothesis import strategies as st

from studio.trace.events import (
    ChatRequested,
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
from studio.trace.fold.state import RunState, StepStatus, fold
from studio.trace.timeline.lanes import Grouping, LaneKey
from studio.trace.timeline.spans import Bar, Lane, Spans
from tests.trace.builders import answer, asked, histories, numbered
from tests.ui import growing

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


def test_the_bar_of_a_loop_says_when_each_round_began() -> None:
    assert bars(A_RUN, "rounds")[0].turns == [5.0, 13.0]
    assert bars(A_RUN, "writer")[0].turns is None


def test_a_held_step_begins_when_it_is_held() -> None:
    entries = numbered(
        ("critic", StepReady()),
        ("critic", StepHeld("before", "breakpoint")),
        ("critic", StepReleased()),
        ("critic", StepStarted()),
    )
    assert bars(entries[:2], "critic") == [Bar("critic", 2.0, None, StepStatus.HELD, [(2.0, None)], 1.0)]
    assert bars(entries, "critic") == [Bar("critic", 2.0, None, StepStatus.RUNNING, [(2.0, 3.0)], 1.0)]


def test_a_step_held_after_its_work_begins_with_its_work() -> None:
    entries = numbered(("critic", StepStarted()), ("critic", StepHeld("after", "breakpoint")))
    assert bars(entries, "critic") == [Bar("critic", 1.0, None, StepStatus.HELD, [(2.0, None)])]


def test_what_was_skipped_has_taken_no_time() -> None:
    assert lanes(numbered(("b", StepSkipped("absent")))) == []


def test_what_is_ready_waits_in_its_lane_until_it_has_its_turn() -> None:
    entries = numbered(("a", StepReady()), ("a", StepStarted()))
    state, built = RunState(), Spans()
    built.update(state, [state.apply(entries[0])])
    assert [(lane.bars, lane.waiting) for lane in built.lanes] == [([], {"a": 1.0})]
    built.update(state, [state.apply(entries[1])])
    assert [(lane.bars[0].ready, lane.waiting) for lane in built.lanes] == [(1.0, {})]


NESTED = [
    ("early", StepStarted()),
    ("rounds", StepStarted()),
    ("beside", StepStarted()),
    ("rounds.1/each", "rounds", StepStarted()),
    ("rounds.1/each.0/x", "rounds.1/each", StepStarted()),
    ("rounds.2/each", "rounds", StepStarted()),
    ("rounds.2/each.1/x", "rounds.2/each", StepStarted()),
]


def test_bodies_stand_beneath_their_loop_or_map() -> None:
    found = lanes(numbered(*NESTED))
    assert [(lane.node, lane.depth) for lane in found] == [
        ("early", 0), ("rounds", 0), ("each", 1), ("x", 2), ("beside", 0),
    ]  # fmt: skip


def test_by_scope_each_round_and_item_has_a_lane() -> None:
    state = fold(numbered(*NESTED))
    built = Spans(Grouping.SCOPE)
    built.update(state, state.order)
    assert [(lane.scope, lane.depth, len(lane.bars)) for lane in built.lanes] == [
        ("", 0, 3),
        ("rounds.1", 1, 1),
        ("rounds.1/each.0", 2, 1),
        ("rounds.2", 1, 1),
        ("rounds.2/each.1", 2, 1),
    ]


def spoken(name: str) -> ChatRequested:
    return ChatRequested("", {"messages": [], "speaker": name})


TALKS = numbered(
    ("question", StepStarted()),
    ("rounds", StepStarted()),
    ("rounds.1/writer", "rounds", StepStarted()),
    ("rounds.1/writer#chat.1", "rounds.1/writer", asked()),
    ("rounds.1/writer#tool.1", "rounds.1/writer", ToolCalled("search", {}, "1")),
    ("team", StepStarted()),
    ("team#chat.1", "team", spoken("Ada")),
    ("team#tool.1", "team", ToolCalled("search", {}, "1")),
    ("team#chat.2", "team", spoken("Bob")),
)


def test_by_agent_whoever_speaks_has_a_lane_with_their_calls_and_the_rest_share_one() -> None:
    state = fold(TALKS)
    built = Spans(Grouping.AGENT)
    built.update(state, state.order)
    assert [(lane.key.who, lane.call, len(lane.bars)) for lane in built.lanes] == [
        ("writer", "", 1), ("writer", "chat", 1), ("writer", "search", 1),
        ("team", "", 1), ("Ada", "", 0), ("Ada", "chat", 1), ("Ada", "search", 1),
        ("Bob", "", 0), ("Bob", "chat", 1), ("/", "", 1),
    ]  # fmt: skip


def test_by_agent_a_step_moves_to_its_agent_as_soon_as_it_asks_somebody() -> None:
    state, built = RunState(), Spans(Grouping.AGENT)
    for entry in TALKS:
        touched = state.apply(entry)
        moved = [bar.step for _, bar in built.misplaced(state, [touched])]
        built.update(state, [touched, *moved])
    whole = Spans(Grouping.AGENT)
    whole.update(state, state.order)
    assert {lane.key: [bar.step for bar in lane.bars] for lane in built.lanes} == {
        lane.key: [bar.step for bar in lane.bars] for lane in whole.lanes
    }


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


def test_by_agent_a_turn_stands_in_the_lane_of_whoever_has_it_also_of_one_that_nobody_drew() -> None:
    state, grown = RunState(), Spans(Grouping.AGENT)
    for entry in growing.entries():
        touched = state.apply(entry)
        moved = [bar.step for _, bar in grown.misplaced(state, [touched])]
        grown.update(state, [touched, *moved])
    whole = Spans(Grouping.AGENT)
    whole.update(state, state.order)
    for built in (grown, whole):
        found = {lane.key: [bar.step for bar in lane.bars] for lane in built.lanes}
        assert found[LaneKey("team", "ada")] == ["team#tool.1"]
        assert found[LaneKey("team", "expert")] == ["team#tool.3"]
        assert all(steps for key, steps in found.items() if key.call), "no lane of a tool is left behind"
