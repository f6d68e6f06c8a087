"""Which flows a script needs, each as a function: the one that is exported, and those that it calls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from studio.export.python.constants import Constants
from studio.export.python.lifter import SCRIPT, Lifter
from studio.export.python.names import Names
from studio.export.structure.called import (
    CalledFlow,
    calls_in,
    depths_of,
    find_counting,
    find_users_of_context,
)
from studio.export.structure.chart import Chart
from studio.export.structure.naming import variable_names
from studio.export.structure.outputs import BY_RULE, Outputs
from studio.export.structure.presence import Presence
from studio.export.writing.functions import FlowFunction
from studio.export.writing.marks import in_flow
from studio.flow.ports import Structure
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import PortName, slug
from studio.sdk.registry import Registry

VALUE = PortName("value")


def flow_functions(flow: Flow, registry: Registry, names: Names, lifter: Lifter) -> list[FlowFunction]:
    """The functions of a script, that of the exported flow first."""
    main = CalledFlow(Chart(flow, registry), "", Constants(names, lifter))
    charts = _called_charts(main.chart)
    again = next((name for name, chart in charts.items() if _is_same(chart.flow, flow)), "")
    if again:  # it calls itself; what is exported is a call of it from outside
        main.chart = Chart(_calling(flow, again, main.chart), registry, stands_for=flow)
    main.function = names.take(f"run_{slug(flow.name or 'flow')}" if again else slug(flow.name or "flow"))
    flows = {name: _called(name, chart, names, lifter) for name, chart in charts.items()}
    start = -1 if again else 0
    depths = depths_of(main.chart, flows, start)
    find_counting(main.chart, flows, depths)
    find_users_of_context(flows)
    _name_variables([main, *flows.values()], names)
    _find_optional(flows, lifter)
    made = [FlowFunction(main, lifter, flows, start)]
    made += [FlowFunction(one, lifter, flows, depths[name]) for name, one in flows.items()]
    return made


def _called_charts(main: Chart) -> dict[str, Chart]:
    """The flows that are called, and those that they call, in the order in which they are met."""
    found: dict[str, Chart] = {}
    waiting = [main]
    while waiting:
        for _, name in calls_in(waiting.pop(0)):
            if name not in found:
                found[name] = Chart(main.registry.flows.flow(name), main.registry, name)
                waiting.append(found[name])
    return found


def _is_same(one: Flow, other: Flow) -> bool:
    return one.nodes == other.nodes and one.wires == other.wires


def _calling(flow: Flow, name: str, chart: Chart) -> Flow:
    """A flow that does no more than call one that calls itself."""
    nodes = {
        node: record
        for node, record in flow.nodes.items()
        if chart.structure(node) in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}
    }
    call = slug("call", nodes)
    wires = [
        Wire(Socket(node, VALUE), Socket(call, PortName(node)))
        if chart.structure(node) is Structure.FLOW_INPUT
        else Wire(Socket(call, PortName(node)), Socket(node, VALUE))
        for node in nodes
    ]
    made = {**nodes, call: Node(kind="control.subflow", settings={"flow": name})}
    return replace(flow, nodes=made, wires=tuple(sorted(wires, key=lambda one: one.sort_key)))


def _called(name: str, chart: Chart, names: Names, lifter: Lifter) -> CalledFlow:
    stem = slug(chart.flow.name or PurePosixPath(name).stem)
    made = CalledFlow(chart, names.take(stem), Constants(names, lifter, stem), name)
    if len(made.outputs) > 1:
        made.record = names.take("".join(part.capitalize() for part in stem.split("_")))
    return made


def _name_variables(flows: Sequence[CalledFlow], names: Names) -> None:
    """Find the names of all that the nodes use, then those of the variables beside them."""
    draft = Lifter(names)
    for one in flows:
        chart = one.chart
        plain = Outputs(chart, draft, one.constants, {}, {})
        for node in chart.flow.nodes:
            function = chart.type_of(node).function
            is_called = not plain.is_constant(node) and chart.record(node).kind != BY_RULE
            if function is not None and is_called:
                draft.use(function.__module__, function.__name__)
        if any(region.kind == "map" for region in chart.tree.root.walk()):
            draft.use(SCRIPT, "Context")
    draft.collect("")
    for one in flows:
        one.variables = variable_names(one.chart, names)


def _find_optional(flows: Mapping[str, CalledFlow], lifter: Lifter) -> None:
    """Find the outputs that may be left out; those of a flow that calls itself are there if that follows."""
    while True:
        before = {name: one.optional for name, one in flows.items()}
        for one in flows.values():
            with in_flow(one.name):
                presence = Presence(one.chart, Lifter(lifter.names), one.constants, one.variables, flows)
                one.optional = frozenset(node for node in one.outputs if not presence.is_given_last(node))
        if before == {name: one.optional for name, one in flows.items()}:
            return
