"""The graph that every editor is given: rows of nodes, three ports on either side, three wires for two nodes.

Standard library only: the peers' environments have nothing of ours.
"""

import random
from dataclasses import dataclass

ACROSS, DOWN = 260, 220
"""Scene units from node to node."""
PORTS = 3
"""Inputs, and outputs, of each node."""


@dataclass(frozen=True)
class Graph:
    """Places of nodes, and wires as (source, its output, target, its input)."""

    places: list[tuple[int, int]]
    wires: list[tuple[int, int, int, int]]


def grid(count: int) -> Graph:
    """Place nodes in rows, each wired to the one before it; every other one to an earlier one besides.

    The earlier one stands up to four rows above: at 100 % some 150 wires are seen, long ones among them.
    No input has two wires, and no wire leads back, so that editors that forbid either can take it.
    """
    across = max(1, round(count**0.5))
    places = [(place % across * ACROSS, place // across * DOWN) for place in range(count)]
    chance = random.Random(count)  # noqa: S311 - the same graph each time, no secret
    wires: list[tuple[int, int, int, int]] = []
    for place in range(1, count):
        wires.append((place - 1, chance.randrange(PORTS), place, 0))
        if place % 2:
            source = chance.randrange(max(0, place - 4 * across), place)
            wires.append((source, chance.randrange(PORTS), place, chance.randrange(1, PORTS)))
    return Graph(places, wires)
