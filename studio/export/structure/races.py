"""Races: lanes of steps that begin together and lead nowhere but into the race."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from studio.errors import ExportError
from studio.export.structure.called import MAY_BE_NOTHING
from studio.export.structure.chart import Chart, ports_after
from studio.export.structure.outputs import Outputs
from studio.flow.ports import Structure
from studio.flow.records import Wire, title_of
from studio.flow.regions import Region
from studio.flow.shelter import leading_only_into
from studio.ids import NodeId

AT_ONCE = (
    "Let all that race begin together and lead into nothing but the race, or run it with `stepwire run`."
)


@dataclass(frozen=True, slots=True)
class Racer:
    """A lane of a race."""

    wire: Wire
    """By which its value comes."""
    steps: tuple[NodeId, ...]
    """What it does: steps, loops and maps, in the order of the flow."""
    waits: Mapping[NodeId, frozenset[NodeId]]
    """For each of these, which of them it comes after, directly or not."""
    is_plain: bool
    """Whether one follows the other, so that the first failure ends all of it."""

    def begins_with(self, dead: Collection[NodeId] = ()) -> list[NodeId]:
        """The steps that come after none of the others, less those that never take place."""
        return [one for one in self.steps if one not in dead and self.waits[one] <= {*dead}]


def find_races(outputs: Outputs, sheltered: AbstractSet[NodeId]) -> Mapping[NodeId, Sequence[Racer]]:
    """The races of a flow, each with its lanes in wire order; `sheltered` are steps whose failure travels.

    Raises `ExportError` naming a race that a script cannot run, and why.
    """
    chart = outputs.chart
    found: dict[NodeId, Sequence[Racer]] = {}
    for race in chart.flow.nodes:
        if chart.structure(race) is Structure.RACE and not chart.record(race).run.state:
            found[race] = _Finder(outputs, race, sheltered).racers()
    return found


def nodes_of_step(chart: Chart, step: NodeId) -> frozenset[NodeId]:
    """A step with all that stands in it, if it is a loop or map."""
    region = chart.owned.get(step)
    return frozenset({step}) if region is None else frozenset({step, *region.collects, *region.body})


def feeds_of(chart: Chart, race: NodeId, lanes: Sequence[Racer]) -> set[NodeId]:
    """The steps that lead into all lanes of a race and nowhere else, with what stands in them.

    None where a lane may mend a failure that it is given.
    """
    found: set[NodeId] = set()
    if not all(one.is_plain for one in lanes):
        return found
    inside = {node for one in lanes for step in one.steps for node in nodes_of_step(chart, step)}
    waits = chart.yards[id(chart.tree.of(race))].waits
    grows = True
    while grows:
        before = len(found)
        for step in waits:
            nodes = nodes_of_step(chart, step)
            leaving = [
                one for one in chart.flow.wires if one.source.node in nodes and one.target.node not in nodes
            ]
            if leaving and step not in inside and all(one.target.node in inside | found for one in leaving):
                found |= nodes if chart.structure(step) is not Structure.CATCH else set()
        grows = len(found) > before
    return found


class _Finder:
    """Looks for the lanes of one race."""

    def __init__(self, outputs: Outputs, race: NodeId, sheltered: AbstractSet[NodeId]) -> None:
        self._outputs = outputs
        self._sheltered = sheltered
        self._chart = outputs.chart
        self._race = race
        self._region: Region = self._chart.tree.of(race)
        self._waits = self._chart.yards[id(self._region)].waits
        self._leading = leading_only_into(race, self._chart.tree.graph)

    def racers(self) -> Sequence[Racer]:
        wires = self._chart.input(self._race, "values").wires
        lanes = [self._lane(wire) for wire in wires]
        inner = {step for lane in lanes for step in lane}
        outside = self._slow(one for step in (*inner, self._race) for one in self._waits[step]) - inner
        made: list[Racer] = []
        for wire, lane in zip(wires, lanes, strict=True):
            steps = tuple(one for one in self._waits if one in lane)
            waits = {one: frozenset(self._before(one) & lane) for one in steps}
            made.append(Racer(wire, steps, waits, self._is_plain(lane)))
            if any(not outside <= self._before(root) for root in made[-1].begins_with()):
                raise self._refusal("not all of its racers begin at the same time")
        if sum(len(one.steps) for one in made) > len(inner):
            raise self._refusal("one step is to win it over two wires")
        exposed = next((one for one in inner if self._ends_the_run(one)), None)
        if exposed is not None:
            reason = f"“{self._chart.title(exposed)}” leads into it by way of a muted step"
            raise self._refusal(reason, "Mute what leads into the muted step as well, or nothing of it.")
        return made

    def _ends_the_run(self, step: NodeId) -> bool:
        """Whether a step of a lane may fail and the race not take that in, as what it leads to is muted."""
        outputs = self._outputs
        fails = outputs.may_fail(step) and outputs.policy(step) == "fail"
        is_used = not self._chart.record(step).run.state
        return is_used and step not in self._sheltered and (fails or step in self._chart.owned)

    def _lane(self, wire: Wire) -> set[NodeId]:
        """What leads into the race by one wire alone."""
        chart, last = self._chart, self._step_of(wire.source.node)
        others = [one for one in self._leaving(last) if one != wire]
        if others:
            raise self._refusal(f"“{chart.title(last)}” leads elsewhere too")
        if last not in self._waits or not self._works(last):
            raise self._refusal(f"“{chart.title(last)}” is there before it begins")
        kind = chart.output_type(wire.source)
        if kind.base in MAY_BE_NOTHING and not kind.depth and chart.structure(last) is not None:
            raise self._refusal(f"what “{chart.title(last)}” gives may be nothing, or a value that says so")
        lane = {last}
        nodes = set(nodes_of_step(chart, last))
        while more := [one for one in self._waits if one not in lane and self._leads_into(one, nodes)]:
            lane.update(more)
            nodes.update(*(nodes_of_step(chart, one) for one in more))
        part = next((one for one in lane if not nodes_of_step(chart, one) <= self._leading), None)
        if part is not None:
            raise self._refusal(f"not all that stands in “{chart.title(part)}” leads into it")
        return lane

    def _works(self, step: NodeId) -> bool:
        structure = self._chart.structure(step)
        given = {Structure.FLOW_INPUT, Structure.MERGE, Structure.CATCH}
        return structure not in given and not self._outputs.is_constant(step)

    def _leads_into(self, step: NodeId, nodes: set[NodeId]) -> bool:
        leaving = self._leaving(step)
        is_given = self._chart.structure(step) is Structure.FLOW_INPUT or self._outputs.is_constant(step)
        works = not is_given and step != self._race
        return works and bool(leaving) and all(wire.target.node in nodes for wire in leaving)

    def _leaving(self, step: NodeId) -> list[Wire]:
        inside = nodes_of_step(self._chart, step)
        wires = (wire for wire in self._chart.flow.wires if wire.source.node in inside)
        return [wire for wire in wires if wire.target.node not in inside]

    def _step_of(self, node: NodeId) -> NodeId:
        """The step, loop or map beside the race that a node is, or stands in."""
        region = self._chart.owned.get(node)
        if region is not None:
            node, around = region.owner or node, region.parent
        else:
            around = self._chart.tree.of(node)
        while around is not None and around is not self._region and around.owner is not None:
            node, around = around.owner, around.parent
        return node

    def _slow(self, steps: Iterable[NodeId]) -> set[NodeId]:
        outputs = self._outputs
        given = Structure.FLOW_INPUT
        return {
            one for one in steps if self._chart.structure(one) is not given and not outputs.is_constant(one)
        }

    def _before(self, step: NodeId) -> set[NodeId]:
        found: set[NodeId] = set()
        waiting = [step]
        while waiting:
            more = self._waits[waiting.pop()] - found
            found |= more
            waiting += more
        return found

    def _is_plain(self, lane: set[NodeId]) -> bool:
        chart = self._chart
        steps = [one for one in lane if not self._outputs.is_constant(one)]
        steps.sort(key=lambda one: len(self._before(one) & lane))
        follows = all(one in self._waits[after] for one, after in pairwise(steps))
        if any(self._may_be_left_out(one, steps) for one in steps[1:]):
            return False
        return follows and all(
            one in chart.owned or chart.structure(one) in {None, Structure.SUBFLOW} for one in steps
        )

    def _may_be_left_out(self, step: NodeId, lane: Sequence[NodeId]) -> bool:
        """Whether a later step of a lane needs what the first does not, and the lane does not give."""
        needed = {wire.source for wire in self._needed(lane[0])}
        return any(
            wire.source not in needed
            and self._step_of(wire.source.node) not in lane
            and self._chart.structure(wire.source.node) is not Structure.FLOW_INPUT
            and not self._outputs.is_constant(wire.source.node)
            for wire in self._needed(step)
        )

    def _needed(self, step: NodeId) -> list[Wire]:
        """The wires without whose value a step is left out."""
        chart = self._chart
        required = [one for one in chart.inputs(step) if one.port.required]
        return [*ports_after(chart, step), *(wire for one in required for wire in one.wires)]

    def _refusal(self, reason: str, hint: str = AT_ONCE) -> ExportError:
        title = title_of(self._chart.flow, self._race)
        error = ExportError(f"“{title}” cannot be exported: {reason}.", hint=hint)
        error.node = self._race
        return error
