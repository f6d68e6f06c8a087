"""Whether steps mean the same as a flow that is called: a call begins, gives and fails as a whole.

A call waits for all that it is given, is left out when something of that is absent, gives everything at its
end, and fails when a step in it does. Where single steps would have done otherwise, the call is refused.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from studio.errors import EditRefusedError
from studio.flow.ports import Structure
from studio.flow.records import CallingLibrary, Flow, Node, Socket, title_of
from studio.flow.structure.graph import followers, reached
from studio.flow.structure.presence import Presence
from studio.flow.structure.regions import RegionTree, region_tree
from studio.flow.structure.shelter import sheltered
from studio.flow.structure.types import types_of
from studio.flow.subflows.calls import reachable
from studio.flow.subflows.selections import Selection
from studio.ids import NodeId

TAKING = frozenset({Structure.CATCH, Structure.RACE})
"""Steps that do something with a failure."""
LEAST_DEPTH = 8
"""Calls within calls that a calling node allows by default."""


class SettledLibrary(CallingLibrary, Protocol):
    """A library that can fill in the settings of nodes."""

    def settings(self, node: Node) -> Mapping[str, Any]:
        """The settings of a node whose kind is known, defaults included."""
        ...


def refuse_other_meaning(
    found: Selection, made: Flow, after: Flow, call: NodeId, library: SettledLibrary, own_name: str
) -> None:
    """Raise `EditRefusedError` unless `after`, which calls `made`, does what the flow did before."""
    inner, outer = region_tree(made, library), region_tree(after, library)
    sight = _Sight(found, made, after, call, library, inner, outer)
    sight.refuse_other_regions()
    sight.refuse_other_types()
    sight.refuse_races()
    sight.refuse_half_absent()
    sight.refuse_half_failed()
    sight.refuse_depth(own_name)


class _Sight:
    """One flow before and after, and what each rule looks at."""

    def __init__(
        self,
        found: Selection,
        made: Flow,
        after: Flow,
        call: NodeId,
        library: SettledLibrary,
        inner: RegionTree,
        outer: RegionTree,
    ) -> None:
        self._found, self._made, self._after, self._call = found, made, after, call
        self._library, self._inner, self._outer = library, inner, outer
        self._flow, self._steps = found.flow, found.steps
        self._inputs = {
            wire.target.port: wire.source
            for wire in after.wires
            if wire.target.node == call and wire.target.port in made.nodes
        }
        """Where the value of each input of the new flow comes from."""

    def refuse_other_regions(self) -> None:
        """Every step stays in the loop or map in which it stood."""
        for problem in (*self._outer.problems, *self._inner.problems):
            raise EditRefusedError(f"As a subflow it would not run: {problem.message}")
        before = self._found.tree
        here = self._found.region.owner
        if self._outer.of(self._call).owner != here:
            raise EditRefusedError("A subflow of these nodes would be in another loop or map than they are.")
        for node in self._after.nodes:
            if node != self._call and self._outer.of(node).owner != before.of(node).owner:
                words = f"“{title_of(self._flow, node)}” would end up in another loop or map."
                raise EditRefusedError(words)
        for node in self._steps:
            owner = before.of(node).owner
            if self._inner.of(node).owner != (None if owner == here else owner):
                words = f"“{title_of(self._flow, node)}” would no longer be in its loop or map."
                raise EditRefusedError(words)

    def refuse_other_types(self) -> None:
        """No port carries another type than before."""
        before = types_of(self._flow, self._found.tree.graph.signatures)
        for flow, tree in ((self._made, self._inner), (self._after, self._outer)):
            now = types_of(flow, tree.graph.signatures)
            for old, new in ((before.inputs, now.inputs), (before.outputs, now.outputs)):
                for socket, kind in new.items():
                    known = old.get(socket)
                    if socket.node == self._call or known is None or socket.node not in self._flow.nodes:
                        continue
                    if known != kind and not known.is_variable:
                        words = (
                            f"“{title_of(self._flow, socket.node)}” would receive `{kind}`, not `{known}`."
                        )
                        raise EditRefusedError(words)

    def refuse_races(self) -> None:
        """Nobody races who would start or arrive at another time: a call starts and ends as a whole."""
        graph = self._found.tree.graph
        races = graph.nodes_with(Structure.RACE)
        if not races:
            return
        following = followers(graph.edges)
        behind = {
            one.node
            for vertex in graph.edges
            for end in vertex
            if end.node in self._steps
            for one in reached(end, following)
        }
        within = [race for race in races if race in self._steps]
        ahead = [race for race in races if race in behind and race not in self._steps]
        sources = {*self._inputs.values(), *(wire.source for wire in self._found.waits)}
        if within and (len(sources) > 1 or (sources and not self._all_led_to())):
            raise EditRefusedError(f"The lanes of “{title_of(self._flow, within[0])}” would start together.")
        ways = {*self._found.leaving, *(wire.source for wire in self._found.lets_go)}
        if ahead and (len(sources) > 1 or len(ways) > 1 or not self._is_one_way() or not self._all_led_to()):
            raise EditRefusedError(
                f"“{title_of(self._flow, ahead[0])}” takes who is first, and a subflow gives all at its end."
            )

    def _all_led_to(self) -> bool:
        """Whether something that comes from outside leads to every step."""
        starts = {wire.target.node for wires in self._found.entering.values() for wire in wires}
        starts |= {wire.target.node for wire in self._found.waits}
        return self._led_to(starts) >= self._steps

    def _is_one_way(self) -> bool:
        """Whether every step leads to what goes outside."""
        ends = {socket.node for socket in self._found.leaving} | {
            one.source.node for one in self._found.lets_go
        }
        return self._led_to(ends, backwards=True) >= self._steps

    def _led_to(self, starts: Iterable[NodeId], *, backwards: bool = False) -> frozenset[NodeId]:
        """The steps that these lead to inside the selection, or that lead to them."""
        ways: dict[NodeId, set[NodeId]] = {}
        for source, target in self._inner.graph.edges:
            one, other = (target.node, source.node) if backwards else (source.node, target.node)
            ways.setdefault(one, set()).add(other)
        seen, waiting = set(starts), list(starts)
        while waiting:
            fresh = ways.get(waiting.pop(), set()) - seen
            seen |= fresh
            waiting += fresh
        return frozenset(seen)

    def refuse_half_absent(self) -> None:
        """What leaves the call out would have left out every single step."""
        before = Presence(self._flow, self._library, self._found.tree)
        for source in (*self._found.entering, *(wire.source for wire in self._found.waits)):
            if source in before.absent:
                self._refuse_unless_all(source, before.surely_skipped([source]))
        inside = Presence(self._made, self._library, self._inner)
        for wire in self._found.lets_go:
            if wire.source.node in inside.skipped:
                raise EditRefusedError(
                    f"“{title_of(self._flow, wire.source.node)}” and the steps that wait for "
                    "it may be skipped; the subflow as a whole would not be."
                )

    def _refuse_unless_all(self, source: Socket, gone: frozenset[NodeId]) -> None:
        for step in sorted(self._steps - gone):
            raise EditRefusedError(
                f"“{title_of(self._flow, source.node)}” may have no output: the subflow would "
                f"be skipped as a whole, while “{title_of(self._flow, step)}” now is not."
            )

    def refuse_half_failed(self) -> None:
        """A failure travels to where it travelled before, and ends the run where it did."""
        before = sheltered(self._flow, self._library, self._found.tree)
        inside = sheltered(self._made, self._library, self._inner)
        outside = self._call in sheltered(self._after, self._library, self._outer)
        whole: bool | None = None
        for step in sorted(self._steps - inside):
            if (step in before) != outside:
                raise EditRefusedError(
                    f"If “{title_of(self._flow, step)}” fails, its error would take another path."
                )
        failing = (self._steps - inside) if outside else frozenset[NodeId]()
        sources = {*self._inputs.values(), *(wire.source for wire in self._found.waits)}
        for node in sorted({*failing, *(source.node for source in sources if source.node in before)}):
            whole = self._is_single_file() if whole is None else whole
            if not whole:
                raise EditRefusedError(
                    f"If “{title_of(self._flow, node)}” fails, only part of the selection "
                    "fails, but a subflow fails as a whole."
                )

    def _is_single_file(self) -> bool:
        """Whether each step leads to the next one, from one beginning to one end."""
        plain = all(region.owner is None for region in self._inner.root.walk())
        plain = plain and not any(self._inner.graph.structure(step) in TAKING for step in self._steps)
        steps = list(self._steps)
        return (
            plain
            and not Presence(self._made, self._library, self._inner).skipped
            and len({*self._inputs.values(), *(wire.source for wire in self._found.waits)}) <= 1
            and all(self._led_to([one]) | self._led_to([one], backwards=True) >= self._steps for one in steps)
            and {socket.node for socket in self._found.leaving} <= self._found.last
        )

    def refuse_depth(self, own_name: str) -> None:
        """Calls within the subflow are one deeper than before."""
        for step in sorted(self._found.nodes):
            record = self._flow.nodes[step]
            called = self._library.called_name(record)
            if not called:
                continue
            title = title_of(self._flow, step)
            within = reachable(Flow(nodes={step: record}), self._library)
            if own_name and own_name in within:
                raise EditRefusedError(
                    f"“{title}” leads back to this flow, which would be nested twice as deep."
                )
            depth = record.settings.get("max_depth", LEAST_DEPTH)
            if isinstance(depth, int) and depth < LEAST_DEPTH:
                raise EditRefusedError(f"“{title}” allows {depth} nested calls and would be one deeper.")
