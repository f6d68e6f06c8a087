"""The graph that every editor is given: rows of nodes, each wired to its neighbour, some to the row above.

Standard library only: the peers' environments have nothing of ours.
"""

from dataclasses import dataclass

ACROSS, DOWN = 260, 220
"""Scene units from node to node."""


@dataclass(frozen=True)
class Graph:
    """Places of nodes, and wires as (source, target, which of the target's two inputs)."""

    places: list[tuple[int, int]]
    wires: list[tuple[int, int, int]]


def grid(count: int) -> Graph:
    """The graph of `tests/ui/canvas/builders.grid_flow`: 1,000 nodes have 1,241 wires."""
    across = max(1, round(count**0.5))
    places = [(place % across * ACROSS, place // across * DOWN) for place in range(count)]
    wires: list[tuple[int, int, int]] = []
    for place in range(1, count):
        wires.append((place - 1 if place % across else place - across, place, 0))
        if place % 4 == 3 and place >= across and wires[-1][0] != place - across:
            wires.append((place - across, place, 1))
    return Graph(places, wires)
