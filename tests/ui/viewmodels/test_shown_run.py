from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.sdk.tool import Effect
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    RunFinished,
    StepFinished,
    StepHeld,
    StepProgressed,
    StepReady,
    StepStarted,
    TextStreamed,
    ToolCalled,
)
from studio.trace.events.values import Shown
from studio.ui.canvas.document import NodeState
from studio.ui.viewmodels.run.node_states import NodeStates, passing
from studio.ui.viewmodels.run.scopes import scopes_of
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun
from studio.workspace.catalog import builtin_registry
from tests.trace.builders import RUN
from tests.ui.builders import a_flow, a_run, entries


def batches(shown: ShownRun) -> list[Batch]:
    heard: list[Batch] = []
    shown.on_batch(heard.append)
    return heard


def test_all_entries_of_a_frame_are_told_at_once() -> None:
    shown, live = ShownRun(), LiveRun(RUN, a_flow())
    shown.show(live)
    shown.flush()
    heard = batches(shown)
    live.take(entries(("writer", StepStarted()))[:1])
    live.take(entries(("writer", StepStarted()))[1:])
    assert heard == []
    assert shown.flush()
    assert [list(batch.steps) for batch in heard] == [["writer"]]
    assert not shown.flush()


def test_another_run_is_told_as_fresh() -> None:
    shown = ShownRun()
    heard = batches(shown)
    shown.show(a_run(("writer", StepStarted())))
    shown.flush()
    assert [batch.is_fresh for batch in heard] == [True]
    assert shown.steps_of(NodeId("writer")) == ["writer"]


def test_an_interrupted_run_is_read_again_although_no_entry_says_so() -> None:
    shown, live = ShownRun(), a_run(("writer", StepStarted()))
    shown.show(live)
    shown.flush()
    heard = batches(shown)
    live.end()
    shown.flush()
    assert list(heard[0].steps) == ["writer"]


def test_the_end_of_a_run_that_is_over_touches_nothing_once_more() -> None:
    shown, live = (
        ShownRun(),
        a_run(("writer", StepStarted()), ("writer", StepFinished()), ("", RunFinished())),
    )
    shown.show(live)
    shown.flush()
    heard = batches(shown)
    live.end()
    shown.flush()
    assert [list(batch.steps) for batch in heard] == [[]]


def test_a_held_step_stands_for_its_node_until_another_is_chosen() -> None:
    shown = ShownRun()
    shown.show(
        a_run(
            ("rounds.1/critic", StepReady()),
            ("rounds.1/critic", StepHeld("before", "breakpoint")),
            ("rounds.2/critic", StepReady()),
        )
    )
    shown.flush()
    held = shown.shown_step(NodeId("critic"), None)
    chosen = shown.shown_step(NodeId("critic"), StepId("rounds.2/critic"))
    assert held is not None
    assert chosen is not None
    assert (held.id, chosen.id) == ("rounds.1/critic", "rounds.2/critic")


def test_a_card_says_what_its_node_streams_and_an_area_how_far_it_is() -> None:
    shown = ShownRun()
    states = NodeStates(builtin_registry(), shown)
    shown.show(
        a_run(
            ("rounds", StepStarted()),
            ("rounds.2/writer", "rounds", StepStarted()),
            ("rounds.2/writer", "rounds", TextStreamed("Three species")),
        )
    )
    shown.on_batch(lambda batch: states.touched(a_flow(), batch) and None)
    shown.flush()
    writer = states.state_of(a_flow(), NodeId("writer"), None)
    rounds = states.state_of(a_flow(), NodeId("rounds"), None)
    assert (writer.status, writer.text, writer.round) == ("running", "Three species", "round 2")
    assert rounds.note == "2 of at most 4"


def test_a_card_says_that_another_step_of_its_node_is_held() -> None:
    shown = ShownRun()
    shown.show(
        a_run(
            ("rounds.1/critic", StepHeld("before", "breakpoint")),
            ("rounds.2/critic", StepStarted()),
        )
    )
    shown.flush()
    states = NodeStates(builtin_registry(), shown)
    found = states.state_of(a_flow(), NodeId("critic"), StepId("rounds.2/critic"))
    assert (found.status, found.round, found.note) == ("held", "round 2", "round 1 is paused")


def test_values_pass_along_the_wires_of_the_outputs_that_were_given() -> None:
    happened = entries(("writer", StepStarted()), ("writer", StepFinished({"reply": Shown("x")})))
    run = a_run(("writer", StepStarted()), ("writer", StepFinished({"reply": Shown("x")})))
    assert [str(wire) for wire in passing(a_flow(), happened, run.state)] == ["writer.reply -> critic.prompt"]


def test_scopes_go_from_the_step_out_to_the_run() -> None:
    run = a_run(("rounds", StepStarted()), ("rounds.2/critic", "rounds", StepReady()))
    step = run.state.steps[StepId("rounds.2/critic")]
    rows = [(row.title, row.detail) for row in scopes_of(a_flow(), run.state, step)]
    assert rows == [("Critic", ""), ("Rounds", "round 2"), ("Run", "Draft and critique")]


def test_a_node_that_asked_somebody_waits_and_says_what_it_asked() -> None:
    shown = ShownRun()
    run = a_run(("writer", StepStarted()), ("writer#ask.1", "writer", ApprovalAsked("Which pond?", {})))
    shown.show(run)
    shown.flush()
    states = NodeStates(builtin_registry(), shown)
    found = states.state_of(a_flow(), NodeId("writer"), None)
    assert (found.status, found.text) == ("waiting", "Which pond?")
    run.take(entries(("writer#ask.1", "writer", ApprovalGiven({"answer": "This"})))[1:])
    shown.flush()
    assert states.state_of(a_flow(), NodeId("writer"), None).status == "running"


def test_each_call_of_a_tool_is_counted_at_the_node_that_lends_it() -> None:
    kinds = {
        "counter": Node(kind="tools.flow_as_tool", settings={"flow": "count.json", "name": "count_words"}),
        "server": Node(kind="tools.mcp_server", settings={"command": "birds"}),
        "asked": Node(kind="tools.human_as_tool", settings={"name": "ask_ada"}),
        "agent": Node(kind="llm.agent"),
    }
    lent = [Wire(_socket(f"{one}.tool"), _socket("agent.tools")) for one in kinds if one != "agent"]
    flow = Flow("Trial", nodes={NodeId(name): node for name, node in kinds.items()}, wires=tuple(lent))
    shown = ShownRun()
    heard = batches(shown)
    happened = [
        (f"agent#tool.{number}", "agent", ToolCalled(tool, {}, str(number), Effect.PURE))
        for number, tool in enumerate(("count_words", "echo", "count_words"), start=1)
    ]
    shown.show(a_run(("agent", StepStarted()), *happened, flow=flow))
    shown.flush()
    states = NodeStates(builtin_registry(), shown)
    states.touched(flow, heard[-1])
    notes = {name: states.state_of(flow, NodeId(name), None).note for name in ("counter", "server", "asked")}
    assert notes == {"counter": "2 calls", "server": "1 call", "asked": ""}


def _socket(text: str) -> Socket:
    node, _, port = text.partition(".")
    return Socket(NodeId(node), PortName(port))


def test_a_node_that_lends_says_how_far_a_call_of_its_tool_has_come_and_what_it_asks() -> None:
    flow = Flow(
        "Trial",
        nodes={
            NodeId("server"): Node(kind="tools.mcp_server", settings={"command": "birds"}),
            NodeId("call"): Node(kind="control.call_tool"),
        },
        wires=(
            Wire(
                Socket(NodeId("server"), PortName("tool")),
                Socket(NodeId("call"), PortName("tool")),
            ),
        ),
    )
    live = LiveRun(RUN, flow)
    shown = ShownRun()
    shown.show(live)
    shown.flush()
    states = NodeStates(builtin_registry(), shown)
    touched: list[set[NodeId]] = []

    def after(*told: object) -> NodeState:
        heard = batches(shown)
        live.take(entries(*told))  # pyright: ignore[reportArgumentType]
        shown.flush()
        touched.append(states.touched(flow, heard[-1]))
        return states.state_of(flow, NodeId("server"), None)

    call = ("call#tool.1", "call", ToolCalled("watch", {}, "1", Effect.PURE))
    assert after(("call", StepStarted()), call).note == "1 call"
    assert after(("server", StepProgressed(1, 4, ""))).note == "1 of 4"
    assert after(("server", StepProgressed(2, 4, "half"))).note == "half (2 of 4)"
    assert after(("server", StepProgressed(4, 4, "whole"))).note == "1 call"
    asking = StepId("call#tool.1/server#ask.1")
    asked = after((asking, "call#tool.1/server", ApprovalAsked("Where?", {})))
    assert (asked.status, asked.text) == ("waiting", "Where?")
    assert states.state_of(flow, NodeId("call"), None).status == "waiting"
    assert after((asking, "call#tool.1/server", ApprovalGiven({}))).status == "running"
    assert touched[-1] == {"server", "call"}
