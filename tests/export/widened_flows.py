"""Random flows with more than the engine's own tests have: policies and limits of areas, run variables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, slug
from tests.export.in_process import play
from tests.export.random_flows import Answering, script_of
from tests.reference.clock import run_virtually
from tests.reference.document import COLLECT, EACH, LOOP
from tests.reference.generator import Case
from tests.reference.probes import WORLD, World

VALUE = PortName("value")
NEVER, AT_ONCE = 1e6, 0.2
"""Time limits that no area passes, and that all pass which take any time."""

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


def _noting(draw: Draw, flow: Flow, name: str) -> Flow:
    nodes: dict[NodeId, Node] = dict(flow.nodes)
    wires: list[Wire] = []
    for wire in flow.wires:
        carries = wire.source.port not in {"then", "tool", "index", "round"} and wire.target.port != "after"
        if carries and flow.nodes[wire.source.node].kind != "test.lender" and draw(st.integers(0, 3)) == 0:
            note = NodeId(slug(f"note_{name}", nodes))
            nodes[note] = Node(kind="value.state_set", settings={"name": str(note), "how": "append"})
            wires += [
                Wire(wire.source, Socket(note, VALUE)),
                Wire(Socket(note, VALUE), wire.target, wire.index),
            ]
        else:
            wires.append(wire)
    return replace(flow, nodes=nodes, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))


LEFT: list[dict[str, Any]] = []
"""What the variables were in the script that ran last."""

KEEPING = """
from tests.export.widened_flows import LEFT
class KeptContext(Context):
    def __init__(self, **given):
        super().__init__(**given)
        LEFT[:] = [self.state.values]
Context = KeptContext
"""


def left_behind(case: Case) -> dict[str, Any]:
    """What the variables are when the flow's script is over."""
    LEFT.clear()
    WORLD.set(World())
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in case.given.items()]
    source = script_of(case)
    if "class Variables" in source:
        source += KEEPING
    given = {"AsyncOpenAI": Answering, "LONGEST_ANSWER": None}
    ended = play(source, arguments, given=given, run=run_virtually)
    assert ended.code == 0, ended.err
    return LEFT[0] if LEFT else {}
