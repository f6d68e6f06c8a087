"""Checks of catches, races and maps: what does not run as whoever drew it will have meant."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from studio.flow.checks.fixes import insert, lead_through, take_out
from studio.flow.checks.problem import Checked, Problem, Remedy, error, warning
from studio.flow.edits import disconnect
from studio.flow.ports import AFTER, Conversion, Structure
from studio.flow.records import Node, Socket, Wire
from studio.flow.structure.graph import INTO_BODY, Vertex, followers, is_binding_wire
from studio.flow.structure.regions import Region
from studio.flow.structure.shelter import sheltered
from studio.flow.structure.wiring import wire_conversion
from studio.ids import NodeId, PortName

_NEVER_FAILING = {Structure.FLOW_INPUT, Structure.CATCH, Structure.MERGE}
_VALUE, _VALUES = PortName("value"), PortName("values")


def control_problems(seen: Checked) -> list[Problem]:
    """Find catches that catch nothing, races that are none, and single values that are taken for lists."""
    graph = seen.tree.graph
    return [
        *_catches(seen, graph.nodes_with(Structure.CATCH)),
        *(one for race in graph.nodes_with(Structure.RACE) for one in _race(seen, race)),
        *(one for each in graph.nodes_with(Structure.FOR_EACH) for one in _lists(seen, each)),
        *(one for region in seen.tree.root.walk() if region.kind == "map" for one in _waiting(seen, region)),
    ]


class _Written:
    """Settings as they stand in the flow, which is all that shelter asks for."""

    def settings(self, node: Node) -> Mapping[str, Any]:
        return {"failed": node.settings.get("failed", "fail")}


def _catches(seen: Checked, catches: list[NodeId]) -> Iterable[Problem]:
    working = [name for name in catches if not seen.flow.nodes[name].run.state]
    if not working or seen.tree.problems:
        return
    safe = sheltered(seen.flow, _Written(), seen.tree)
    before = followers((target, source) for source, target in seen.tree.graph.edges)
    leaving: dict[NodeId, list[Wire]] = defaultdict(list)
    for wire in seen.flow.wires:
        if not is_binding_wire(wire, seen.signatures):
            leaving[wire.source.node].append(wire)
    for name in working:
        arriving = seen.into.get(Socket(name, _VALUE), ())
        if arriving and not _is_fed_by_failing(seen, name, before):
            words = f"Nothing before “{seen.title(name)}” can fail, so there is nothing to catch."
            taken_out = take_out(seen.flow, seen.library, name, ("value", "value"))
            remedies = [seen.remedy("Detach it", taken_out)] if taken_out is not None else []
            yield warning("catch-without-failure", words, name, arriving, remedies)
        for wire in arriving:
            source = wire.source.node
            if source not in safe and _can_fail(seen, source):
                past = [
                    one for one in leaving[source] if one.target.node != name and one.target.node not in safe
                ]
                yield from _passed_by(seen, name, source, past)


def _passed_by(seen: Checked, catch: NodeId, source: NodeId, past: list[Wire]) -> Iterable[Problem]:
    if not past:
        return
    others = " and ".join(f"“{seen.title(one)}”" for one in dict.fromkeys(wire.target.node for wire in past))
    words = (
        f"When “{seen.title(source)}” fails, the run ends despite “{seen.title(catch)}”, "
        f"because it also leads to {others}."
    )
    remedies = [seen.remedy("Remove the wires that bypass it", disconnect(seen.flow, past))]
    led = lead_through(seen.flow, seen.library, past, Socket(catch, _VALUE))
    same = {wire.source for wire in past} == {wire.source for wire in seen.into[Socket(catch, _VALUE)]}
    if led is not None and same:
        remedies.insert(0, seen.remedy(f"Route them through “{seen.title(catch)}”", led))
    yield warning("catch-passed-by", words, catch, past, remedies)


def _is_fed_by_failing(seen: Checked, name: NodeId, before: Callable[[Vertex], Iterable[Vertex]]) -> bool:
    """Whether anything that leads to a node can fail; most often the first that is looked at."""
    known, waiting = {Vertex(name)}, [Vertex(name)]
    while waiting:
        for vertex in before(waiting.pop()):
            if vertex.node != name and _can_fail(seen, vertex.node):
                return True
            if vertex not in known:
                known.add(vertex)
                waiting.append(vertex)
    return False


def _can_fail(seen: Checked, name: NodeId) -> bool:
    node = seen.flow.nodes[name]
    structure = seen.tree.graph.structure(name)
    return not node.run.state and node.run.on_error == "fail" and structure not in _NEVER_FAILING


def _race(seen: Checked, race: NodeId) -> Iterable[Problem]:
    wires = seen.into.get(Socket(race, _VALUES), ())
    if seen.flow.nodes[race].run.state:
        return
    if len(wires) == 1:
        words = f"Nobody races against “{seen.title(wires[0].source.node)}” in “{seen.title(race)}”."
        taken_out = take_out(seen.flow, seen.library, race, ("values", "value"))
        remedies = [seen.remedy("Detach the race", taken_out)] if taken_out is not None else []
        yield warning("race-alone", words, race, wires, remedies)
        return
    region = seen.tree.of(race)
    for wire in wires:
        source = wire.source.node
        if region.owner is None or source == region.owner or source in region.body:
            continue
        words = (
            f"“{seen.title(source)}” always finishes before “{seen.title(race)}” starts, so it always wins."
        )
        yield warning("race-from-outside", words, race, (wire,), [_cut(seen, wire)])


def _lists(seen: Checked, each: NodeId) -> Iterable[Problem]:
    signature = seen.signatures[each]
    for port in signature.inputs if signature is not None else ():
        for wire in () if port.many else seen.into.get(Socket(each, port.name), ()):
            found = wire_conversion(seen.flow, wire, seen.signatures, seen.types)
            if found is not Conversion.TO_LIST:
                continue
            kind = seen.types.outputs.get(wire.source)
            words = (
                f"“{seen.title(wire.source.node)}” returns one `{kind}`, not a list, so "
                f"“{seen.title(each)}” goes through a list of one."
            )
            remedies = [_cut(seen, wire)]
            if kind is not None and str(kind) == "text":
                split = insert(seen.flow, seen.library, "text.split", "Split", wire)
                remedies = [*([seen.remedy("Split the text", split)] if split is not None else []), *remedies]
            yield warning("list-of-one", words, each, (wire,), remedies)


def _waiting(seen: Checked, region: Region) -> Iterable[Problem]:
    """Collects that are to come after steps of single items."""
    for collect in region.collects:
        for wire in seen.into.get(Socket(collect, AFTER), ()):
            source = wire.source
            is_entry = source.node == region.owner and source.port in INTO_BODY[Structure.FOR_EACH]
            if is_entry or source.node in region.body:
                words = (
                    f"“{seen.title(collect)}” waits for all items and cannot come after "
                    f"“{seen.title(source.node)}”, which handles a single one."
                )
                yield error("collect-after-item", words, collect, (wire,), [_cut(seen, wire)])


def _cut(seen: Checked, wire: Wire) -> Remedy:
    label = f"Remove the wire {wire.source} → {wire.target}"
    return seen.remedy(label, disconnect(seen.flow, [wire]))
