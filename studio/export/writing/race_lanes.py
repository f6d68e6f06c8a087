"""Races in a script: each lane a function, of which the first that gives a value wins."""

from collections.abc import Sequence

from studio.errors import ExportError
from studio.export.structure.chart import ports_after
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.outputs import STEPS
from studio.export.structure.patience import try_of
from studio.export.structure.races import AT_ONCE, Racer
from studio.export.structure.readings import Readings
from studio.export.writing.marks import naming
from studio.export.writing.sequences import Sequences
from studio.export.writing.statements import Lines, Outline, Room, Statement, indented, tried, under
from studio.ids import NodeId


class RaceLanes(Room):
    """Puts the steps of races into their lanes, and writes them."""

    def __init__(self, readings: Readings, outline: Outline, sequences: Sequences) -> None:
        super().__init__(readings, outline)
        self._sequences = sequences
        self._lanes: dict[NodeId, list[list[Statement]]] = {}

    def joined(self, statements: list[Statement]) -> list[Statement]:
        """Let each race take its steps into its statement, races in lanes first."""
        here = {NodeId(one.node) for one in statements}
        races = [race for race in self._readings.racers if race in here]
        for race in sorted(
            races, key=lambda one: sum(len(lane.steps) for lane in self._readings.racers[one])
        ):
            statements = self._with(race, statements)
        return statements

    def _with(self, race: NodeId, statements: list[Statement]) -> list[Statement]:
        self._refuse_late(race)
        lanes = [self._of_lane(racer, statements) for racer in self._readings.racers[race]]
        inner = [one for lane in lanes for one in lane]
        keys = {one.key for one in inner}
        self._lanes[race] = lanes
        left = [one for one in statements if one.key not in keys]
        for one in left:
            if one.node == race:
                one.waits = (one.waits | {wait for lane in inner for wait in lane.waits}) - keys - {one.key}
                one.lenders = [*one.lenders, *(lender for lane in inner for lender in lane.lenders)]
        return left

    def _refuse_late(self, race: NodeId) -> None:
        """Refuse a race that may be left out while its racers are not."""
        begun = self._readings.begun(race)
        if not all(begun.implies(self._readings.comes(wire)) for wire in ports_after(self._chart, race)):
            title = self._chart.title(race)
            message = f"“{title}” cannot be exported: it may be left out when its racers are not."
            with naming(race):
                raise ExportError(message, hint=AT_ONCE)

    def _of_lane(self, racer: Racer, statements: list[Statement]) -> list[Statement]:
        blocks = self._readings.shelters.blocks
        steps = {str(one) for one in racer.steps}
        steps |= {try_of(blocks[one]) for one in racer.steps if one in blocks}
        return [one for one in statements if one.node in steps or one.key in steps]

    def lines(self, race: NodeId, known: Condition) -> Lines:
        """Write a race, where the condition `known` holds."""
        readings = self._readings
        lanes = readings.racing_in(race)
        before: Lines = []
        calls: list[str] = []
        for racer, lane in zip(readings.racers[race], self._lanes[race], strict=True):
            if racer not in lanes:
                continue
            lines, call = self._lane(racer, lane, known)
            before += lines
            calls.append(call)
        target = f"{self._variables[race]} = " if self._chart.is_read(race, "value") else ""
        won = f"{target}await {self._lifter.use(STEPS, 'first_value')}({', '.join(calls)})"
        kept = readings.kept(race)
        if kept is None:
            return [*before, won]
        start = [] if readings.stuck(race) != NEVER else [f"{kept.name} = None"]
        return [*before, *start, *tried([won], kept.name)]

    def _lane(self, racer: Racer, lane: Sequence[Statement], known: Condition) -> tuple[Lines, str]:
        """What a lane needs before the race, its function say, and what begins it."""
        readings, only = self._readings, lane[-1]
        element = readings.element(self._chart.input(racer.wire.target.node, "values"), racer.wire)
        value = f"{element[1:]}[0]" if element.startswith("*") else element
        is_call = len(lane) == 1 and only.call is not None and only.condition.given(known) == ALWAYS
        if is_call and only.call is not None and value == self._variables[racer.wire.source.node]:
            call = only.call(known)
            return call.before, f"lambda: {call.expression}"
        name = self._lane_name(racer)
        body = self._sequences.written(list(lane), known)
        for condition, failure in readings.raised(racer.wire, known):
            body += under(condition.given(known), [f"raise {failure}"])
            known &= ~condition
        comes = readings.comes(racer.wire).given(known)
        body += under(comes, [f"return {value}"] if comes != NEVER else [])
        body += [] if comes == ALWAYS else ["return None"]
        return [f"async def {name}():", *indented(body), ""], name

    def _lane_name(self, racer: Racer) -> str:
        return self._lifter.names.take(f"{self._variables[racer.wire.source.node]}_lane")
