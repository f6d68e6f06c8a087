"""Races between calls: steps that begin together and lead nowhere but into the race."""

from collections.abc import Mapping

from studio.errors import ExportError
from studio.export.called import MAY_BE_NOTHING, CalledFlow
from studio.export.chart import Chart
from studio.export.outputs import Outputs
from studio.flow.ports import Structure
from studio.flow.records import title_of
from studio.ids import NodeId


def find_racers(outputs: Outputs) -> Mapping[NodeId, list[NodeId]]:
    """The races of a flow, each with its racers in wire order.

    Raises `ExportError` naming a race that a script cannot run: between lanes of several steps, say.
    """
    chart = outputs.chart
    found: dict[NodeId, list[NodeId]] = {}
    for race in chart.flow.nodes:
        if chart.structure(race) is not Structure.RACE or chart.record(race).run.state:
            continue
        one = chart.input(race, "values")
        racers = [wire.source.node for wire in one.wires]
        fits = all(chart.output_type(wire.source) == one.type.element for wire in one.wires)
        starts = [_start(outputs, racer) for racer in racers]
        is_fair = all(start == starts[0] for start in starts)
        if not (racers and fits and is_fair and all(_is_racer(outputs, race, one) for one in racers)):
            message = (
                f"“{title_of(chart.flow, race)}” cannot be exported: "
                "only races between calls that begin together have a script form."
            )
            raise ExportError(message, hint="Race single steps, or run the flow with `stepwire run`.")
        found[race] = racers
    return found


def _is_racer(outputs: Outputs, race: NodeId, node: NodeId) -> bool:
    """Whether a step is one call that nobody but the race hears of."""
    chart: Chart = outputs.chart
    listeners = [wire for wire in chart.flow.wires if wire.source.node == node]
    called = outputs.called(node)
    if chart.structure(node) is not None and (called is None or not _tells_values(called)):
        return False
    if not outputs.may_fail(node) or len(listeners) != 1:
        return False
    is_beside = chart.tree.of(node) is chart.tree.of(race)
    is_whole = all(not place.name for place in outputs.fields(node).values())
    run = chart.record(node).run
    return is_beside and is_whole and not run.state and run.on_error == "fail"


def _tells_values(called: CalledFlow) -> bool:
    """Whether what a called flow gives is never `None`, which stands for nothing in a race."""
    kinds = [called.output_type(one) for one in called.outputs]
    return all(kind.depth or kind.base not in MAY_BE_NOTHING for kind in kinds)


def _start(outputs: Outputs, node: NodeId) -> set[NodeId]:
    """What a step waits for that takes any time."""
    chart = outputs.chart
    waits = chart.yards[id(chart.tree.of(node))].waits.get(node, set())
    return {
        one for one in waits if not (chart.structure(one) is Structure.FLOW_INPUT or outputs.is_constant(one))
    }
