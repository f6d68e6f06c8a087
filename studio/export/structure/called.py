"""Flows that a flow calls: the function that each becomes, as those see it who call it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from studio.export.python.constants import Constants
from studio.export.structure.chart import Chart
from studio.flow.ports import ANY, PortType, Structure
from studio.flow.records import Socket
from studio.ids import NodeId, PortName

MAY_BE_NOTHING = frozenset({"json", "any", "T"})
"""Types of which `None` is a value, so that something else has to say that there is none."""

PLAIN = frozenset({"text", "number", "flag", "json"})
"""Types whose values are JSON as they stand."""

DEEPEST = 64
"""How deep calls within calls may ever go."""


@dataclass(slots=True)
class CalledFlow:
    """A flow that others call: its function, what that is given and what it returns."""

    chart: Chart
    function: str
    constants: Constants
    name: str = ""
    """By which it is called; empty for the flow that is exported."""
    record: str = ""
    """The class of what it returns; empty where that is one value, or nothing."""
    variables: Mapping[NodeId, str] = field(default_factory=dict[NodeId, str])
    optional: frozenset[NodeId] = frozenset()
    """The outputs that may be left out."""
    uses_context: bool = False
    counts_calls: bool = False
    """Whether it is told how many calls it stands in."""

    @property
    def inputs(self) -> Sequence[NodeId]:
        """What it asks for."""
        return nodes_of(self.chart, Structure.FLOW_INPUT)

    @property
    def outputs(self) -> Sequence[NodeId]:
        """What it gives."""
        return nodes_of(self.chart, Structure.FLOW_OUTPUT)

    def default(self, node: NodeId) -> object:
        """What an input is where nothing is given; None where something has to be."""
        return self.chart.registry.settings(self.chart.record(node)).get("default")

    def input_type(self, node: NodeId) -> PortType:
        """What an input carries."""
        return self.chart.output_type(Socket(node, PortName("value")))

    def output_type(self, node: NodeId) -> PortType:
        """What arrives at an output."""
        wires = self.chart.wires_into(node, "value")
        return self.chart.output_type(wires[0].source) if wires else ANY


def has_plain_default(called: CalledFlow, node: NodeId) -> bool:
    """Whether an input has a default that JSON says as it is."""
    is_plain = called.input_type(node).base not in {"message", "messages", "file", "image"}
    return is_plain and called.default(node) is not None


def nodes_of(chart: Chart, structure: Structure) -> Sequence[NodeId]:
    """The nodes of a structure that take part, in the order of the flow."""
    steps = chart.tree.graph.steps
    return [node for node in chart.flow.nodes if node in steps and chart.structure(node) is structure]


def calls_in(chart: Chart) -> Iterator[tuple[NodeId, str]]:
    """The steps of a flow that call others, and the nodes that lend others, with the names of these."""
    for node in nodes_of(chart, Structure.SUBFLOW):
        if not chart.record(node).run.state:
            yield node, chart.registry.called_name(chart.record(node))
    for node in dict.fromkeys(one for step in chart.tree.graph.steps for one in chart.all_lenders(step)):
        if name := chart.registry.called_name(chart.record(node)):
            yield node, name


def most_calls(chart: Chart, node: NodeId) -> int:
    """How many calls a step that calls a flow may stand in, itself included."""
    return int(chart.registry.settings(chart.record(node))["max_depth"])


def is_settled(outer: int, chart: Chart, node: NodeId) -> bool:
    """Whether a call is never too deep, in a function that stands in `outer` calls at most."""
    return outer < most_calls(chart, node)


def depths_of(main: Chart, flows: Mapping[str, CalledFlow], start: int) -> Mapping[str, int]:
    """In how many calls each called flow stands at most; more than `DEEPEST` where they call one another."""
    found: dict[str, int] = {}
    waiting = [(main, start)]
    while waiting:
        chart, depth = waiting.pop()
        for _, name in calls_in(chart):
            if found.get(name, -1) < depth + 1 <= DEEPEST + 1:
                found[name] = depth + 1
                waiting.append((flows[name].chart, depth + 1))
    return found


def find_counting(main: Chart, flows: Mapping[str, CalledFlow], depths: Mapping[str, int]) -> None:
    """Note which called flows have to be told in how many calls they stand."""
    for chart, depth in [(main, 0), *((flows[name].chart, depths[name]) for name in flows)]:
        for node, name in calls_in(chart):
            if not is_settled(depth, chart, node):
                flows[name].counts_calls = True
    _spread(flows, "counts_calls")


def find_users_of_context(flows: Mapping[str, CalledFlow]) -> None:
    """Note which called flows ask for what steps use besides their arguments."""
    for one in flows.values():
        kinds = [one.chart.type_of(node) for node in one.chart.flow.nodes]
        has_maps = any(region.kind == "map" for region in one.chart.tree.root.walk())
        one.uses_context = has_maps or any(kind.context_name for kind in kinds)
    _spread(flows, "uses_context")


def _spread(flows: Mapping[str, CalledFlow], mark: str) -> None:
    """Give a mark to all flows that call one which has it."""
    before = -1
    while before != (now := sum(getattr(one, mark) for one in flows.values())):
        before = now
        for one in flows.values():
            if any(getattr(flows[name], mark) for _, name in calls_in(one.chart)):
                setattr(one, mark, True)
