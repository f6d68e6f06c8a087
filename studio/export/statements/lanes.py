"""Statements that take place at the same time: calls that are gathered, lanes as local functions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from studio.export.statements.block import Lines, Outline, Statement, indented, merge_of, weave_of
from studio.export.statements.marks import marked
from studio.export.statements.readings import Readings
from studio.export.statements.regions import Write
from studio.export.structure.facts import Arm, Facts, Way
from studio.export.structure.overlap import Thread
from studio.ids import NodeId


class Lanes:
    """Makes one statement of what overlaps in a body."""

    def __init__(
        self, outline: Outline, readings: Readings, written: Write, take: Callable[[str], str]
    ) -> None:
        """Make it; `take` gives a free name."""
        self._outline, self._readings = outline, readings
        self._facts: Facts = outline.flow.facts
        self._written, self._take = written, take

    def woven(self, statements: Sequence[Statement]) -> list[Statement]:
        """Put together what overlaps, so that all the rest may stand one after the other."""
        known = {one.key: one for one in statements}
        weave = weave_of(statements, self._facts)
        if not weave.overlapping:
            return list(statements)
        made: list[Statement] = []
        home: dict[str, str] = {}
        for stage in weave.stages():
            if len(stage) == 1:
                continue
            lanes = [[known[key] for key in lane] for lane in weave.among(stage).lanes()]
            whole = self._gathered(lanes)
            if len(lanes) == 1:
                whole.write = self._knotted([known[key] for key in stage])
            home.update(dict.fromkeys(stage, whole.key))
            made.append(whole)
        left = [one for one in statements if one.key not in home]
        return [
            replace(one, waits={home.get(wait, wait) for wait in one.waits} - {one.key})
            for one in [*made, *left]
        ]

    def _gathered(self, lanes: list[list[Statement]]) -> Statement:
        inner = [one for lane in lanes for one in lane]
        keys = {one.key for one in inner}
        return Statement(
            f"{inner[0].key}!gather",
            (),
            {wait for one in inner for wait in one.waits} - keys,
            shared_way([one.way for one in inner]),
            lambda: self._lines(lanes),
        )

    def _lines(self, lanes: list[list[Statement]]) -> Lines:
        known = self._readings.known
        before: Lines = []
        calls: Lines = []
        targets: list[str] = []
        owners: list[Sequence[NodeId]] = []
        numbers: list[int] = []
        for statements in lanes:
            lane = [replace(one, way=tuple(arm for arm in one.way if arm not in known)) for one in statements]
            only = lane[0]
            if len(lane) == 1 and only.call is not None and not only.way:
                target, call = only.call()
                calls.append(call)
                targets.append(target or "_")
                owners.append(only.nodes)
                continue
            number = self._outline.places.number()
            numbers.append(number)
            name = self._take(f"{_last(lane)}_lane")
            with self._outline.places.inside("lane", number):
                body = self._written(lane)
            body.append(self._outline.places.returned(number))
            before += [f"async def {name}() -> Any:", *indented(body), ""]
            calls.append(f"{name}()")
            targets.append(self._outline.places.targets(number))
            owners.append(())
        gather = f"{self._outline.use('gather')}({', '.join(calls)},)"
        nodes = [node for found in owners for node in found]
        return [*before, *marked(nodes, [f"{', '.join(targets)} = await {gather}"])]

    def _knotted(self, statements: Sequence[Statement]) -> Callable[[], Lines]:
        """Lanes that wait for one another; all arms of a merge in one, for only one may set its variable."""
        arms: dict[str, list[Statement]] = {}
        for one in statements:
            arms.setdefault(merge_of(one), []).append(one)
        home = {one.key: key for key, some in arms.items() for one in some}
        whole = [
            replace(
                some[0],
                key=key,
                waits={home.get(wait, wait) for one in some for wait in one.waits},
                way=shared_way([one.way for one in some]),
            )
            for key, some in arms.items()
        ]
        threads: Sequence[Thread] = weave_of(whole, self._facts).threads()

        def write() -> Lines:
            places, start = self._outline.places, self._outline.places.number()
            over = self._readings.known
            inner = [
                [
                    [replace(one, way=tuple(arm for arm in one.way if arm not in over)) for one in arms[step]]
                    for step in thread.steps
                ]
                for thread in threads
            ]
            stems = [_last([one for step in lane for one in step]) for lane in inner]
            names = [self._take(f"{stem}_lane") for stem in stems]
            tasks = [self._take(f"{stem}_task") for stem in stems]
            lines: Lines = [places.start(start)]
            for thread, lane, name in zip(threads, inner, names, strict=True):
                number = places.number()
                body: Lines = [places.shared(number)]
                awaited: set[int] = set()
                with places.inside("knot", number, start):
                    following: list[Statement] = []
                    for step, waits in zip(lane, thread.awaited, strict=True):
                        if waits - awaited:
                            body += self._written(following)
                            body += [f"await {tasks[place]}" for place in sorted(waits - awaited)]
                            following = []
                        awaited |= waits
                        following += step
                    body += self._written(following)
                lines += [f"async def {name}() -> None:", *indented(body), ""]
            together = self._take("together")
            starts = [f"{task} = {together}.start({name}())" for task, name in zip(tasks, names, strict=True)]
            return [*lines, f"async with {self._outline.use('lanes')}() as {together}:", *indented(starts)]

        return write


def shared_way(ways: Sequence[Way]) -> Way:
    """The arms in which all of some stand, from the outermost."""
    found: list[Arm] = []
    for arms in zip(*ways, strict=False):
        if len(set(arms)) > 1:
            break
        found.append(arms[0])
    return tuple(found)


def _last(lane: Sequence[Statement]) -> str:
    slow = [one for one in lane if one.is_slow] or list(lane)
    return slow[-1].key.partition("!")[0].partition("#")[0].partition(">")[0]
