"""Which failures are raised, instead of being kept one by one.

To the `try` around the steps of a catch: that comes to the same where the steps follow one another, each
failing unrun as soon as the one before it has failed, and where nobody but the catch hears of it. Or out of a
round or an item: where nothing in it would still be done, and it has failed by that.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from studio.export.structure.chart import Chart
from studio.export.structure.conditions import NEVER, all_of, any_of, when
from studio.export.structure.presence import BROKEN, CALLS, RETURNS, Block, Presence, Shelters
from studio.flow.ports import Structure
from studio.flow.records import Wire
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
    raising = {node for region in chart.tree.root.walk() for node in _raising(presence, region)}
    breaking = {node: presence.breaks(node) for node in chart.owned}
    return Shelters(blocks=blocks, raising=frozenset(raising), breaking=breaking)


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
    if not all(presence.reached(step).implies(presence.reached(steps[0])) for step in steps):
        return []  # a later step takes place where the first is left out
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


def _raising(presence: Presence, region: Region) -> Iterator[NodeId]:
    """The steps of a round or an item, where each that fails is the end of it."""
    chart = presence.chart
    waits = chart.yards[id(region)].waits
    nodes = [*waits, *(one for node in waits if node in chart.owned for one in chart.owned[node].collects)]
    ends = _ends(presence, region)
    if not ends or any(_keeps_on(chart, node) for node in nodes) or presence.is_mixed(region):
        return
    entering = [wire for node in nodes for wire in presence.failing_wires(node)] + ends
    if any(wire.source.node not in nodes and presence.fails(wire) != NEVER for wire in entering):
        return
    over = any_of(presence.fails(wire) for wire in ends)
    passed_on = all_of(~presence.stuck(node) | presence.broken(node) for node in nodes)
    for step in nodes:
        fails = presence.broken(step) & passed_on
        left = [one for one in waits if one not in _before(step, waits) and _works(presence, one)]
        if not fails.implies(over) or not all(fails.excludes(presence.runs(one)) for one in left):
            return
    yield from nodes


def _ends(presence: Presence, region: Region) -> list[Wire]:
    """The wires with whose failure a round or item has failed; none where it may go on."""
    chart = presence.chart
    if region.owner is None or chart.record(region.owner).run.state:
        return []
    if region.kind == "loop":
        return [wire for port in sorted(RETURNS) for wire in chart.input(region.owner, port).wires]
    if len(region.collects) > 1 and not presence.stops_all(region):
        return []
    return [wire for node in region.collects for wire in chart.input(node, "value").wires]


def _keeps_on(chart: Chart, node: NodeId) -> bool:
    """Whether a step takes failures in."""
    takes_in = chart.structure(node) in {Structure.CATCH, Structure.RACE}
    return takes_in and not chart.record(node).run.state


def _works(presence: Presence, node: NodeId) -> bool:
    """Whether it can be told that a step takes place."""
    is_area = node in presence.chart.owned
    return is_area or presence.may_fail(node) or presence.chart.structure(node) is Structure.BRANCH


def _before(step: NodeId, waits: Mapping[NodeId, set[NodeId]]) -> set[NodeId]:
    """The step, and all that is over when it begins."""
    found: set[NodeId] = set()
    waiting = [step]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(waits.get(one, ()))
    return found
