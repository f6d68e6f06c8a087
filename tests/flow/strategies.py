"""Arbitrary flows, as hypothesis makes them: valid as documents, seldom as flows."""

from hypothesis import strategies as st

from studio.flow.ports import AFTER_PORT
from studio.flow.records import Flow, Frame, Json, Layout, Node, Note, Point, RunSettings, Socket, Wire
from studio.ids import NodeId, PortName
from tests.flow.builders import LIBRARY

names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
texts = st.text(max_size=12) | st.sampled_from(
    ["one\ntwo", "\n", "a\r\nb", "\u2028", '“quoted” \\ "', "✓ café"]
)
numbers = st.integers(-(10**6), 10**6)
points = st.builds(Point, numbers, numbers)

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts, inner, max_size=3)
        | st.builds(lambda one: {"$lines": one}, inner)
        | st.builds(lambda one: {"$$lines": one}, inner)
    ),
    max_leaves=6,
)
run_settings = st.builds(
    RunSettings,
    on_error=st.sampled_from(["fail", "output", "default"]),
    default=json_values,
    retries=st.integers(0, 100),
    time_limit=st.none() | st.floats(0.001, 1e6),
    limits=st.dictionaries(names, st.floats(0, 1e9), max_size=2),
    state=st.sampled_from(["", "muted", "bypassed"]),
)
nodes = st.builds(
    Node,
    kind=st.sampled_from(["text.text", "text.join", "llm.agent", "control.loop", "no.such_kind"]),
    version=st.integers(1, 3),
    title=texts,
    settings=st.dictionaries(texts, json_values, max_size=3),
    inputs=st.dictionaries(names.map(PortName), json_values, max_size=2),
    run=st.just(RunSettings()) | run_settings,
)
frames = st.builds(
    Frame,
    texts,
    *[numbers] * 4,
    st.sampled_from(["", "blue", "pink"]),
    st.lists(texts, max_size=2).map(tuple),
)
notes = st.builds(Note, texts, numbers, numbers, numbers, numbers)


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    """A flow whose wires join nodes that it has; ports need not exist."""
    records = draw(st.dictionaries(names.map(NodeId), nodes, max_size=5))
    wires: frozenset[Wire] = frozenset()
    if records:
        sockets = st.builds(Socket, st.sampled_from(sorted(records)), names.map(PortName))
        wires = draw(
            st.frozensets(st.builds(Wire, sockets, sockets, st.none() | st.integers(0, 40)), max_size=6)
        )
    ordered = tuple(sorted(wires, key=lambda one: one.sort_key))
    places = {name: draw(points) for name in records}
    bends = {str(wire): tuple(draw(st.lists(points, min_size=1, max_size=2))) for wire in ordered[:2]}
    layout = Layout(
        places,
        draw(st.dictionaries(texts, frames, max_size=2)),
        draw(st.dictionaries(texts, notes, max_size=2)),
        bends,
        draw(st.frozensets(st.sampled_from(sorted(records)))) if records else frozenset(),
    )
    policies = tuple(draw(st.lists(json_values, max_size=2)))
    return Flow(draw(texts), draw(texts), records, ordered, policies, layout)


STEP_KINDS = (
    "control.loop",
    "control.for_each",
    "control.collect",
    "text.pair",
    "io.flow_output",
    "llm.agent",
)


@st.composite
def wired_flows(draw: st.DrawFn) -> Flow:
    """Flows of loops, maps and steps whose wires join real ports, in any order, legal or not."""
    kinds = draw(st.lists(st.sampled_from(STEP_KINDS), min_size=2, max_size=9))
    records = {NodeId(f"n{place}"): Node(kind=kind) for place, kind in enumerate(kinds)}
    outputs: list[Socket] = []
    inputs: list[Socket] = []
    for name, record in records.items():
        signature = LIBRARY.signatures[record.kind]
        outputs += [Socket(name, PortName(port.name)) for port in signature.outputs]
        inputs += [Socket(name, PortName(port.name)) for port in (*signature.inputs, AFTER_PORT)]
    pairs = st.tuples(
        st.sampled_from(outputs or [Socket(NodeId("n0"), PortName("then"))]), st.sampled_from(inputs)
    )
    forward = draw(st.booleans())
    drawn = draw(st.frozensets(pairs, max_size=14))
    wires = {
        Wire(source, target)
        for source, target in drawn
        if not forward
        or int(source.node[1:]) < int(target.node[1:])
        or target.port in {"again", "done", "also"}
    }
    return Flow(nodes=records, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))


@st.composite
def nested_flows(draw: st.DrawFn) -> Flow:
    """Loops and maps in one another, mostly as they should be, with values of outer scopes used inside."""
    records: dict[NodeId, Node] = {}
    wires: set[Wire] = set()

    def add(kind: str) -> NodeId:
        name = NodeId(f"n{len(records)}")
        records[name] = Node(kind=kind)
        return name

    def join(source: Socket, name: NodeId, port: str) -> None:
        wires.add(Wire(source, Socket(name, PortName(port))))

    def step(one: Socket, sources: list[Socket]) -> Socket:
        name = add("text.pair")
        join(one, name, "one")
        if draw(st.booleans()):
            join(draw(st.sampled_from(sources)), name, "two")
        return Socket(name, PortName("text"))

    def body(outer: list[Socket], entry: Socket, depth: int) -> Socket:
        sources = [*outer, entry]
        last = step(entry, sources)
        for _ in range(draw(st.integers(0, 2))):
            sources.append(last)
            last = item(sources, draw(st.sampled_from([last, last, draw(st.sampled_from(sources))])), depth)
        return step(last, sources) if draw(st.booleans()) else last

    def item(sources: list[Socket], feed: Socket, depth: int) -> Socket:
        kind = draw(st.sampled_from(["step", "loop", "map"])) if depth else "step"
        if kind == "step":
            return step(feed, sources)
        owner = add("control.loop" if kind == "loop" else "control.for_each")
        join(feed, owner, "start" if kind == "loop" else "items")
        entry = Socket(owner, PortName("value" if kind == "loop" else "item"))
        last = body(sources, entry, depth - 1)
        if kind == "loop":
            join(last, owner, draw(st.sampled_from(["again", "done"])))
            return Socket(owner, PortName("result"))
        collect = add("control.collect")
        join(last, collect, "item")
        return Socket(collect, PortName("items"))

    start = Socket(add("text.text"), PortName("text"))
    body([start], start, 3)
    return Flow(nodes=records, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))
