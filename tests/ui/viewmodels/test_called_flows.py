"""Steps of called flows are shown inside the step that calls, and never as nodes of the flow that ran."""

from studio.app.runs.live_run import LiveRun
from studio.flow.files import codec
from studio.flow.records import Flow, Node
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId, RunId, StepId
from studio.trace.events import RunStarted, StepFinished, StepHeld, StepReady, StepStarted, ToolCalled
from studio.ui.viewmodels.run.lanes import Lanes
from studio.ui.viewmodels.run.scopes import scopes_of
from studio.ui.viewmodels.run.shown_run import ShownRun
from studio.ui.viewmodels.words.count_words import step_title
from studio.ui.viewmodels.words.held_words import held_sentence
from studio.ui.viewmodels.words.step_words import describe_step
from studio.workspace.catalog import builtin_registry
from tests.trace.builders import numbered

FLOW = Flow(
    "Trial",
    nodes={
        NodeId("call"): Node(kind="control.subflow", title="Summary"),
        NodeId("critic"): Node(kind="llm.agent", title="Critic of this flow"),
    },
)

CALLING = Flow(
    "Trial",
    nodes={NodeId("call"): Node(kind="control.subflow", settings={"flow": "summary.json"}, title="Summary")},
)
CALLED = Flow(
    "Summary",
    nodes={
        NodeId("rounds"): Node(kind="control.loop", title="Drafts"),
        NodeId("critic"): Node(kind="llm.agent", title="Strict reader"),
        NodeId("again"): Node(kind="control.subflow", settings={"flow": "summary.json"}, title="Once more"),
    },
)
LIBRARY = builtin_registry().with_flows(GivenFlows({"summary.json": CALLED}))


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


def test_titles_are_those_of_the_flow_that_is_called() -> None:
    inner, deep = StepId("call/rounds.2/critic"), StepId("call/again/rounds.1/critic")
    assert step_title(CALLING, inner, LIBRARY) == "Strict reader, Summary, round 2"
    assert step_title(CALLING, deep, LIBRARY) == "Strict reader, Summary, Once more, round 1"
    live = LiveRun(RunId("one"), CALLING)
    live.take(
        numbered(
            RunStarted("Trial", "", flows={"summary.json": codec.dumps(CALLED)}),
            (StepId("call"), StepStarted()),
            (inner, StepStarted()),
            (inner, StepHeld("before", "breakpoint")),
        )
    )
    lanes = Lanes(CALLING, (), LIBRARY)
    lanes.touch(live.state, live.state.order)
    assert [lane.title for lane in lanes.all()] == ["Summary", "Summary: Strict reader"]
    assert lanes.label(inner) == "round 2"
    step = live.state.steps[inner]
    rows = [(row.title, row.detail) for row in scopes_of(CALLING, live.state, step, LIBRARY)]
    assert rows == [("Strict reader", ""), ("Drafts", "round 2"), ("Summary", ""), ("Run", "Trial")]
    assert describe_step(CALLING, live.state, step, LIBRARY).startswith("Strict reader, Summary, round 2\n")
    said = held_sentence(CALLING, step, has_values=False, library=LIBRARY)
    assert said == "Paused before Strict reader, Summary, round 2"


def test_an_old_run_bears_the_titles_that_its_flows_had() -> None:
    live = LiveRun(RunId("one"), CALLING)
    live.take(numbered(RunStarted("Trial", "", flows={"summary.json": codec.dumps(CALLED)})))
    shown = ShownRun()
    assert step_title(CALLING, StepId("call/critic"), shown.library(builtin_registry())) == "critic, Summary"
    shown.show(live)
    library = shown.library(builtin_registry())
    assert step_title(CALLING, StepId("call/critic"), library) == "Strict reader, Summary"
