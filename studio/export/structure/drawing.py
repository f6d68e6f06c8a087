"""Which parts of a flow are left to the engine as they are drawn, since Python does not say them readably.

That is races with all that competes in them, and loops and maps with settings or failures that a `for` has
no words for. Such a part is as small as may be, and is closed: what is between it, and what its failures
lead to, belongs to it.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from inspect import iscoroutinefunction

from studio.export.structure.chart import Chart, ports_after
from studio.export.structure.facts import Facts
from studio.export.structure.overlap import reached
from studio.flow.ports import ERROR, THEN, Structure
from studio.flow.records import Socket, Wire
from studio.flow.structure.regions import Region
from studio.flow.structure.shelter import leading_only_into
from studio.ids import NodeId

EACH_WORDS = frozenset(
    {"name", "function", "items", "at_once", "failed", "absent", "time_limit", "collected", "with_index"}
)
"""Parameters of `each`, by which no further list can be called."""

HAS_MORE = " with settings or failures that a `for` cannot have"

TAKEN_WORDS = frozenset({"after"})
"""Parameters of every step."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Vertices of one region that the engine runs as one."""

    vertices: frozenset[NodeId]

    def nodes(self, facts: Facts) -> frozenset[NodeId]:
        """All nodes of it: the vertices, and what stands in loops and maps."""
        found = set(self.vertices)
        for vertex in self.vertices:
            region = facts.chart.owned.get(vertex)
            if region is not None:
                found |= region.body | set(region.collects)
                for inner in region.walk():
                    found |= {node for node in (inner.owner, *inner.collects) if node is not None}
        return frozenset(found)


def facts_of(chart: Chart) -> Facts:
    """What is known of a flow, of which branches in parts that are left as they are drawn tell nothing."""
    opaque = frozenset[NodeId]()
    while True:
        facts = Facts(chart, opaque)
        drawing = Drawing(facts)
        parts = [part for region in chart.tree.root.walk() for part in drawing.parts(region)]
        drawn = frozenset[NodeId]().union(*(part.nodes(facts) for part in parts))
        found = opaque | {node for node in drawn if chart.structure(node) is Structure.BRANCH}
        if found == opaque:
            return facts
        opaque = found


class Drawing:
    """Finds the parts of a flow that are left as they are drawn."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._chart = facts.chart
        self._times: dict[NodeId, bool] = {}

    def is_whole(self) -> bool:
        """Whether the flow is left as it is: it gives something from inside a loop or map."""
        root = self._chart.tree.root
        for node in self._chart.flow.nodes:
            structure = self._chart.structure(node)
            if structure in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT} and node in self._facts.yards:
                if self._facts.yards[node] is not root:
                    return True
                if structure is Structure.FLOW_OUTPUT and not self._is_plain_output(node):
                    return True
        return False

    def _is_plain_output(self, node: NodeId) -> bool:
        run = self._chart.record(node).run
        is_plain = not run.state and run.on_error == "fail" and not any(self._facts.readers(node))
        return is_plain and all(
            self._facts.has_happened(one, frozenset()) for one in ports_after(self._chart, node)
        )

    def parts(self, region: Region) -> list[Drawn]:
        """The parts of one region."""
        yard = self._chart.yards[id(region)]
        groups = [self._closed(region, {node}) for node in yard.waits if self.why(node)]
        return [Drawn(frozenset(one)) for one in self._merged(region, groups)]

    # --- what Python has no words for ----------------------------------------------------------------------

    def why(self, node: NodeId) -> str:
        """Why a vertex is left as it is drawn, if it is for its own sake; empty for all others."""
        chart, facts = self._chart, self._facts
        structure = chart.structure(node)
        if facts.is_muted(node):
            return ""
        if structure is Structure.RACE:
            return "a race"
        if node in chart.owned:
            region = chart.owned[node]
            is_map = region.kind == "map"
            is_hard = self._is_hard_map(region) if is_map else self._is_hard_loop(region)
            is_hard = is_hard or self._is_ordered_from_outside(region)
            return ("a map" if is_map else "a loop") + HAS_MORE if is_hard else ""
        return "inputs or an order that Python has no words for" if self._is_hard_step(node) else ""

    def _is_hard_step(self, node: NodeId) -> bool:
        chart = self._chart
        record = chart.record(node)
        if structure_of_io(chart.structure(node)):
            return False
        if chart.structure(node) is Structure.SUBFLOW and (
            record.run.on_error == "default" or record.run.state
        ):
            return True
        settings = {spec.name for spec in chart.registry.require(record.kind).settings}
        for one in chart.inputs(node):
            if one.port.name in settings or one.port.name in TAKEN_WORDS:
                return True
        return self._is_hard_order(node)

    def _is_hard_order(self, node: NodeId) -> bool:
        """Whether it comes after something that gives nothing by which a script sees that it happened."""
        return any(True for _ in self._unseen_before(node))

    def _unseen_before(self, node: NodeId) -> Iterator[NodeId]:
        """What a node comes after that may not have happened, and gives nothing by which that is seen."""
        known = self._facts.known(self._facts.vertex(node))
        for wire in ports_after(self._chart, node):
            if not self._facts.has_happened(wire, known) and self._is_unseen(wire.source):
                yield wire.source.node

    def _is_ordered_from_outside(self, region: Region) -> bool:
        """Whether something inside comes after such a thing outside, which no part inside could have."""
        inside = {region.owner, *region.body, *region.collects}
        return any(one not in inside for node in region.body for one in self._unseen_before(node))

    def _is_unseen(self, socket: Socket) -> bool:
        chart, facts, source = self._chart, self._facts, socket.node
        if socket.port != THEN:
            return False
        outputs = chart.data_outputs(source)
        is_seen = len(outputs) != 1 or outputs[0].required
        return source in chart.owned or facts.in_python(source) or not is_seen

    def _is_hard_loop(self, region: Region) -> bool:
        owner = region.owner or NodeId("")
        chart, run = self._chart, self._chart.record(owner).run
        settings = chart.registry.settings(chart.record(owner))
        has_settings = bool(run.state or run.time_limit or run.on_error != "fail")
        some_history = chart.is_read(owner, "history") and settings["rounds_kept"] < settings["max_rounds"]
        is_caught = owner in self._facts.sheltered
        returns = [wire for port in ("again", "done", "also") for wire in chart.wires_into(owner, port)]
        inside = {owner, *region.body}
        leaving = [
            wire
            for node in region.body
            for wire in self._facts.readers(node)
            if wire.target.node not in inside
        ]
        fails = any(wire.source.node in self._facts.sheltered for wire in (*returns, *leaving))
        return has_settings or some_history or is_caught or fails or self._is_unordered(owner)

    def _is_hard_map(self, region: Region) -> bool:
        owner = region.owner or NodeId("")
        chart = self._chart
        run = chart.record(owner).run
        if (
            run.state
            or run.on_error != "fail"
            or self._is_hard_order(owner)
            or owner in self._facts.sheltered
        ):
            return True
        records = [chart.record(node) for node in region.collects]
        settings = {repr(sorted(chart.registry.settings(one).items())) for one in records}
        plain = all(not one.run.state and one.run.on_error == "fail" for one in records)
        is_alone = all(node not in self._facts.sheltered for node in region.collects)
        reads = any(chart.is_read(node, "kept") or ports_after(chart, node) for node in region.collects)
        if len(settings) > 1 or not plain or not is_alone or reads:
            return True
        lists = {str(one.port.name) for one in chart.inputs(owner)} - {"items"}
        return bool(lists & EACH_WORDS) or self._is_seen_after(region) or self._ends_items(region)

    def _ends_items(self, region: Region) -> bool:
        """Whether a map keeps or drops failed items, and a part inside has to know that it does.

        A step there whose failures travel on may also lead to one that nobody reads, which fails its item; by
        itself the part would end the run.
        """
        chart, sheltered = self._chart, self._facts.sheltered
        collects = [chart.registry.settings(chart.record(node)) for node in region.collects]
        if all(one["failed"] == "fail" for one in collects):
            return False
        parts = [part.nodes(self._facts) for inner in region.walk() for part in self.parts(inner)]
        return any(
            not sheltered.isdisjoint(nodes)
            and any(not any(self._facts.readers(node)) for node in nodes - sheltered)
            for nodes in parts
        )

    def _is_seen_after(self, region: Region) -> bool:
        """Whether anything outside of a map reads what belongs to one item."""
        inside = {region.owner, *region.body, *region.collects}
        return any(
            wire.target.node not in inside
            for node in (region.owner, *region.body)
            if node is not None
            for wire in self._facts.readers(node)
            if node != region.owner or wire.source.port != ERROR
        )

    def _is_unordered(self, owner: NodeId) -> bool:
        known = self._facts.known(owner)
        return not all(self._facts.has_happened(one, known) for one in ports_after(self._chart, owner))

    # --- what belongs together -----------------------------------------------------------------------------

    def _closed(self, region: Region, vertices: Iterable[NodeId]) -> set[NodeId]:
        """Vertices with all of their region that must not be torn from them."""
        found = set(vertices)
        while True:
            more = self._needed(region, found) | self._between(region, found)
            if more <= found:
                return found
            found |= more

    def _needed(self, region: Region, found: Collection[NodeId]) -> set[NodeId]:
        chart, facts = self._chart, self._facts
        more: set[NodeId] = set()
        for vertex in found:
            if chart.structure(vertex) is Structure.RACE:
                leading = leading_only_into(vertex, chart.tree.graph)
                more |= {one for node in leading if (one := facts.vertex_in(region, node)) is not None}
                more |= {
                    facts.vertex_in(region, wire.source.node) or vertex
                    for wire in chart.input(vertex, "values").wires
                    if wire.source.node in facts.sheltered
                }
            for node in Drawn(frozenset({vertex})).nodes(facts):
                more |= self._caught_with(region, node)
                ordered = (facts.vertex_in(region, other) for other in self._unseen_before(node))
                more |= {one for one in ordered if one is not None}
        more |= self._ahead(region, found) | self._behind(region, found)
        return {one for one in more if not structure_of_io(chart.structure(one))}

    def _behind(self, region: Region, found: Collection[NodeId]) -> set[NodeId]:
        """What takes time, and begins while others of a part that it reads are still under way."""
        waits = self._chart.yards[id(region)].waits
        slow = {vertex for vertex in found if self.takes_time(vertex)}
        more: set[NodeId] = set()
        for vertex in waits.keys() - set(found):
            before = reached({vertex}, waits)
            if not before.isdisjoint(found) and slow - before and self.takes_time(vertex):
                more.add(vertex)
        return more

    def _ahead(self, region: Region, found: Collection[NodeId]) -> set[NodeId]:
        """What takes time and is over before some of a part begin, but not before all of them do."""
        waits = self._chart.yards[id(region)].waits
        before = {
            vertex: {one for one in reached({vertex}, waits) if one not in found and self.takes_time(one)}
            for vertex in found
            if waits[vertex] - set(found) or not waits[vertex]
        }
        starts = [before[vertex] for vertex in before if not waits[vertex] & set(found)]
        common = set[NodeId].intersection(*starts) if starts else set[NodeId]()
        return set[NodeId]().union(*before.values()) - common

    def _caught_with(self, region: Region, node: NodeId) -> set[NodeId]:
        """The steps whose failures a node hears of, and those that hear of its own."""
        chart, facts = self._chart, self._facts
        found: set[NodeId] = set()
        wires = [*facts.readers(node)] if node in facts.sheltered or self._may_travel(region, node) else []
        found |= {one for wire in wires if (one := facts.vertex_in(region, wire.target.node)) is not None}
        sources = [wire.source.node for one in chart.inputs(node) for wire in one.wires]
        sources += [wire.source.node for wire in ports_after(chart, node)]
        if node in chart.owned or node in facts.sheltered:
            found |= {
                one
                for source in sources
                if source in facts.sheltered and (one := facts.vertex_in(region, source)) is not None
            }
        return found

    def _may_travel(self, region: Region, node: NodeId) -> bool:
        """Whether what a loop gives, or leaves of its last round, may be a failure of one of its steps."""
        vertex = self._facts.vertex_in(region, node)
        inner = self._chart.owned.get(vertex) if vertex is not None else None
        is_loop = inner is not None and inner.kind == "loop"
        return is_loop and inner is not None and any(one in self._facts.sheltered for one in inner.body)

    def _between(self, region: Region, found: Collection[NodeId]) -> set[NodeId]:
        """The vertices on the way from one of some vertices to another."""
        waits = self._chart.yards[id(region)].waits
        after = reached(found, _following(waits))
        before = reached(found, waits)
        return {one for one in after & before if not structure_of_io(self._chart.structure(one))}

    def _merged(self, region: Region, groups: Iterable[set[NodeId]]) -> list[set[NodeId]]:
        """Groups put together where they share a vertex, or wait for one another."""
        merged: list[set[NodeId]] = []
        for group in groups:
            together = [one for one in merged if one & group]
            merged = [one for one in merged if not one & group]
            merged.append(self._closed(region, group.union(*together)))
        if any(one & other for place, one in enumerate(merged) for other in merged[place + 1 :]):
            return self._merged(region, merged)
        return merged

    def takes_time(self, node: NodeId) -> bool:
        """Whether a vertex waits for anything, so that others may happen meanwhile."""
        known = self._times.get(node)
        if known is None:
            known = self._times[node] = self._find_time(node)
        return known

    def _find_time(self, node: NodeId) -> bool:
        chart, facts = self._chart, self._facts
        if facts.is_muted(node) or structure_of_io(chart.structure(node)):
            return False
        region = chart.owned.get(node)
        if region is not None:
            return any(self.takes_time(one) for one in region.body if one not in chart.owned or one != node)
        kind = chart.type_of(node)
        run = chart.record(node).run
        if run.state:
            return False
        if chart.structure(node) in {Structure.SUBFLOW, Structure.RACE}:
            return True
        return iscoroutinefunction(kind.function) or bool(run.retries)


def structure_of_io(structure: Structure | None) -> bool:
    """Whether a node is an end of the flow, which no step runs."""
    return structure in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}


def _following(waits: "dict[NodeId, set[NodeId]]") -> dict[NodeId, set[NodeId]]:
    found: dict[NodeId, set[NodeId]] = {node: set() for node in waits}
    for node, before in waits.items():
        for one in before:
            found.setdefault(one, set()).add(node)
    return found


def crossing(facts: Facts, part: Drawn) -> Iterator[Wire]:
    """The wires into a part from outside, and out of it."""
    nodes = part.nodes(facts)
    lenders = {one for node in nodes for one in facts.chart.all_lenders(node)}
    for wire in facts.chart.flow.wires:
        if wire.source.node in lenders or wire.target.node in lenders:
            continue
        if (wire.source.node in nodes) != (wire.target.node in nodes):
            yield wire


def read_outside(facts: Facts, part: Drawn) -> list[Socket]:
    """The outputs of a part that others read."""
    nodes = part.nodes(facts)
    return list(dict.fromkeys(wire.source for wire in crossing(facts, part) if wire.source.node in nodes))
