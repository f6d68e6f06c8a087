"""Which flows a script needs as functions: the one that is exported, and those that it calls."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from studio import kit, script
from studio.export.python.constants import Constants
from studio.export.python.names import Names
from studio.export.statements.block import CalledFlow, Imports
from studio.export.statements.functions import FlowFunction
from studio.export.structure.chart import Chart
from studio.export.structure.drawing import facts_of
from studio.export.structure.variable_names import variable_names
from studio.flow.ports import Structure
from studio.flow.records import Flow
from studio.ids import NodeId, slug
from studio.script.nodes import kinds_by_name
from studio.sdk.registry import Registry

TOP = ("Any", "Path", "Message", "flow")
"""Further names at the top of a script."""


def flow_functions(flow: Flow, registry: Registry, names: Names) -> list[FlowFunction]:
    """The functions of a script, that of the exported flow first."""
    main = Chart(flow, registry)
    charts = _called_charts(main)
    all_charts = [main, *charts.values()]
    inputs = {str(node) for chart in all_charts for node in _ends(chart, Structure.FLOW_INPUT)}
    imports = _imports(all_charts, names, inputs)
    names.hide(inputs)
    function = _free(names, slug(flow.name or "flow"))
    stems = {name: slug(chart.flow.name or PurePosixPath(name).stem) for name, chart in charts.items()}
    functions = {
        name: function if _is_same(chart.flow, flow) else names.take(stems[name])
        for name, chart in charts.items()
    }
    constants = Constants(names, imports.kit["fields"])
    called = _made(main, "", function, constants, names)
    flows = {
        name: called
        if _is_same(chart.flow, flow)
        else _made(chart, name, functions[name], constants.called(stems[name]), names)
        for name, chart in charts.items()
    }
    made = [FlowFunction(called, flows, imports, names, is_main=True)]
    waiting = list(made)
    written = {called.name}
    while waiting:
        for name in sorted(waiting.pop(0).outline.called - written):
            written.add(name)
            made.append(FlowFunction(flows[name], flows, imports, names, is_main=False))
            waiting.append(made[-1])
    return made


def _made(chart: Chart, name: str, function: str, constants: Constants, names: Names) -> CalledFlow:
    return CalledFlow(name, function, facts_of(chart), variable_names(chart, names), constants)


def _free(names: Names, wanted: str) -> str:
    return names.take(f"{wanted}_flow" if wanted in names else wanted)


def _imports(charts: Iterable[Chart], names: Names, inputs: set[str]) -> Imports:
    """What is called how of the kit; what is called as an input of a flow gets another name."""
    words = {name: f"kit_{name}" if name in inputs else name for name in (*kit.__all__, *script.__all__)}
    by_kind = {kind: name for name, kind in kinds_by_name().items()}
    kinds = {record.kind for chart in charts for record in chart.flow.nodes.values()}
    for name in (*words.values(), *TOP):
        names.take(name)
    functions: dict[str, str] = {}
    for kind in sorted(kinds & by_kind.keys()):
        wanted = by_kind[kind]
        functions[kind] = names.take(f"{wanted}_step" if wanted in inputs or wanted in names else wanted)
    return Imports(words, functions)


def _called_charts(main: Chart) -> dict[str, Chart]:
    """The flows that steps call, and those that these call, in the order in which they are met."""
    found: dict[str, Chart] = {}
    waiting = [main]
    while waiting:
        for name in _calls(waiting.pop(0)):
            if name not in found:
                found[name] = Chart(main.registry.flows.flow(name), main.registry, name)
                waiting.append(found[name])
    return found


def _calls(chart: Chart) -> Iterator[str]:
    for node in _ends(chart, Structure.SUBFLOW):
        if chart.record(node).run.state != "muted":
            yield chart.registry.called_name(chart.record(node))


def _ends(chart: Chart, structure: Structure) -> Iterator[NodeId]:
    return (node for node in chart.flow.nodes if chart.structure(node) is structure)


def _is_same(one: Flow, other: Flow) -> bool:
    return one.nodes == other.nodes and one.wires == other.wires


def lent_flows(functions: Iterable[FlowFunction], registry: Registry) -> Mapping[str, Flow]:
    """The flows that a script has as they are drawn, for tools and parts that call them by name."""
    found: dict[str, Flow] = {}
    waiting = sorted({name for one in functions for name in one.outline.lends})
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = registry.flows.flow(name)
            waiting += sorted({registry.called_name(one) for one in found[name].nodes.values()} - {""})
    return found
