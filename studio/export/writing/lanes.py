"""Steps that take place at the same time: calls that are waited for together, lanes as local functions."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from studio.export.structure.conditions import ALWAYS, NEVER, Condition, any_of
from studio.export.structure.outputs import STEPS
from studio.export.structure.overlap import Thread, Weave
from studio.export.structure.patience import takes_time
from studio.export.structure.readings import Readings
from studio.export.writing.handovers import TOGETHER, Handover, Handovers
from studio.export.writing.marks import marked
from studio.export.writing.statements import Lines, Outline, Room, Statement, indented
from studio.flow.ports import Structure
from studio.ids import NodeId

MOST_GATHERED = 6
"""How many calls type checkers tell apart in one `gather`."""


class Lanes(Room):
    """Makes one statement of what overlaps in a body."""

    def __init__(
        self,
        readings: Readings,
        outline: Outline,
        handovers: Handovers,
        written: Callable[[list[Statement], Condition], Lines],
    ) -> None:
        """Make it; `written` writes statements that follow one another."""
        super().__init__(readings, outline)
        self._handovers = handovers
        self._written = written

    def woven(self, statements: list[Statement], known: Condition) -> list[Statement]:
        """Put together what overlaps, so that all the rest may stand one after the other."""
        steps = _by_step(statements)
        weave = self._weave(steps, known)
        if not weave.overlapping:
            return statements
        stages = weave.stages()
        alone = {stage[0] for stage in stages if len(stage) == 1} - {
            str(node) for node in self._readings.chart.flow.nodes if self._is_output(node)
        }
        made: list[Statement] = []
        for stage in stages:
            if len(stage) == 1:
                continue
            part = weave.among(stage)
            lanes = part.lanes()
            if len(lanes) == 1:
                whole = self._whole(steps, stage)
                threads = part.threads()
                whole.write = lambda known, threads=threads: self._threads(threads, steps, known)
            else:
                alone -= _take_along(lanes, stage, weave, alone)
                whole = self._whole(steps, [name for lane in lanes for name in lane])
                inner = [[one for name in lane for one in steps[name]] for lane in lanes]
                whole.write = lambda known, inner=inner: self._lanes(inner, known)
            made.append(whole)
        return _joined(statements, made)

    def _is_output(self, node: NodeId) -> bool:
        return self._chart.structure(node) is Structure.FLOW_OUTPUT

    # --- what takes time -----------------------------------------------------------------------------------

    def overlap(self, some: list[Statement], others: list[Statement], known: Condition) -> bool:
        """Whether anything of the one may take place beside anything of the other."""
        names = {_step_of(one) for one in some}
        pairs = self._weave(_by_step([*some, *others]), known).overlapping
        return any((one in names) != (other in names) for one, other in pairs)

    def _weave(self, steps: Mapping[str, list[Statement]], known: Condition) -> Weave:
        home = {one.key: name for name, found in steps.items() for one in found}
        waits = {
            name: frozenset(home[key] for one in found for key in one.waits | one.also if key in home)
            - {name}
            for name, found in steps.items()
        }
        when = {
            name: any_of(one.condition for one in found).given(known)
            for name, found in steps.items()
            if takes_time(self._readings, name)
        }
        slow = frozenset(name for name, condition in when.items() if condition != NEVER)

        def excludes(one: str, other: str) -> bool:
            return ALWAYS not in {when[one], when[other]} and when[one].excludes(when[other])

        return Weave(waits, slow, excludes)

    # --- how it is written ---------------------------------------------------------------------------------

    def _whole(self, steps: Mapping[str, list[Statement]], names: Sequence[str]) -> Statement:
        """One statement for several steps; it is written by whoever asked for it."""
        inner = [one for name in names for one in steps[name]]
        keys = {one.key for one in inner}
        first = any_of(one.condition for one in inner if not one.waits & keys)
        return Statement(
            f"{names[0]}!lanes",
            first if all(one.condition.implies(first) for one in inner) else ALWAYS,
            {wait for one in inner for wait in one.waits} - keys,
            lambda _: [],
            lenders=[lender for one in inner for lender in one.lenders],
            also=keys,
        )

    def _lanes(self, lanes: Sequence[list[Statement]], known: Condition) -> Lines:
        """Lanes that have nothing to do with one another."""
        handovers = [self._handovers.new() for _ in lanes]
        made = [self._lane(*one, known) for one in zip(lanes, handovers, strict=True)]
        before = [line for lines, _ in made for line in lines]
        nodes = [NodeId(one.node) for lane in lanes for one in lane if one.node]
        if len(lanes) <= MOST_GATHERED and all(self._ends_the_script(node) for node in nodes):
            gather = f"{self._lifter.use('asyncio', '')}.gather({', '.join(call for _, call in made)},)"
            targets = ", ".join(one.given for one in handovers)
            owners = [NodeId(lane[0].node) for lane in lanes if len(lane) == 1]
            return [*before, *marked(owners, [f"{targets} = await {gather}"])]
        tasks = [self._name(lane, "task") for lane in lanes]
        return [*before, *self._together(lanes, [([], call) for _, call in made], tasks, handovers)]

    def _threads(
        self, threads: Sequence[Thread], steps: Mapping[str, list[Statement]], known: Condition
    ) -> Lines:
        """Threads that wait for one another."""
        handovers = self._handovers.threads(len(threads))
        inner = [[one for name in thread.steps for one in steps[name]] for thread in threads]
        tasks = [self._name(one, "task") for one in inner]
        waits = list(zip(handovers, tasks, strict=True))
        lanes = [_awaiting(thread, steps, waits) for thread in threads]
        made = [self._lane(*one, known) for one in zip(lanes, handovers, strict=True)]
        return self._together(lanes, made, tasks, handovers)

    def _together(
        self,
        lanes: Sequence[list[Statement]],
        made: Sequence[tuple[Lines, str]],
        tasks: Sequence[str],
        handovers: Sequence[Handover],
    ) -> Lines:
        """Lanes as tasks, of which the first that fails stops the others."""
        started: Lines = []
        ended: Lines = []
        for lane, (before, call), task, handover in zip(lanes, made, tasks, handovers, strict=True):
            owners = [NodeId(lane[0].node)] if len(lane) == 1 else []
            started += [*before, *marked(owners, [f"{task} = {TOGETHER}.create_task({call})"])]
            ended += marked(owners, [f"{handover.given} = {task}.result()"])
        group = self._lifter.use(STEPS, "Together")
        return [f"async with {group}() as {TOGETHER}:", *indented(started), *ended]

    def _lane(self, lane: list[Statement], handover: Handover, known: Condition) -> tuple[Lines, str]:
        """What a lane needs before it, its function say, and what calls it."""
        only = lane[0]
        if len(lane) == 1 and only.call is not None and only.condition.given(known) == ALWAYS:
            call = only.call(known)
            handover.target = call.target
            return call.before, call.expression
        name = self._name(lane, "lane")
        body = [handover.starts, *self._written(lane, known), f"return {handover.given}"]
        return [f"async def {name}():", *indented(body), ""], f"{name}()"

    def _name(self, lane: Sequence[Statement], kind: str) -> str:
        """The name of a lane's function or task: after the step that it ends with."""
        nodes = [one.node or one.key.partition("!")[0] for one in lane]
        nodes = [node for node in nodes if node in self._variables]
        slow = [node for node in nodes if takes_time(self._readings, node)]
        stem = self._variables[NodeId([*nodes, *slow][-1])]
        return self._lifter.names.take(f"{stem}_{kind}")

    def _ends_the_script(self, node: NodeId) -> bool:
        """Whether nothing takes in a failure of a step, so that those beside it need not be stopped."""
        if self._outline.depth_known is None or node in self._readings.sheltered:
            return False
        region = self._chart.owned.get(node) or self._chart.tree.of(node)
        while region.owner is not None and region.parent is not None:
            if self._chart.record(region.owner).run.on_error != "fail":
                return False
            region = region.parent
        return True


def _step_of(one: Statement) -> str:
    return one.node or one.key


def _by_step(statements: Sequence[Statement]) -> dict[str, list[Statement]]:
    """The statements of each step, which always stay together."""
    found: dict[str, list[Statement]] = {}
    for one in statements:
        found.setdefault(_step_of(one), []).append(one)
    return found


def _awaiting(
    thread: Thread, steps: Mapping[str, list[Statement]], tasks: Sequence[tuple[Handover, str]]
) -> list[Statement]:
    """The steps of a thread, each after a statement for every other thread that it waits for."""
    found: list[Statement] = []
    over: set[int] = set()
    for name, awaited, known in zip(thread.steps, thread.awaited, thread.known, strict=True):
        before = {one.key for one in found}
        takes: list[Statement] = []
        for place in sorted(known - over, key=lambda one: (one not in awaited, one)):
            handover, task = tasks[place]
            line = f"{handover.taken if place in awaited else handover.known} = await {task}"
            waits = before | {one.key for one in takes}
            takes.append(Statement(f"!{task}", ALWAYS, waits, lambda _, line=line: [line]))
        over |= known
        found += takes
        found += [replace(one, waits=one.waits | {take.key for take in takes}) for one in steps[name]]
    return found


def _take_along(
    lanes: list[list[str]], stage: Sequence[str], weave: Weave, alone: AbstractSet[str]
) -> set[str]:
    """Let lanes of several steps end with what needs no time, and waits for nothing else that overlaps."""
    before = frozenset[str]().union(*(weave.before[name] for name in stage))
    taken: set[str] = set()
    for name in sorted(alone - weave.slow - before, key=lambda one: len(weave.before[one])):
        for lane in lanes:
            waits = weave.waits[name] - before
            if len(lane) > 1 and waits and waits <= set(lane):
                lane.append(name)
                taken.add(name)
    return taken


def _joined(statements: list[Statement], made: Sequence[Statement]) -> list[Statement]:
    """The statements with some of them in the place of those that they are made of."""
    home = {key: one.key for one in made for key in one.also}
    for one in made:
        one.also = set()
    left = [one for one in statements if one.key not in home]
    return [replace(one, waits={home.get(wait, wait) for wait in one.waits}) for one in [*made, *left]]
