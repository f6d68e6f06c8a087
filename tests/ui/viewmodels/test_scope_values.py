from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.sdk.registry import Registry
from studio.trace.events import StateWritten, StepFinished, StepStarted
from studio.trace.events.values import Plain, Shown
from studio.trace.fold.state import RunState
from studio.ui.viewmodels.run.scope_values import KnownScope, known_in_scopes
from tests.ui.builders import a_flow, a_run


def did(step: str, inputs: dict[str, Plain], outputs: dict[str, Plain]) -> list[tuple[str, object]]:
    return [
        (step, StepStarted({name: Shown(one) for name, one in inputs.items()})),
        (step, StepFinished({name: Shown(one) for name, one in outputs.items()})),
    ]


def known(flow: Flow, state: RunState, step: str, library: Registry | None = None) -> list[KnownScope]:
    return known_in_scopes(flow, state, state.steps[StepId(step)], library)


def names(scope: KnownScope) -> dict[str, Plain]:
    return {one.name: one.shown.data for one in scope.values}


def two_rounds() -> RunState:
    return a_run(
        *did("question", {}, {"value": "Which birds?"}),
        ("rounds", StepStarted({"start": Shown("Which birds?", ("user",))})),
        *did("rounds.1/writer", {"prompt": "Which birds?"}, {"reply": "Wrens."}),
        *did("rounds.1/critic", {"prompt": "Wrens."}, {"reply": "Sources?"}),
        *did("rounds.2/writer", {"prompt": "Sources?"}, {"reply": "Wrens, says Ann."}),
        ("rounds.2/critic", StepStarted({"prompt": Shown("Wrens, says Ann.")})),
    ).state


def test_a_step_in_a_loop_knows_its_round_what_others_gave_there_and_what_the_run_knows() -> None:
    step, around, run = known(a_flow(), two_rounds(), "rounds.2/critic")
    assert (step.row.title, names(step)) == ("Critic", {"prompt": "Wrens, says Ann."})
    assert (around.row.title, around.row.detail) == ("Rounds", "round 2")
    assert names(around) == {"value": "Sources?", "round": 2, "Writer · reply": "Wrens, says Ann."}
    assert (run.row.title, names(run)) == ("Run", {"Question · value": "Which birds?"})


def test_the_first_round_began_with_what_the_loop_was_given() -> None:
    _, around, _ = known(a_flow(), two_rounds(), "rounds.1/critic")
    value = around.values[0]
    assert (value.name, value.shown.data, value.shown.labels) == ("value", "Which birds?", ("user",))
    assert (value.step, value.side, value.port) == ("rounds", "input", "start")


def test_each_value_says_at_which_step_and_port_it_stands() -> None:
    _, around, _ = known(a_flow(), two_rounds(), "rounds.2/critic")
    value, _, reply = around.values
    assert (value.step, value.side, value.port) == ("rounds.1/critic", "output", "reply")
    assert (reply.step, reply.side, reply.port) == ("rounds.2/writer", "output", "reply")


def a_map() -> Flow:
    nodes = {
        "birds": Node(kind="io.flow_input", title="Birds"),
        "each": Node(kind="control.for_each", title="Each"),
        "look": Node(kind="text.join", title="Look"),
        "all": Node(kind="control.collect", title="All"),
    }
    wires = (
        ("birds", "value", "each", "items"),
        ("each", "item", "look", "parts"),
        ("look", "text", "all", "value"),
    )
    return Flow(
        "Look",
        nodes={NodeId(name): node for name, node in nodes.items()},
        wires=tuple(
            Wire(Socket(NodeId(a), PortName(b)), Socket(NodeId(c), PortName(d))) for a, b, c, d in wires
        ),
    )


def test_a_step_in_a_map_knows_its_item_of_each_list_and_where_it_stands() -> None:
    state = a_run(
        ("each", StepStarted({"items": Shown(["wren", "owl"]), "ages": Shown([1, 2])})),
        ("each.1/look", StepStarted({"parts": Shown(["owl"])})),
        flow=a_map(),
    ).state
    _, around, _ = known(a_map(), state, "each.1/look")
    assert (around.row.detail, names(around)) == ("item 2", {"item": "owl", "ages_item": 2, "index": 1})


def test_what_an_item_wrote_to_a_variable_is_known_there_before_it_takes_effect() -> None:
    state = a_run(
        ("each", StepStarted({"items": Shown(["wren"])})),
        ("each.0/look", StepStarted({})),
        ("each.0/look", StateWritten("seen", "append", Shown("wren"), scope="each.0")),
        ("each.0/look", StepFinished({"text": Shown("wren")})),
        ("each.0/more", StepStarted({})),
        flow=a_map(),
    ).state
    _, around, run = known(a_map(), state, "each.0/more")
    assert names(around)["variable seen, from the end of this item on"] == "wren"
    assert "variable seen" not in names(run)


def test_a_step_in_a_called_flow_knows_what_that_was_given() -> None:
    flow = Flow("Outer", nodes={NodeId("call"): Node(kind="control.subflow", settings={"flow": "in.json"})})
    state = a_run(
        ("call", StepStarted({"question": Shown("Which birds?")})),
        ("call/inner", StepStarted({"prompt": Shown("Which birds?")})),
        flow=flow,
    ).state
    _, around, _ = known(flow, state, "call/inner")
    assert names(around) == {"question": "Which birds?"}
    assert around.values[0].step == "call"


def test_a_loop_in_a_loop_finds_what_its_rounds_were_given_in_the_round_around_it() -> None:
    nodes = {"outer": "control.loop", "inner": "control.loop", "work": "text.join"}
    wires = (
        ("outer", "value", "inner", "start"),
        ("inner", "value", "work", "parts"),
        ("work", "text", "inner", "again"),
        ("inner", "result", "outer", "again"),
    )
    flow = Flow(
        "Nested",
        nodes={NodeId(name): Node(kind=kind) for name, kind in nodes.items()},
        wires=tuple(
            Wire(Socket(NodeId(a), PortName(b)), Socket(NodeId(c), PortName(d))) for a, b, c, d in wires
        ),
    )
    state = a_run(
        ("outer", StepStarted({"start": Shown("a")})),
        ("outer.1/inner", StepStarted({"start": Shown("a")})),
        *did("outer.1/inner.1/work", {"parts": ["a"]}, {"text": "ab"}),
        ("outer.1/inner", StepFinished({"result": Shown("ab")})),
        ("outer.2/inner", StepStarted({"start": Shown("ab")})),
        *did("outer.2/inner.1/work", {"parts": ["ab"]}, {"text": "abc"}),
        ("outer.2/inner.2/work", StepStarted({"parts": Shown(["abc"])})),
        flow=flow,
    ).state
    _, inner, outer, _ = known(flow, state, "outer.2/inner.2/work")
    assert names(inner) == {"value": "abc", "round": 2}
    assert names(outer) == {"value": "ab", "round": 2}


def test_without_a_step_the_run_is_known() -> None:
    (run,) = known_in_scopes(a_flow(), two_rounds(), None)
    assert names(run) == {"Question · value": "Which birds?"}
