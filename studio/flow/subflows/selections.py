"""A part of a flow that could stand in a flow of its own: what belongs to it, and what crosses its border."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.errors import EditRefusedError
from studio.flow.ports import THEN, Structure
from studio.flow.records import CallingLibrary, Flow, Json, Socket, Wire, title_of
from studio.flow.structure.graph import followers, is_binding_wire, reached
from studio.flow.structure.regions import Region, RegionTree, innermost_around, region_tree
from studio.ids import NodeId

ENDS = frozenset({Structure.FLOW_INPUT, Structure.FLOW_OUTPUT})
"""Nodes that stay behind: they are what the flow itself is given, and gives."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Nodes of a flow that may move together, and the wires across their border."""

    flow: Flow
    tree: RegionTree
    steps: frozenset[NodeId]
    lenders: frozenset[NodeId]
    region: Region
    """The innermost region around all of them."""
    entering: Mapping[Socket, Sequence[Wire]]
    """Values that come from outside, by their source."""
    leaving: Mapping[Socket, Sequence[Wire]]
    """Values that go outside, by their source."""
    waits: Sequence[Wire]
    """Wires of mere order from outside."""
    lets_go: Sequence[Wire]
    """Wires of mere order to the outside."""

    @property
    def nodes(self) -> frozenset[NodeId]:
        """All that moves."""
        return self.steps | self.lenders

    @property
    def first(self) -> frozenset[NodeId]:
        """The steps that take nothing from others of them."""
        return self.steps - {wire.target.node for wire in self._inner_wires}

    @property
    def last(self) -> frozenset[NodeId]:
        """The steps from which no others of them take anything."""
        return self.steps - {wire.source.node for wire in self._inner_wires}

    @property
    def _inner_wires(self) -> list[Wire]:
        return [
            one for one in self.flow.wires if one.source.node in self.steps and one.target.node in self.steps
        ]


def find_selection(flow: Flow, nodes: Iterable[NodeId], library: CallingLibrary) -> Selection:
    """See what moves with `nodes`; raises `EditRefusedError` where they are no part of their own.

    Flow inputs and outputs stay where they are; whoever lends only to them goes along, as do whole areas.
    """
    tree = region_tree(flow, library)
    signatures = tree.graph.signatures
    chosen = {node for node in nodes if node in flow.nodes}
    for node in sorted(chosen):
        if signatures[node] is None:
            raise EditRefusedError(f"The ports of “{title_of(flow, node)}” are unknown; fix it first.")
    chosen = {node for node in chosen if (found := signatures[node]) and found.structure not in ENDS}
    if tree.problems:
        raise EditRefusedError(f"Mend the flow first: {tree.problems[0].message}")
    steps = frozenset(chosen & tree.graph.steps)
    steps |= {node for region in _regions(tree) if region.owner in steps for node in _whole(region)}
    if not steps:
        raise EditRefusedError("Select the steps to move into a subflow.")
    bindings = [wire for wire in flow.wires if is_binding_wire(wire, signatures)]
    lenders = _lenders(flow, steps, bindings)
    moving = steps | lenders
    _refuse_named_by_policies(flow, moving)
    values = [wire for wire in flow.wires if wire not in set(bindings)]
    entering: dict[Socket, list[Wire]] = defaultdict(list)
    leaving: dict[Socket, list[Wire]] = defaultdict(list)
    waits: list[Wire] = []
    lets_go: list[Wire] = []
    for wire in values:
        comes, goes = wire.target.node in steps, wire.source.node in steps
        if comes and not goes:
            (waits.append if wire.source.port == THEN else entering[wire.source].append)(wire)
        elif goes and not comes:
            (lets_go.append if wire.source.port == THEN else leaving[wire.source].append)(wire)
    region = _region_around(flow, steps, tree)
    _refuse_through(flow, steps, tree)
    found = Selection(flow, tree, steps, lenders, region, dict(entering), dict(leaving), waits, lets_go)
    _refuse_partial_order(found)
    return found


def _regions(tree: RegionTree) -> list[Region]:
    return [region for region in tree.root.walk() if region.owner is not None]


def _whole(region: Region) -> frozenset[NodeId]:
    owner = frozenset({region.owner}) if region.owner is not None else frozenset[NodeId]()
    return region.body | owner | frozenset(region.collects)


def _lenders(flow: Flow, steps: frozenset[NodeId], bindings: Sequence[Wire]) -> frozenset[NodeId]:
    """Those who lend to the steps, directly or through others; refused where they lend to others as well."""
    found: set[NodeId] = set()
    waiting = set(steps)
    while waiting:
        node = waiting.pop()
        fresh = {wire.source.node for wire in bindings if wire.target.node == node} - found
        found |= fresh
        waiting |= fresh
    for wire in bindings:
        if wire.source.node in found | steps and wire.target.node not in found | steps:
            raise EditRefusedError(
                f"“{title_of(flow, wire.source.node)}” is also attached to "
                f"“{title_of(flow, wire.target.node)}”, and attachments cannot cross the "
                "border of a subflow."
            )
    return frozenset(found)


def _region_around(flow: Flow, steps: frozenset[NodeId], tree: RegionTree) -> Region:
    """The innermost region around the steps; refused where half of a loop or map stands among them."""
    around = tree.of(min(steps))
    for node in steps:
        around = innermost_around(around, tree.of(node))
    for region in _regions(tree):
        whole = _whole(region)
        if whole & steps and not whole <= steps and not steps <= region.body:
            owner = title_of(flow, region.owner) if region.owner else ""
            raise EditRefusedError(
                f"Only part of “{owner}” is selected; select all of it, or only steps inside it."
            )
    return around


def _refuse_through(flow: Flow, steps: frozenset[NodeId], tree: RegionTree) -> None:
    """Refuse a way that leaves the steps and comes back: the subflow would wait for itself."""
    following = followers(tree.graph.edges)
    outside = {
        target for source, target in tree.graph.edges if source.node in steps and target.node not in steps
    }
    for start in sorted(outside):
        on_the_way = reached(start, following, lambda one: one.node not in steps)
        if any(target.node in steps for vertex in on_the_way for target in following(vertex)):
            raise EditRefusedError(
                f"“{title_of(flow, start.node)}” is between the selected steps; select it as well."
            )


def _refuse_partial_order(found: Selection) -> None:
    """Refuse wires of mere order that are about a part of the steps alone: a call is one step."""
    flow = found.flow
    for socket in dict.fromkeys(wire.source for wire in found.waits):
        if frozenset(wire.target.node for wire in found.waits if wire.source == socket) != found.first:
            raise EditRefusedError(
                f"Only part of the selection waits for “{title_of(flow, socket.node)}”, but a "
                "subflow waits as a whole."
            )
    for socket in dict.fromkeys(wire.target for wire in found.lets_go):
        if frozenset(wire.source.node for wire in found.lets_go if wire.target == socket) != found.last:
            raise EditRefusedError(
                f"“{title_of(flow, socket.node)}” waits for part of the selection and would "
                "have to wait for the whole subflow."
            )


def _refuse_named_by_policies(flow: Flow, nodes: frozenset[NodeId]) -> None:
    named = {name for policy in flow.policies for name in _named_in(policy)} & set(nodes)
    if named:
        raise EditRefusedError(f"A policy of the flow refers to “{title_of(flow, NodeId(min(named)))}”.")


def _named_in(policy: Json) -> Iterable[str]:
    if isinstance(policy, list):
        for one in policy:
            yield from _named_in(one)
    elif isinstance(policy, dict):
        for key, value in policy.items():
            if key == "node" and isinstance(value, str):
                yield value
            elif key == "nodes" and isinstance(value, list):
                yield from (one for one in value if isinstance(one, str))
            else:
                yield from _named_in(value)
