"""Which failures are raised to a `try` around the steps of a catch, instead of being kept one by one.

That comes to the same where the steps follow one another, each failing unrun as soon as the one before it
has failed, and where nobody but the catch hears of it.
"""

from collections.abc import Iterator
from itertools import pairwise

from studio.export.conditions import NEVER, when
from studio.export.presence import BROKEN, CALLS, Block, Presence, Shelters
from studio.flow.ports import Structure
from studio.flow.regions import Region
from studio.ids import NodeId


def plan_shelters(presence: Presence) -> Shelters:
    """Find the steps that can stand in the `try` of a catch."""
    chart = presence.chart
    blocks: dict[NodeId, Block] = {}
    for region in chart.tree.root.walk():
        for node in chart.yards[id(region)].waits:
            if chart.structure(node) is Structure.CATCH and not chart.record(node).run.state:
                steps = _chain(presence, region, node)
                if steps and not any(one in blocks for one in steps):
                    blocks.update(dict.fromkeys(steps, Block(node, tuple(steps))))
    return Shelters(blocks=blocks, breaking={node: presence.breaks(node) for node in chart.owned})


def _chain(presence: Presence, region: Region, catch: NodeId) -> list[NodeId]:
    """The steps that lead into a catch alone, one after the other; nothing where they are not such."""
    steps: list[NodeId] = []
    before = set(_failing_into(presence, catch))
    while before:
        if len(before) > 1:
            return []
        step = before.pop()
        if not _is_plain(presence, region, step) or step in steps:
            return []
        steps.insert(0, step)
        before = {one for one in _failing_into(presence, step) if one not in steps}
        later = {one for other in steps[1:] for one in _failing_into(presence, other)}
        before |= later - set(steps)
    for step, following in pairwise(steps):
        way = presence.kept(step)
        fails = presence.set(step) & when(way, BROKEN) if way is not None else NEVER
        if step not in _failing_into(presence, following) or not fails.implies(presence.reached(following)):
            return []
    if not all(_is_heard_by(presence, step, {catch, *steps}) for step in steps):
        return []
    return steps if _begin_together(presence, region, steps) else []


def _begin_together(presence: Presence, region: Region, steps: list[NodeId]) -> bool:
    """Whether no later step waits for what the first does not, which would keep that waiting too."""
    waits = presence.chart.yards[id(region)].waits
    before = list(steps[:1])
    for step in before:
        before += [one for one in waits.get(step, ()) if one not in before]
    at_once = {
        one
        for one in waits
        if not waits[one] and not presence.may_fail(one) and one not in presence.chart.owned
    }
    return all(waits[step] <= {*before, *steps, *at_once} for step in steps)


def _failing_into(presence: Presence, node: NodeId) -> Iterator[NodeId]:
    wires = [*presence.failing_wires(node)]
    if presence.chart.structure(node) is Structure.CATCH:
        wires += presence.chart.input(node, "value").wires
    for wire in wires:
        if presence.fails(wire) != NEVER:
            yield wire.source.node


def _is_plain(presence: Presence, region: Region, step: NodeId) -> bool:
    chart = presence.chart
    stands_here = step not in chart.owned and chart.tree.of(step) is region
    return stands_here and chart.structure(step) in CALLS and presence.kept(step) is not None


def _is_heard_by(presence: Presence, step: NodeId, listeners: set[NodeId]) -> bool:
    wires = [one for one in presence.chart.flow.wires if one.source.node == step]
    return all(one.target.node in listeners for one in wires if presence.fails(one) != NEVER)
