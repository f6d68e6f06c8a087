"""Which step of one run is which of another, and where the two first went apart."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from studio.flow.edits import rename_node
from studio.flow.files import codec
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, StepId
from studio.runtime.replay.dependence import Dependence, Root
from studio.trace.differences.alignment import aligned_steps, same_items
from studio.trace.differences.comparison import compare_steps, first_pair
from studio.trace.events import Event, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from tests.trace.builders import numbered

INNER = Flow(
    name="Inner",
    nodes={NodeId("text"): Node(kind="io.flow_input"), NodeId("writer"): Node(kind="llm.chat")},
    wires=(Wire(Socket(NodeId("text"), PortName("value")), Socket(NodeId("writer"), PortName("prompt"))),),
)
OUTER = Flow(
    name="Outer",
    nodes={
        NodeId("word"): Node(kind="io.flow_input"),
        NodeId("call"): Node(kind="control.subflow", settings={"flow": "inner.json"}),
    },
    wires=(Wire(Socket(NodeId("word"), PortName("value")), Socket(NodeId("call"), PortName("text"))),),
)


def ran(*happened: tuple[str, Event], outer: Flow = OUTER, inner: Flow = INNER) -> RunState:
    flows = {"inner.json": codec.dumps(inner)}
    started = RunStarted("Outer", codec.dumps(outer), flows=flows)
    return fold(numbered(started, *happened))


def steps(*names: str) -> list[tuple[str, Event]]:
    return [(name, event) for name in names for event in (StepStarted({}), StepFinished({}))]


def called(node: Node) -> str:
    return str(node.settings.get("flow", ""))


def test_a_renamed_node_is_the_same_node_in_called_flows_too() -> None:
    first = ran(*steps("word", "call", "call/writer", "call/writer#chat.1"))
    outer = rename_node(OUTER, NodeId("call"), NodeId("summary")).applied_to(OUTER)
    inner = rename_node(INNER, NodeId("writer"), NodeId("author")).applied_to(INNER)
    second = ran(
        *steps("word", "summary@2", "summary@2/author", "summary@2/author#chat.1"), outer=outer, inner=inner
    )
    assert list(aligned_steps(first, second, called).values()) == [
        "word",
        "call@2",
        "call@2/writer",
        "call@2/writer#chat.1",
    ]


def test_rounds_are_the_same_by_their_number() -> None:
    pairs = compare_steps(ran(*steps("loop.1/a", "loop.2/a")), ran(*steps("loop.1/a")))
    assert [(pair.step, pair.other, pair.is_same) for pair in pairs] == [
        ("loop.1/a", "loop.1/a", True),
        ("loop.2/a", "", False),
    ]


def mapped(items: list[str]) -> RunState:
    around: list[tuple[str, Event]] = [("each", StepStarted({"items": Shown(items)}))]
    inside: list[tuple[str, Event]] = []
    for number, item in enumerate(items):
        inside += [
            (f"each.{number}/a", StepStarted({"item": Shown(item)})),
            (f"each.{number}/a", StepFinished({"said": Shown(item.upper())})),
        ]
    return ran(*around, *inside)


def test_items_are_the_same_by_what_they_are() -> None:
    pairs = compare_steps(mapped(["owl", "tit"]), mapped(["jay", "owl", "tit"]))
    items = [pair for pair in pairs if pair.step != "each"]
    assert [(pair.step, pair.other, pair.is_same) for pair in items] == [
        ("each.2/a", "each.0/a", False),
        ("each.0/a", "each.1/a", True),
        ("each.1/a", "each.2/a", True),
    ]


LISTS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(LISTS, LISTS)
def test_no_two_items_have_one_partner_and_equal_lists_keep_their_places(
    first: list[str], second: list[str]
) -> None:
    places = same_items(first, second)
    named = [places.get(number, number) for number in range(len(second))]
    assert len(set(named)) == len(named)
    partners = [(first[place], item) for place, item in zip(named, second, strict=True) if place < len(first)]
    assert len(partners) <= min(len(first), len(second))
    assert same_items(first, first) == {}


def gave(**said: str) -> list[tuple[str, Event]]:
    return [
        (step, event)
        for step, text in said.items()
        for event in (StepStarted({}), StepFinished({"reply": Shown(text)}))
    ]


def test_two_runs_went_apart_where_the_first_step_gave_something_else() -> None:
    first, second = ran(*gave(a="x", b="y", c="z")), ran(*gave(a="x", b="Y", c="Z"))
    found = first_pair(compare_steps(first, second), first, second)
    assert found is not None
    assert found.step == "b"
    assert first_pair(compare_steps(first, first), first, first) is None


def test_what_happened_inside_a_step_comes_before_what_that_step_gave() -> None:
    def looped(said: str) -> RunState:
        inside: list[tuple[str, str, Event]] = [
            ("loop.1/a", "loop", StepStarted({})),
            ("loop.1/a", "loop", StepFinished({"reply": Shown(said)})),
        ]
        whole: Mapping[str, Shown] = {"result": Shown(said)}
        started = RunStarted("Outer", codec.dumps(OUTER))
        return fold(numbered(started, ("loop", StepStarted({})), *inside, ("loop", StepFinished(whole))))

    first, second = looped("x"), looped("y")
    found = first_pair(compare_steps(first, second), first, second)
    assert found is not None
    assert found.step == StepId("loop.1/a")


def test_a_step_that_only_the_second_run_has_can_be_where_they_went_apart() -> None:
    first, second = ran(*gave(a="x", c="z")), ran(*gave(a="x", extra="!", c="Z"))
    found = first_pair(compare_steps(first, second), first, second)
    assert found is not None
    assert (found.step, found.first) == ("extra", None)


@given(names=st.lists(st.sampled_from(["each.x/a", "each./a", "each.²/a", "each.1/a", "call/each.x/text"])))
def test_steps_of_a_run_from_elsewhere_may_have_any_names(names: list[str]) -> None:
    first, second = ran(*steps(*names)), ran(*steps(*names[1:]))
    assert aligned_steps(first, second) == {step: step for step in second.order}
    dependence = Dependence(OUTER, builtin_registry())
    called = "call/each.x/text"  # what happens in there nobody knows
    for one in names:
        for other in names:
            depends = dependence.depends(StepId(one), Root(StepId(other)))
            assert depends == (one == other == called), (one, other)
