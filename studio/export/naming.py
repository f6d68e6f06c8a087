"""What the variables of a script are called: as the nodes whose results they hold."""

import builtins
from collections.abc import Mapping
from itertools import chain, count

from studio.export.chart import Chart
from studio.export.names import Names
from studio.flow.ports import Structure
from studio.ids import NodeId

OWN = frozenset(
    {
        *("context", "depth", "outputs", "one", "index", "item", "error", "arguments"),
        *("partial", "asyncio", "together"),
    }
)
"""Names that the exporter itself uses in the flow's function."""

HELD = frozenset(
    {
        *("as_text", "to_plain", "attempted", "tolerated", "collected", "told", "main", "run"),
        *("deeper", "first_value", "no_longer_than", "side_by_side"),
        *("cast", "elements_of", "named_apart", "suppress"),
        *("expect_text", "expect_number", "expect_flag", "expect_list", "expect_message", "expect_file"),
    }
)
"""Functions that it calls there."""


BESIDE: Mapping[Structure | None, tuple[str, ...]] = {
    Structure.LOOP: ("value", "round", "next", "result", "history"),
    Structure.FOR_EACH: ("one", "index", "outcomes", "variables"),
    Structure.COLLECT: ("kept",),
    Structure.CATCH: ("error",),
}
"""What stands behind the variable of a node in the names of further ones."""


def variable_names(chart: Chart, names: Names) -> Mapping[NodeId, str]:
    """Give each node a variable that nothing else in the script is called, nor any other beside it."""
    found: dict[NodeId, str] = {}
    taken: set[str] = set()
    for node in sorted(chart.flow.nodes, key=lambda one: chart.structure(one) not in BESIDE):
        name = str(node)
        if not _is_free(chart, node, name, names, taken):
            stem = f"{name}_{_what(chart, node)}"
            name = next(
                one
                for one in chain([stem], (f"{stem}_{number}" for number in count(2)))
                if _is_free(chart, node, one, names, taken) and one not in chart.flow.nodes
            )
        found[node] = name
        taken |= _all_of(chart, node, name)
    names.hide(taken)
    return {node: found[node] for node in chart.flow.nodes}


def _is_free(chart: Chart, node: NodeId, name: str, names: Names, taken: set[str]) -> bool:
    is_taken = name in names or name in OWN or name in HELD or name in dir(builtins)
    return not is_taken and taken.isdisjoint(_all_of(chart, node, name))


def _all_of(chart: Chart, node: NodeId, name: str) -> set[str]:
    """The variable of a node, and what may be set beside it."""
    ends = {"failure", *BESIDE.get(chart.structure(node), ())}
    if chart.structure(node) is Structure.FOR_EACH:
        ends.update(str(port.name) for port in chart.data_outputs(node))
    if chart.record(node).run.on_error != "fail":
        ends.add("error")
    ends.update(str(one.port.name) for one in chart.inputs(node) if one.port.many)
    return {name, *(f"{name}_{end}" for end in ends)}


def _what(chart: Chart, node: NodeId) -> str:
    """What stands behind the name of a node where the name alone is taken."""
    if chart.structure(node) is Structure.BRANCH:
        return "case"
    ports = chart.signature(node).outputs
    return str(ports[0].name) if len(ports) == 1 else "answer" if ports else "step"
