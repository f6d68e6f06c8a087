"""Steps of called flows are shown inside the step that calls, and never as nodes of the flow that ran."""

from studio.app.live import LiveRun
from studio.flow.records import Flow, Node
from studio.ids import NodeId, RunId, StepId
from studio.trace.events import RunStarted, StepFinished, StepHeld, StepReady, StepStarted, ToolCalled
from studio.ui.viewmodels.lanes import Lanes
from studio.ui.viewmodels.scopes import scopes_of
from studio.ui.viewmodels.shown_run import ShownRun
from studio.ui.viewmodels.wording import step_title
from tests.trace.builders import numbered

FLOW = Flow(
    "Trial",
    nodes={
        NodeId("call"): Node(kind="control.subflow", title="Summary"),
        NodeId("critic"): Node(kind="llm.agent", title="Critic of this flow"),
    },
)


def a_run() -> LiveRun:
    live = LiveRun(RunId("one"), FLOW)
    inner, outer = StepId("call@2/critic"), StepId("call")
    live.take(
        numbered(
            RunStarted("Trial", ""),
            (outer, StepReady()),
            (outer, StepStarted()),
            (inner, StepReady()),
            (inner, StepStarted()),
            (inner, StepFinished()),
        )
    )
    return live


def test_a_node_of_a_called_flow_is_not_the_one_of_the_same_name_here() -> None:
    shown = ShownRun()
    shown.show(a_run())
    shown.flush()
    assert shown.shown_step(NodeId("critic"), None) is None
    assert shown.shown_step(NodeId("critic"), StepId("call@2/critic")) is None
    assert shown.steps_of(NodeId("critic")) == ()
    assert shown.steps_of(NodeId("call")) == ["call"]


def test_what_is_chosen_or_held_in_a_called_flow_is_shown_at_the_node_that_calls() -> None:
    live, inner = a_run(), StepId("call@2/critic")
    shown = ShownRun()
    shown.show(live)
    chosen = shown.shown_step(NodeId("call"), inner)
    assert chosen is not None
    assert chosen.id == inner
    other = StepId("call@2/writer")
    last = numbered(*[(other, StepHeld("before", "breakpoint"))] * 7)[-1]
    live.take([last])
    held = shown.shown_step(NodeId("call"), None)
    assert held is not None
    assert held.id == other


def test_it_is_named_after_the_step_that_calls() -> None:
    assert step_title(FLOW, StepId("call@2/critic")) == "critic, Summary"
    assert step_title(FLOW, StepId("call/rounds.2/critic")) == "critic, Summary, rounds.2"
    state = a_run().state
    rows = scopes_of(FLOW, state, state.steps[StepId("call@2/critic")])
    assert [(row.step, row.title) for row in rows] == [
        ("call@2/critic", "critic"),
        ("call", "Summary"),
        ("", "Run"),
    ]


def test_it_has_a_lane_of_its_own_in_the_timeline() -> None:
    state = a_run().state
    lanes = Lanes(FLOW)
    lanes.touch(state, state.order)
    assert [lane.title for lane in lanes.all()] == ["Summary", "Summary: critic", "Critic of this flow"]


def test_its_bars_say_for_which_item_or_round_it_was_called() -> None:
    flow = Flow(
        "Trial",
        nodes={
            NodeId("each"): Node(kind="control.for_each"),
            NodeId("call"): Node(kind="control.subflow", title="Summary"),
        },
    )
    lanes = Lanes(flow)
    assert lanes.label(StepId("each.1/call/critic")) == "item 2"
    assert lanes.label(StepId("each.1/call/rounds.3/critic")) == "rounds.3"
    assert lanes.label(StepId("call/critic")) == ""


def test_steps_that_a_tool_runs_stand_inside_its_call_and_name_who_lends() -> None:
    flow = Flow(
        "Trial",
        nodes={
            NodeId("agent"): Node(kind="llm.agent", title="Agent"),
            NodeId("lender"): Node(kind="tools.flow_as_tool", title="Look"),
        },
    )
    call, inner = StepId("agent#tool.1"), StepId("agent#tool.1/lender/scout")
    live = LiveRun(RunId("one"), flow)
    live.take(
        numbered(
            RunStarted("Trial", ""),
            (StepId("agent"), StepStarted()),
            (call, ToolCalled("look", {}, "1", "pure")),
            (inner, StepStarted()),
        )
    )
    rows = scopes_of(flow, live.state, live.state.steps[inner])
    assert [(row.step, row.title, row.detail) for row in rows] == [
        (inner, "scout", ""),
        ("", "Look", ""),
        (call, "Agent", "look"),
        ("", "Run", "Trial"),
    ]
    assert step_title(flow, inner) == "scout, Agent, Look"
    shown = ShownRun()
    shown.show(live)
    chosen = shown.shown_step(NodeId("agent"), inner)
    assert chosen is not None
    assert chosen.id == inner
