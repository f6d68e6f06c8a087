"""Where an error goes: to a place that takes failures in, into its item, or to the end of the run."""

from tests.reference.document import CATCH, COLLECT, EACH, RACE, Document, Vertex
from tests.reference.regions import Reading, Region

FAILS_ITEM, SHELTERED, EXPOSED = 0, 1, 2
"""What becomes of an error: its item fails, it travels on, or the run ends."""


class Fates:
    """Follows every path from a step."""

    def __init__(self, document: Document, reading: Reading) -> None:
        self._document = document
        self._reading = reading

    def of(self, vertex: Vertex) -> int:
        """Where the paths from here lead: the worst of them decides."""
        node, _ = vertex
        maps = [one for one in self._reading.regions.values() if not one.is_loop]
        in_tolerant = any(vertex in one.body and all(map(self._tolerates, one.collects)) for one in maps)
        ends = FAILS_ITEM if in_tolerant else EXPOSED
        if self._state(node) == "muted":
            return ends
        if self._document.kind(node) == EACH:
            return max((self.of((one, "step")) for one in self._reading.regions[node].collects), default=ends)
        onward = [self.of((node, "exit"))] if vertex == (node, "entry") else []
        loop = self._reading.regions.get(node) if vertex[1] == "exit" else None
        for source, target, wire in self._document.wires:
            # When a loop fails, what its last round was to give elsewhere fails with it.
            leaks = loop is not None and source in loop.body and target not in loop.whole
            if source == vertex or leaks:
                taken = self._takes(target[0], str(wire.target.port))
                onward.append(SHELTERED if taken else self.of(target))
        return max(onward, default=ends)

    def contenders(self, race: str, region: Region) -> tuple[set[str], set[str]]:
        """The nodes of a region that are stopped when a race in it is decided, and those further in.

        They are the steps from which every path leads into the race; a child region counts as a whole.
        """
        whole = {
            child.owner: {node for one in _with_all_within(child) for node, _ in one.whole}
            for child in region.children
        }
        further_in = {node for nodes in whole.values() for node in nodes}
        nodes = {node for node, _ in region.body} | {race}
        alone = {one for one in nodes - further_in if self._leads_only_to(race, one)}
        children = [one for one in whole.values() if all(self._leads_only_to(race, node) for node in one)]
        held = {node for one in children for node in one}
        owners = {one.owner for one in region.children if one.owner in held}
        owners |= {node for one in region.children for node in one.collects if node in held}
        return alone | owners, held

    def half_in(self, race: str, region: Region) -> list[str]:
        """The loops and maps of which only some steps lead into the race alone."""
        return [
            child.owner
            for child in region.children
            if len(
                {self._leads_only_to(race, node) for one in _with_all_within(child) for node, _ in one.whole}
            )
            > 1
        ]

    def _leads_only_to(self, race: str, node: str) -> bool:
        starts = [one for one in self._document.vertices if one[0] == node]
        return node != race and all(self._leads_there(race, one) for one in starts)

    def _leads_there(self, race: str, vertex: Vertex) -> bool:
        onward = [
            (target[0] == race and wire.target.port == "values") or self._leads_there(race, target)
            for source, target, wire in self._document.wires
            if source == vertex
        ]
        if vertex[1] == "entry":
            onward.append(self._leads_there(race, (vertex[0], "exit")))
        return bool(onward) and all(onward)

    def _takes(self, node: str, port: str) -> bool:
        kind = self._document.kind(node)
        if self._state(node):
            return False
        if kind == RACE:
            return port == "values"
        return port == "value" and (kind == CATCH or self._tolerates(node))

    def _tolerates(self, node: str) -> bool:
        """Whether a node is a collect that goes on without failed items."""
        record = self._document.flow.nodes[node]  # type: ignore[index]
        is_strict = record.settings.get("failed", "fail") == "fail"
        return record.kind == COLLECT and not record.run.state and not is_strict

    def _state(self, node: str) -> str:
        return self._document.flow.nodes[node].run.state  # type: ignore[index]


def _with_all_within(region: Region) -> list[Region]:
    return [region, *(inner for child in region.children for inner in _with_all_within(child))]
