import time
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.flow.ports import Conversion, Port, Refusal
from studio.flow.records import Flow
from studio.flow.structure.graph import Vertex, followers, graph_of, reached, read_signatures
from studio.flow.structure.order import Order
from studio.flow.structure.types import variables_of
from studio.flow.structure.wiring import acceptable, conversion_of, refusal
from tests.flow.builders import LIBRARY, flow, review, socket, wire
from tests.flow.strategies import flows, nested_flows, wired_flows


def why(some: Flow, text: str) -> str | None:
    one = wire(text)
    return refusal(some, one.source, one.target, LIBRARY)


LINE = flow({"a": "text.upper", "b": "text.upper", "c": "text.upper"}, "a.text -> b.text", "b.text -> c.text")


@pytest.mark.parametrize(
    "text",
    [
        "a.text -> c.text",
        "a.then -> c.after",
        "a.text -> c.after",
    ],
)
def test_wires_that_point_forward_are_accepted(text: str) -> None:
    assert why(LINE, text) is None


@pytest.mark.parametrize(
    "text", ["c.text -> a.text", "c.then -> a.after", "c.text -> a.after", "a.text -> a.text"]
)
def test_a_wire_that_closes_a_cycle_is_refused_and_a_loop_suggested(text: str) -> None:
    assert "insert" in (why(LINE, text) or "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a.gone -> c.text", "“a” has no output `gone`."),
        ("a.text -> c.gone", "“c” has no input `gone`."),
        ("ghost.text -> c.text", "There is no node `ghost` in this flow."),
        ("a.text -> b.text", "These two ports are already wired."),
        ("a.then -> c.text", "`then` carries order only; it must end at an `after` port."),
    ],
)
def test_a_refusal_is_one_sentence_that_names_the_reason(text: str, words: str) -> None:
    assert why(LINE, text) == words


def test_only_a_loop_takes_a_wire_from_its_own_descendants() -> None:
    some = flow(
        {"t": "text.text", "r": "control.loop", "up": "text.upper", "after": "text.upper"},
        "t.text -> r.start",
        "r.value -> up.text",
        "r.result -> after.text",
    )
    for port in ("again", "done", "also"):
        assert why(some, f"up.text -> r.{port}") is None
    assert "`again`" in (why(some, "up.text -> r.start") or "")
    assert "cycle" in (why(some, "after.text -> r.again") or "")


def test_what_is_lent_fits_only_where_it_is_borrowed() -> None:
    some = flow({"files": "tools.files", "a": "llm.agent", "b": "llm.agent", "d": "team.debate"})
    assert why(some, "files.tool -> a.tools") is None
    assert why(some, "a.agent -> d.members") is None
    assert "is an attachment" in (why(some, "files.tool -> a.prompt") or "")
    assert "is an attachment" in (why(some, "a.reply -> a.tools") or "")
    assert "is an attachment" in (why(some, "files.tool -> a.after") or "")


def test_what_only_lends_takes_no_part_in_the_order_of_steps() -> None:
    some = flow({"files": "tools.files", "a": "llm.agent"})
    assert why(some, "files.then -> a.after") == "“files” has no output `then`."
    assert why(some, "a.then -> files.after") == "“files” has no input `after`."


def test_agents_may_lend_themselves_to_each_other() -> None:
    some = flow(
        {"a": "llm.agent", "ta": "tools.agent", "b": "llm.agent", "tb": "tools.agent"},
        "a.agent -> ta.agent",
        "ta.tool -> b.tools[0]",
        "b.agent -> tb.agent",
    )
    assert why(some, "tb.tool -> a.tools") is None


def test_the_wires_that_stay_decide_what_a_variable_takes() -> None:
    some = flow(
        {"t": "text.text", "p": "value.picture", "r": "control.loop"},
        "t.text -> r.start",
    )
    assert "`image` does not fit `text`" in (why(some, "p.image -> r.again") or "")
    assert why(some, "p.image -> r.start") is None


def test_unknown_kinds_cannot_be_wired() -> None:
    some = flow({"x": "company.secret", "t": "text.upper"})
    assert "company.secret" in (why(some, "x.out -> t.text") or "")
    assert "company.secret" in (why(some, "t.text -> x.in") or "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n.number -> up.text", Conversion.TO_TEXT),
        ("t.text -> up.text", Conversion.NONE),
        ("t.text -> j.parts[0]", Conversion.TO_LIST),
        ("s.parts -> j.parts[0]", Conversion.NONE),
        ("t.text -> m.values[0]", Conversion.TO_LIST),
        ("t.text -> up.after", Conversion.NONE),
    ],
)
def test_a_wire_tells_what_happens_to_its_values(text: str, expected: Conversion) -> None:
    nodes = {
        "n": "value.number",
        "t": "text.text",
        "s": "text.split",
        "up": "text.upper",
        "j": "text.join",
        "m": "control.merge",
    }
    assert conversion_of(flow(nodes, text), wire(text), LIBRARY) is expected


def test_a_wire_without_an_end_tells_that() -> None:
    assert isinstance(conversion_of(LINE, wire("a.text -> ghost.text"), LIBRARY), Refusal)


LENT_TO_ITS_MAP = flow(
    {"n": "control.for_each", "a": "llm.agent", "b": "llm.agent"}, "a.agent -> n.items", "n.item -> b.prompt"
)
"""A map whose items an agent reads that could be lent to it."""


@given(st.one_of(st.sampled_from([review(), LINE]), flows(), wired_flows(), nested_flows()))
@example(LENT_TO_ITS_MAP)
def test_acceptable_and_refusal_agree_on_every_pair(some: Flow) -> None:
    signatures = {name: LIBRARY.signature(one) for name, one in some.nodes.items()}
    outputs = [
        socket(f"{n}.{p}") for n, s in signatures.items() if s for p in (*names(s.outputs), "then", "error")
    ][:12]
    inputs = [socket(f"{n}.{p}") for n, s in signatures.items() if s for p in (*names(s.inputs), "after")][
        :12
    ]
    starts = {target: acceptable(some, target, LIBRARY, is_output=False) for target in inputs}
    for source in outputs:
        ends = acceptable(some, source, LIBRARY, is_output=True)
        for target in inputs:
            agreed = refusal(some, source, target, LIBRARY) is None
            assert (target in ends) is agreed
            assert (source in starts[target]) is agreed
        assert all(refusal(some, source, target, LIBRARY) is None for target in ends)


def names(ports: Iterable[Port]) -> list[str]:
    return [port.name for port in ports]


@given(st.one_of(flows(), wired_flows(), nested_flows()))
def test_what_waits_for_a_step_is_what_the_graph_leads_to(some: Flow) -> None:
    signatures = read_signatures(some, LIBRARY)
    order, graph = Order(some, signatures), graph_of(some, signatures)
    backwards = [(target, source) for source, target in graph.edges]
    for node in some.nodes:
        for vertex in (Vertex(node), Vertex(node, is_exit=True)):
            assert order.after(vertex) == reached(vertex, followers(graph.edges))
            assert order.before(vertex) == reached(vertex, followers(backwards))
            for other in some.nodes:
                assert order.leads(vertex, Vertex(other)) is (Vertex(other) in order.after(vertex))


@given(wired_flows(), st.data())
def test_the_variables_of_some_nodes_are_those_found_for_all(some: Flow, data: st.DataObject) -> None:
    signatures = read_signatures(some, LIBRARY)
    whole = variables_of(some, signatures)
    asked = data.draw(st.lists(st.sampled_from(sorted(some.nodes)), unique=True))
    part = variables_of(some, signatures, asked)
    assert {node: whole.get(node) for node in asked} == {node: part.get(node) for node in asked}


def test_a_thousand_nodes_are_sorted_out_within_a_drag() -> None:
    nodes = {f"n{place}": "text.upper" if place % 3 else "control.branch" for place in range(1000)}
    wires = [
        f"n{place}.{'text' if place % 3 else 'yes'} -> n{place + 1}.{'text' if (place + 1) % 3 else 'value'}"
        for place in range(999)
    ]
    some = flow(nodes, *wires)
    taken: list[float] = []
    for _ in range(5):
        begin = time.thread_time()
        ends = acceptable(some, socket("n500.text"), LIBRARY)
        taken.append(time.thread_time() - begin)
    assert socket("n502.text") in ends
    assert socket("n499.text") not in ends
    assert min(taken) < 0.05
