"""What is known of the steps of a flow before it runs: in which arms of branches they stand, what is sure.

A step stands in an arm where it cannot happen unless the branch went that way. What is sure has a value
whenever all arms are taken that it stands in; of all else a script sees as it runs whether a value came.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from studio.export.structure.chart import Chart, Input, ports_after
from studio.export.structure.expressions import is_sayable, names_in
from studio.flow.ports import ERROR, THEN, Conversion, Structure, conversion
from studio.flow.records import Socket, Wire
from studio.flow.structure.regions import Region
from studio.flow.structure.shelter import sheltered
from studio.ids import NodeId, PortName
from studio.sdk.branch_cases import Case, case_ports

BY_RULE = "control.branch"
EXCLUSIVE = frozenset({BY_RULE, "llm.classify"})
"""Branches that go one way at most."""

INPUT = "io.flow_input"
FORMULA = "value.formula"
CONSTANTS = {"value.json": "value", "text.text": "text"}
"""Nodes that give what one of their settings has."""

PLAIN = frozenset({"text", "number", "flag", "json"})
"""Types whose values are the same in Python as in an expression."""
RULE_NAMES = ("value", "facts")


@dataclass(frozen=True, slots=True, order=True)
class Arm:
    """One way that a branch may go."""

    branch: NodeId
    port: str


Way = tuple[Arm, ...]
"""The arms in which something stands, from the outermost."""


class Facts:
    """What is known of the steps of a flow; each is found once."""

    def __init__(self, chart: Chart, opaque: frozenset[NodeId] = frozenset()) -> None:
        """Make it; nobody is told which way the `opaque` branches go."""
        self.chart = chart
        self._opaque = opaque
        self.sheltered = sheltered(chart.flow, chart.registry, chart.tree)
        self._order = {node: place for place, node in enumerate(chart.flow.nodes)}
        self._arms: dict[NodeId, frozenset[Arm]] = {}
        self._sure: dict[NodeId, bool] = {}
        self._depths: dict[NodeId, int] = {}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The inputs of the flow, which are called so in its function, whatever Python calls so."""
        nodes = self.chart.flow.nodes.items()
        return frozenset(str(node) for node, record in nodes if record.kind == INPUT)

    # --- where steps stand ---------------------------------------------------------------------------------

    @cached_property
    def yards(self) -> dict[NodeId, Region]:
        """The region in which each vertex stands."""
        return {node: yard.region for yard in self.chart.yards.values() for node in yard.waits}

    def vertex(self, node: NodeId) -> NodeId:
        """The vertex that a node belongs to, in the region where that stands: of a map, also its collects."""
        region = self.chart.owned.get(node)
        return region.owner if region is not None and region.owner is not None else node

    def vertex_in(self, region: Region, node: NodeId) -> NodeId | None:
        """The vertex of a region that a node belongs to or stands in; None where it stands elsewhere."""
        vertex: NodeId | None = self.vertex(node)
        while vertex is not None and self.yards.get(vertex) is not region:
            around = self.yards.get(vertex)
            vertex = around.owner if around is not None else None
        return vertex

    def way(self, node: NodeId) -> Way:
        """The arms in which a vertex stands, of branches of its own region."""
        arms = sorted(self.arms(node), key=lambda one: (self._depth(one.branch), self._order[one.branch]))
        return tuple(arms)

    def arms(self, node: NodeId) -> frozenset[Arm]:
        """As `way`, in no order."""
        known = self._arms.get(node)
        if known is None:
            self._arms[node] = frozenset()  # of a flow that nobody could run
            known = self._arms[node] = self._find_arms(node)
        return known

    def _find_arms(self, node: NodeId) -> frozenset[Arm]:
        found: set[Arm] = set()
        for one in self.chart.inputs(node):
            if not one.port.required:
                continue
            sets = [self.arms_of(wire.source) for wire in one.wires]
            found |= frozenset[Arm].intersection(*sets) if sets else frozenset[Arm]()
        for wire in ports_after(self.chart, node):
            found |= self.arms_of(wire.source)
        home = self.yards.get(self.vertex(node))
        return frozenset(one for one in found if self.yards.get(one.branch) is home)

    def arms_of(self, socket: Socket) -> frozenset[Arm]:
        """The arms without which nothing leaves an output."""
        node = socket.node
        if self._is_inner(socket):
            return frozenset()
        found = self.arms(self.vertex(node))
        is_branch = self.chart.structure(node) is Structure.BRANCH and node not in self._opaque
        is_case = is_branch and not self.is_muted(node) and socket.port not in {ERROR, THEN}
        return found | {Arm(node, str(socket.port))} if is_case else found

    def _is_inner(self, socket: Socket) -> bool:
        """Whether an output leads into the body of its loop or map."""
        structure = self.chart.structure(socket.node)
        if structure is Structure.FOR_EACH:
            return socket.port != ERROR
        return structure is Structure.LOOP and socket.port in {"value", "round"}

    def _depth(self, branch: NodeId) -> int:
        if branch not in self._depths:
            self._depths[branch] = len(self.arms(branch))
        return self._depths[branch]

    def known(self, node: NodeId) -> frozenset[Arm]:
        """All arms that are taken where a vertex happens, those around its region included."""
        found = self.arms(node)
        region = self.yards.get(node)
        while region is not None and region.owner is not None:
            found |= self.arms(region.owner)
            region = self.yards.get(region.owner)
        return found

    def excludes(self, one: Collection[Arm], other: Collection[Arm]) -> bool:
        """Whether of two ways at most one is gone."""
        exclusive = [arm for arm in one if self.chart.record(arm.branch).kind in EXCLUSIVE]
        return any(
            arm.branch == further.branch and arm.port != further.port
            for arm in exclusive
            for further in other
        )

    # --- what is sure --------------------------------------------------------------------------------------

    def is_muted(self, node: NodeId) -> bool:
        """Whether a step never happens."""
        return self.chart.record(node).run.state == "muted"

    def is_certain(self, wire: Wire, known: frozenset[Arm]) -> bool:
        """Whether a wire brings a value where these arms are taken."""
        is_there = self.is_sure(wire.source) and self.arms_of(wire.source) <= known
        return is_there and self._has_left(wire, known)

    def has_happened(self, wire: Wire, known: frozenset[Arm]) -> bool:
        """Whether what a wire comes from has happened for sure where these arms are taken."""
        if wire.source.port != THEN or self._is_inner(wire.source):
            return self.is_certain(wire, known)
        node = self.vertex(wire.source.node)
        if self.is_muted(wire.source.node):
            return False
        return self.is_sure_step(node) and self.arms(node) <= known and self._has_left(wire, known)

    def _has_left(self, wire: Wire, known: frozenset[Arm]) -> bool:
        """Whether the loops that a wire leads out of have had a round for sure."""
        return all(self.is_sure_step(one) and self.arms(one) <= known for one in self.chart.left(wire))

    def is_sure(self, socket: Socket) -> bool:
        """Whether a value leaves an output whenever the arms of its node are taken."""
        node = socket.node
        if self._is_inner(socket):
            return True
        if not self.is_sure_step(self.vertex(node)):
            return False
        structure, run = self.chart.structure(node), self.chart.record(node).run
        if structure is Structure.FLOW_INPUT or structure in {Structure.LOOP, Structure.COLLECT}:
            return socket.port != ERROR
        if run.on_error != "fail" or structure in {Structure.CATCH, Structure.RACE, Structure.SUBFLOW}:
            return False
        if structure is Structure.BRANCH:
            return socket.port != ERROR and node not in self._opaque  # where its arm is taken
        port = next((one for one in self.chart.data_outputs(node) if one.name == socket.port), None)
        return port is not None and port.required

    def is_sure_step(self, node: NodeId) -> bool:
        """Whether a vertex happens whenever its arms are taken."""
        known = self._sure.get(node)
        if known is None:
            self._sure[node] = False
            known = self._sure[node] = self._find_sure(node)
        return known

    def _find_sure(self, node: NodeId) -> bool:
        if self.chart.structure(node) is Structure.FLOW_INPUT:
            return True
        if node in self.sheltered or self.chart.record(node).run.state:
            return False
        known = self.known(node)
        if not all(self.has_happened(wire, known) for wire in ports_after(self.chart, node)):
            return False
        return all(self.arrives(node, one, known) for one in self.chart.inputs(node) if one.port.required)

    def arrives(self, node: NodeId, one: Input, known: frozenset[Arm]) -> bool:
        """Whether something arrives at an input for sure."""
        if not one.wires:
            return one.port.name in self.chart.record(node).inputs
        if one.port.many:
            sure = [wire for wire in one.wires if self.is_sure(wire.source) and self._has_left(wire, known)]
            return any(self.arms_of(wire.source) <= known for wire in sure) or self._covers(sure, known)
        return self.is_certain(one.wires[0], known)

    def _covers(self, wires: list[Wire], known: frozenset[Arm]) -> bool:
        """Whether one of some wires brings a value whichever way a branch goes."""
        further = [self.arms_of(wire.source) - known for wire in wires]
        ways = {arm for arms in further if len(arms) == 1 for arm in arms}
        branches = {arm.branch for arm in ways}
        return any(
            self.ports_of(branch) <= {arm.port for arm in ways if arm.branch == branch} for branch in branches
        )

    def goes_one_way(self, wires: list[Wire], known: frozenset[Arm]) -> bool:
        """Whether one of the ways of some wires is gone for sure where these arms are taken."""
        branches = {arm.branch for wire in wires for arm in self.arms_of(wire.source) - known}
        return self._covers(wires, known) and all(map(self.is_sure_step, branches))

    def ports_of(self, branch: NodeId) -> frozenset[str]:
        """All ways of a branch, if it goes one of them for sure; else one that it does not have."""
        cases = self.cases(branch)
        is_whole = self.chart.record(branch).kind == "llm.classify" or not cases[-1].when
        return frozenset(case_ports(cases)) if is_whole else frozenset({""})

    # --- branches in plain Python --------------------------------------------------------------------------

    def cases(self, branch: NodeId) -> tuple[Case, ...]:
        """The cases of a branch."""
        found: tuple[Case, ...] = self.chart.registry.settings(self.chart.record(branch))["cases"]
        return found

    def is_plain_branch(self, node: NodeId) -> bool:
        """Whether a branch is no step in a script, but `if` with its rules."""
        chart = self.chart
        if chart.record(node).kind != BY_RULE or node in self._opaque or not self._is_plain_step(node):
            return False
        rules = [case.when for case in self.cases(node) if case.when]
        if not all(is_sayable(one, self.parameters) for one in rules) or not self.arrives(
            node, chart.input(node, "value"), self.known(node)
        ):
            return False
        read = frozenset[str]().union(*(names_in(rule, RULE_NAMES) for rule in rules))
        return self._can_be_read(node, read)

    def is_plain_formula(self, node: NodeId) -> bool:
        """Whether a formula is no step in a script, but an expression."""
        chart = self.chart
        if chart.record(node).kind != FORMULA or not self._is_plain_step(node):
            return False
        formula = str(chart.registry.settings(chart.record(node))["formula"])
        inputs = list(chart.inputs(node))
        sure = all(one.wires and self.arrives(node, one, self.known(node)) for one in inputs)
        return (
            is_sayable(formula, self.parameters)
            and sure
            and any(self.readers(node))
            and self._can_be_read(node, frozenset(str(one.port.name) for one in inputs))
        )

    def constant(self, node: NodeId) -> object:
        """The value of a node that is a literal in a script, and no step; None for all others."""
        setting = CONSTANTS.get(self.chart.record(node).kind)
        if setting is None or not self._is_plain_step(node):
            return None
        return self.chart.registry.settings(self.chart.record(node))[setting]

    def in_python(self, node: NodeId) -> bool:
        """Whether a node is no step in a script, but plain Python."""
        is_plain = self.is_plain_branch(node) or self.is_plain_formula(node)
        return is_plain or bool(self.plain_merge(node)) or self.constant(node) is not None

    def _is_plain_step(self, node: NodeId) -> bool:
        run = self.chart.record(node).run
        is_alone = not (run.state or run.time_limit or run.limits or run.on_error != "fail")
        wires = ports_after(self.chart, node)
        known = self.known(node)
        return is_alone and node not in self.sheltered and all(self.has_happened(one, known) for one in wires)

    def _can_be_read(self, node: NodeId, names: frozenset[str]) -> bool:
        """Whether inputs are in Python what they are in an expression."""
        for one in self.chart.inputs(node):
            if str(one.port.name) not in names:
                continue
            if not one.wires:
                continue
            source = self.chart.output_type(one.wires[0].source)
            if source.base not in PLAIN:
                return False
            if not self.is_certain(one.wires[0], self.known(node)):
                return False
        return True

    def plain_merge(self, node: NodeId) -> list[Wire]:
        """The wires of a merge that is no step in a script, for each is another way; nothing for others."""
        chart = self.chart
        record = chart.record(node)
        if chart.structure(node) is not Structure.MERGE or not self._is_plain_step(node):
            return []
        one = chart.input(node, "values")
        ways = [self.arms_of(wire.source) for wire in one.wires]
        pairs = [(a, b) for place, a in enumerate(ways) for b in ways[place + 1 :]]
        home = self.yards[node]
        is_here = all(
            self.vertex_in(home, wire.source.node) == self.vertex(wire.source.node) for wire in one.wires
        )
        fits = all(
            conversion(chart.output_type(wire.source), chart.output_type(Socket(node, one_port(chart, node))))
            in {Conversion.NONE, Conversion.TO_JSON, Conversion.CHECKED}
            for wire in one.wires
        )
        is_first = chart.registry.settings(record)["gives"] == "first"
        is_apart = all(self.excludes(a, b) for a, b in pairs) and len(ways) > 1
        is_apart = is_apart and not any(self.excludes(one, one) for one in ways)  # none that is never gone
        return list(one.wires) if is_first and is_apart and is_here and fits else []

    def raises(self, node: NodeId) -> bool:
        """Whether a failure that travels to where an item is gathered comes to the same where it is raised.

        It does where nothing else of the item is left to do.
        """
        vertex = self.vertex(node)
        region = self.yards[vertex]
        if region.kind != "map" or self._has_takers(region):
            return False
        waits = self.chart.yards[id(region)].waits
        before, waiting = {vertex}, [vertex]
        while waiting:
            more = waits.get(waiting.pop(), set[NodeId]()) - before
            before |= more
            waiting += more
        fails = self._failing_with(vertex, waits)
        ends = [wire.source.node for one in region.collects for wire in self.chart.wires_into(one, "value")]
        is_heard = all(self.vertex_in(region, one) in fails for one in ends)
        return is_heard and len(ends) == len(region.collects) and set(waits) <= before | fails

    def _has_takers(self, region: Region) -> bool:
        takers = {Structure.CATCH, Structure.RACE}
        return any(self.chart.structure(node) in takers for node in region.direct)

    def _failing_with(self, vertex: NodeId, waits: Mapping[NodeId, set[NodeId]]) -> set[NodeId]:
        """The vertices that cannot happen where one has failed, itself among them."""
        fails = {vertex}
        grows = True
        while grows:
            more = {node for node in waits if node not in fails and self._needs(node, fails)}
            fails |= more
            grows = bool(more)
        return fails

    def _needs(self, node: NodeId, others: set[NodeId]) -> bool:
        wires = [one.wires for one in self.chart.inputs(node) if one.port.required and one.wires]
        alone = [found[0] for found in wires if len(found) == 1]
        return any(wire.source.node in others for wire in (*alone, *ports_after(self.chart, node)))

    def readers(self, node: NodeId) -> Iterator[Wire]:
        """The wires that leave any output of a node."""
        for port in (*(str(one.name) for one in self.chart.data_outputs(node)), ERROR, THEN):
            yield from self.chart.wires_from(node, port)


def one_port(chart: Chart, node: NodeId) -> PortName:
    """The only output of a node."""
    return chart.data_outputs(node)[0].name
