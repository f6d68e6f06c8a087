"""What the variables of a script are called: as the nodes whose results they hold."""

import builtins
from collections.abc import Mapping

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
        *("expect_text", "expect_number", "expect_flag", "expect_list", "expect_message", "expect_file"),
    }
)
"""Functions that it calls there."""


def variable_names(chart: Chart, names: Names) -> Mapping[NodeId, str]:
    """Give each node a variable that nothing else in the script is called."""
    found: dict[NodeId, str] = {}
    taken: set[str] = set()
    for node in chart.flow.nodes:
        name = str(node)
        if _is_free(name, names, taken):
            found[node] = name
        else:
            stem = f"{name}_{_what(chart, node)}"
            found[node] = next(
                one
                for one in (stem, *(f"{stem}_{number}" for number in range(2, len(chart.flow.nodes) + 9)))
                if _is_free(one, names, taken) and one not in chart.flow.nodes
            )
        taken.add(found[node])
    return found


def _is_free(name: str, names: Names, taken: set[str]) -> bool:
    return not (name in names or name in taken or name in OWN or name in HELD or name in dir(builtins))


def _what(chart: Chart, node: NodeId) -> str:
    """What stands behind the name of a node where the name alone is taken."""
    if chart.structure(node) is Structure.BRANCH:
        return "case"
    ports = chart.signature(node).outputs
    return str(ports[0].name) if len(ports) == 1 else "answer" if ports else "step"
