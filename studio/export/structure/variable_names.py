"""What the variables of a script are called: as the nodes whose results they hold."""

import builtins
import keyword
from collections.abc import Iterator, Mapping
from itertools import count

from studio.export.python.names import Names
from studio.export.structure.chart import Chart
from studio.flow.ports import Structure
from studio.ids import NodeId, slug

EACH = "each_"
"""How the name of a map begins that says what its items are."""

LONGEST = 40
"""Characters of a title after which a variable may still be called."""

BESIDE: Mapping[Structure | None, tuple[str, ...]] = {
    Structure.LOOP: ("value", "next", "round", "result", "history"),
}
"""What stands behind the variable of a node in the names of further ones."""


def variable_names(chart: Chart, names: Names) -> Mapping[NodeId, str]:
    """Give each node a variable that nothing else in the script is called, nor any other beside it."""
    found: dict[NodeId, str] = {}
    taken: set[str] = set()
    for node in chart.flow.nodes:
        if chart.structure(node) is Structure.FLOW_INPUT:
            found[node] = parameter_of(node)
            taken.add(found[node])
    others = [node for node in chart.flow.nodes if node not in found]
    for node in sorted(others, key=lambda one: chart.structure(one) not in {*BESIDE, Structure.FOR_EACH}):
        name = next(one for one in _wanted(chart, node) if _is_free(chart, node, one, names, taken))
        found[node] = name
        taken |= _all_of(chart, node, name)
    names.hide(taken)
    return {node: found[node] for node in chart.flow.nodes}


def parameter_of(node: NodeId) -> str:
    """What the parameter is called that a flow input is."""
    return f"{node}_" if keyword.iskeyword(node) else str(node)


def function_of_item(variable: str) -> str:
    """What the function of one item of a map is called."""
    return variable if variable.startswith(EACH) else f"{variable}_one"


def part_of_item(variable: str, port: str) -> str:
    """What an output of a map into its body is called: in `each_chapter` the item is `chapter`."""
    item = variable.removeprefix(EACH)
    if not item.isidentifier():  # `each_2`
        item = variable
    return item if port == "item" and item != variable else f"{item}_{port}"


def _wanted(chart: Chart, node: NodeId) -> Iterator[str]:
    """How a node may be called, the best first."""
    title = chart.record(node).title
    said = str(slug(title)) if title.isascii() and 0 < len(title) <= LONGEST else str(node)
    if chart.structure(node) is Structure.FOR_EACH and said.startswith(EACH):
        yield said
    yield str(node)
    yield said
    stem = f"{node}_{_what(chart, node)}"
    yield stem
    yield from (f"{stem}_{number}" for number in count(2))


def _is_free(chart: Chart, node: NodeId, name: str, names: Names, taken: set[str]) -> bool:
    """Whether a node may be called so: as nothing else is, and as no other node wants to be."""
    own = _all_of(chart, node, name)
    is_taken = any(one in names or hasattr(builtins, one) for one in own)
    wanted = {NodeId(name), NodeId(part_of_item(name, "item"))} - {node}
    is_wanted = name != node and any(one in chart.flow.nodes for one in wanted)
    return not is_taken and not is_wanted and taken.isdisjoint(own)


def _all_of(chart: Chart, node: NodeId, name: str) -> set[str]:
    """The variable of a node, and what may be set beside it."""
    ends = {"part", *BESIDE.get(chart.structure(node), ())}
    own = set[str]() if chart.structure(node) is Structure.LOOP else {name}
    if chart.structure(node) is Structure.FOR_EACH:
        own.add(function_of_item(name))
        own.update(part_of_item(name, str(port.name)) for port in chart.data_outputs(node))
    if chart.structure(node) is Structure.BRANCH:
        ends.update(str(port.name) for port in chart.data_outputs(node))
    return own | {f"{name}_{end}" for end in ends}


def _what(chart: Chart, node: NodeId) -> str:
    """What stands behind the name of a node where the name alone is taken."""
    if chart.structure(node) is Structure.BRANCH:
        return "case"
    if chart.structure(node) is Structure.COLLECT:
        return "values"
    ports = chart.signature(node).outputs
    return str(ports[0].name) if len(ports) == 1 else "answer" if ports else "step"
