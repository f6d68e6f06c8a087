"""Over which wire, and out of which round, item or called flow, a value came to a step."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studio.flow.ports import Structure
from studio.flow.records import CallingLibrary, Flow, Node, Socket, Wire
from studio.flow.structure.graph import INTO_BODY
from studio.flow.structure.regions import region_tree
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, PortName, Scope, StepId, is_called, step_id, step_parts
from studio.trace.fold.state import RunState


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of a run: at the input or output `port` of a step; of the run itself where `step` is empty.

    `turn` is the round or item that a loop or map gave it to, or was given it by; `element` the place that
    is meant in the list that the value is.
    """

    step: StepId
    side: Literal["input", "output"]
    port: str
    turn: int | None = None
    element: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of a loop, or one item of a map."""

    owner: NodeId
    number: int


@dataclass(frozen=True, slots=True)
class Stand:
    """A step's place: its flow, what names of that flow's steps begin with, and rounds and items in it."""

    prefix: str
    wiring: "Wiring"
    turns: tuple[Turn, ...]
    node: NodeId

    @property
    def record(self) -> Node | None:
        """The node in its flow; None where the flow has none of this name."""
        return self.wiring.flow.nodes.get(self.node)

    @property
    def structure(self) -> Structure | None:
        """How the node shapes the flow."""
        return self.wiring.structure(self.node)

    def scope(self, turns: Sequence[Turn]) -> Scope:
        """The scope of steps in these rounds and items."""
        said = "/".join(f"{one.owner}.{one.number}" for one in turns)
        return Scope(f"{self.prefix}/{said}" if self.prefix and said else self.prefix or said)


class Wiring:
    """The wires of one flow by where they end, and the regions that each node stands in."""

    def __init__(self, flow: Flow, library: CallingLibrary) -> None:
        self.flow = flow
        self._tree = region_tree(flow, library)
        self._into: dict[Socket, list[Wire]] = defaultdict(list)
        for wire in sorted(flow.wires, key=lambda wire: (wire.index or 0, wire.source)):
            self._into[wire.target].append(wire)
        self._around: dict[NodeId, tuple[NodeId, ...]] = {}
        self.map_of = {
            collect: region.owner for region in self._tree.root.walk() for collect in region.collects
        }
        """The map that each collect closes."""

    def structure(self, node: NodeId) -> Structure | None:
        """How a node shapes the flow; None for most."""
        return self._tree.graph.structure(node)

    def into(self, node: NodeId, port: str) -> Sequence[Wire]:
        """The wires that end at an input, in the order of their values."""
        return self._into.get(Socket(node, PortName(port)), ())

    def inputs(self, node: NodeId) -> list[str]:
        """The inputs at which wires end."""
        return [target.port for target in self._into if target.node == node]

    def takes_many(self, node: NodeId, port: str) -> bool:
        """Whether an input takes any number of wires."""
        signature = self._tree.graph.signatures.get(node)
        found = signature.input(port) if signature is not None else None
        return found is not None and found.many

    def around(self, node: NodeId) -> tuple[NodeId, ...]:
        """The loops and maps that a node stands in, the outermost first."""
        known = self._around.get(node)
        if known is None:
            owners: list[NodeId] = []
            region = self._tree.of(node)
            while region.parent is not None:
                owners.append(region.owner or node)
                region = region.parent
            known = self._around[node] = tuple(reversed(owners))
        return known

    def is_into_body(self, socket: Socket) -> bool:
        """Whether an output leads into the body of its loop or map."""
        structure = self.structure(socket.node)
        return structure is not None and socket.port in INTO_BODY.get(structure, ())


class Wired:
    """Finds, in one run, which spots the wires into an input came from."""

    def __init__(self, state: RunState, flow: Flow, library: CallingLibrary) -> None:
        self._state = state
        self._flow = flow
        self._library = library
        self._known: dict[int, Wiring] = {}
        self._stands: dict[StepId, Stand | None] = {}

    def stand(self, step: StepId) -> Stand | None:
        """Where a step stands; None in a flow that nobody knows any more."""
        if step not in self._stands:
            self._stands[step] = self._find(step)
        return self._stands[step]

    def _find(self, step: StepId) -> Stand | None:
        scope, node, _, _ = step_parts(step)
        segments = scope.split("/") if scope else []
        inner = next((at for at in range(len(segments), 0, -1) if is_called(segments[at - 1])), 0)
        prefix = "/".join(segments[:inner])
        flow = flow_at(self._flow, self._library, Scope(prefix))
        if flow is None:
            return None
        wiring = self._known.get(id(flow))
        if wiring is None:
            wiring = self._known[id(flow)] = Wiring(flow, self._library)
        turns: list[Turn] = []
        for segment in segments[inner:]:
            owner, _, number = segment.rpartition(".")
            turns.append(Turn(NodeId(owner), int(number) if number.isdecimal() else 0))
        return Stand(prefix, wiring, tuple(turns), node)

    def sources(self, stand: Stand, spot: Spot) -> Iterator[tuple[Wire, Spot]]:
        """The wires into an input, and what each brought; `spot.turn` is the round or item that it ended."""
        turns = stand.turns
        if spot.turn is not None:
            turns = (*turns, Turn(stand.wiring.map_of.get(stand.node) or stand.node, spot.turn))
        for wire in stand.wiring.into(stand.node, spot.port):
            yield wire, self._source(stand, wire.source, turns)

    def last_turn(self, step: StepId) -> int:
        """The last round that a loop came to; 1 where nothing tells of it."""
        loop = self._state.steps.get(step)
        return int(loop.progress[0]) if loop is not None and loop.progress is not None else 1

    def _source(self, stand: Stand, socket: Socket, turns: tuple[Turn, ...]) -> Spot:
        owners = [turn.owner for turn in turns]
        if stand.wiring.is_into_body(socket):
            if socket.node in owners:
                depth = owners.index(socket.node)
                step = step_id(stand.scope(turns[:depth]), socket.node)
                return Spot(step, "output", socket.port, turns[depth].number)
            step = step_id(self._scope(stand, socket.node, turns), socket.node)
            return Spot(step, "output", socket.port, self.last_turn(step))
        return Spot(step_id(self._scope(stand, socket.node, turns), socket.node), "output", socket.port)

    def _scope(self, stand: Stand, node: NodeId, turns: tuple[Turn, ...]) -> Scope:
        """The scope of a node as seen from these turns: in loops that are over, the last round."""
        found: list[Turn] = []
        for depth, owner in enumerate(stand.wiring.around(node)):
            if depth < len(turns) and found == list(turns[:depth]) and turns[depth].owner == owner:
                found.append(turns[depth])
            else:
                found.append(Turn(owner, self.last_turn(step_id(stand.scope(found), owner))))
        return stand.scope(found)


def at_element(spot: Spot, element: int | None) -> Spot:
    """The same value, one place of the list that it is."""
    return spot if element is None else replace(spot, element=element)
