"""Random flows with more than the engine's own tests have: policies and limits of areas, run variables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from studio.flow.calls import GivenFlows
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, slug
from studio.sdk.registry import Registry
from tests.export.in_process import play
from tests.export.random_flows import KINDS, Answering, script_of
from tests.reference.clock import run_virtually
from tests.reference.document import COLLECT, EACH, LOOP
from tests.reference.generator import Case
from tests.reference.probes import WORLD, World

VALUE, MEMORY = PortName("value"), PortName("memory")
NEVER, AT_ONCE = 1e6, 0.2
"""Time limits that no area passes, and that all pass which take any time."""

MOST_LENT = 6
"""Memories in a flow: in a script each stands for one more block."""

Draw = Callable[..., Any]


@st.composite
def with_areas(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow of whose loops, maps and collects some have a time limit or an error policy."""
    case = draw(plain)
    flow = case.flow
    nodes = {name: _with_run(draw, node) for name, node in flow.nodes.items()}
    return replace(case, flow=replace(flow, nodes=nodes))


def _with_run(draw: Draw, node: Node) -> Node:
    changes: dict[str, Any] = {}
    if node.kind in {LOOP, EACH} and draw(st.booleans()):
        changes["time_limit"] = draw(st.sampled_from([NEVER, AT_ONCE]))
    if node.kind in {LOOP, COLLECT} and draw(st.booleans()):
        changes["on_error"] = draw(st.sampled_from(["default", "output"]))
        if changes["on_error"] == "default":
            changes["default"] = [] if node.kind == COLLECT else "instead"
    return node.model_copy(update={"run": node.run.model_copy(update=changes)})


@st.composite
def with_variables(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow some of whose wires lead over steps that note what passes, each in a variable of its own."""
    case = draw(plain)
    flows = {name: _noting(draw, flow, name) for name, flow in case.flows.items()}
    return replace(case, flow=_noting(draw, case.flow, ""), flows=flows)


class RememberingCase(Case):
    """A flow whose steps have memories."""

    @property
    def registry(self) -> Registry:
        """The node types, bound to the flows that may be called."""
        return KINDS.with_flows(GivenFlows(self.flows))


@st.composite
def with_memories(draw: Draw, plain: st.SearchStrategy[Case]) -> Case:
    """A flow some of whose wires lead over steps that remember what passes, each in a memory of its own."""
    case = draw(plain)
    flows = {name: _noting(draw, flow, name, remembers=True) for name, flow in case.flows.items()}
    flow = _noting(draw, case.flow, "", remembers=True)
    return RememberingCase(flow, case.given, flows)


def _noting(draw: Draw, flow: Flow, name: str, *, remembers: bool = False) -> Flow:
    nodes: dict[NodeId, Node] = dict(flow.nodes)
    wires: list[Wire] = []
    places = st.integers(0, max(0, len(flow.wires) - 1))
    chosen = draw(st.sets(places, max_size=MOST_LENT)) if remembers else set[int]()
    for place, wire in enumerate(flow.wires):
        carries = wire.source.port not in {"then", "tool", "index", "round"} and wire.target.port != "after"
        is_lent = flow.nodes[wire.source.node].kind == "test.lender"
        if carries and not is_lent and (place in chosen if remembers else draw(st.integers(0, 3)) == 0):
            note = NodeId(slug(f"note_{name}", nodes))
            if remembers:
                lender = NodeId(slug(f"memory_{name}", nodes))
                nodes[lender] = Node(kind="test.words", settings={"name": str(note)})
                nodes[note] = Node(kind="test.keeper")
                wires.append(Wire(Socket(lender, MEMORY), Socket(note, MEMORY)))
            else:
                nodes[note] = Node(kind="value.state_set", settings={"name": str(note), "how": "append"})
            wires += [
                Wire(wire.source, Socket(note, VALUE)),
                Wire(Socket(note, VALUE), wire.target, wire.index),
            ]
        else:
            wires.append(wire)
    return replace(flow, nodes=nodes, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))


LEFT: list[Any] = []
"""What the variables, or memories, were in the script that ran last."""

KEEPING = """
from tests.export.widened_flows import LEFT
class KeptContext(Context):
    def __init__(self, **given):
        super().__init__(**given)
        LEFT[:] = [self.state.values if hasattr(self, "state") else self.memories]
Context = KeptContext
"""


def left_behind(case: Case) -> dict[str, Any]:
    """What the variables are when the flow's script is over."""
    LEFT.clear()
    WORLD.set(World())
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in case.given.items()]
    source = script_of(case)
    if "class Variables" in source or "class Memories" in source:
        source += KEEPING
    given = {"AsyncOpenAI": Answering, "LONGEST_ANSWER": None}
    ended = play(source, arguments, given=given, run=run_virtually)
    assert ended.code == 0, ended.err
    return LEFT[0] if LEFT else {}


def remembered(case: Case) -> dict[str, dict[str, str]]:
    """The texts of what the memories have when the flow's script is over, by id."""
    left: Any = left_behind(case)
    known: Any = left.sight.known if left else {}
    return {name: {one.id: one.text for one in items.all()} for name, items in known.items()}
