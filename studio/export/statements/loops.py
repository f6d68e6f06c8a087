"""Loops as `for … in rounds(…)`: what ends a round, what the next one begins with."""

from collections.abc import Callable, Mapping

from studio.export.python.literals import text_literal
from studio.export.statements.block import Lines, Statement, indented, weave_of
from studio.export.statements.places import NOTHING
from studio.export.statements.regions import RegionWriter
from studio.export.structure.expressions import is_sayable, names_in, said
from studio.export.structure.facts import Arm, Way
from studio.flow.records import Wire
from studio.flow.structure.regions import Region
from studio.ids import NodeId


class Loops(RegionWriter):
    """Writes the loops of one flow."""

    def lines(self, region: Region) -> Lines:
        """One loop as a statement."""
        owner = region.owner or NodeId("")
        chart, places, name = self._chart, self._outline.places, self._readings.variable(owner)
        settings = chart.registry.settings(chart.record(owner))
        most, number = int(settings["max_rounds"]), places.number()
        carried = self._carried(region)
        places.set(carried)
        start = self._readings.input(owner, chart.input(owner, "start"))
        is_sure = self._facts.arrives(owner, chart.input(owner, "start"), self._facts.known(owner))
        ahead = places.number()
        lines: Lines = [places.start(ahead), f"{carried} = {start}"]
        if chart.is_read(owner, "history"):
            places.set(f"{name}_history")
            value, nothing = places.read(carried), NOTHING if is_sure else self._outline.use(NOTHING)
            empty = "[]" if is_sure else f"{nothing} if {value} is {nothing} else []"
            lines.append(f"{name}_history: list[Any] = {empty}")
        fails = settings["on_limit"] == "fail"
        has_else = self._has_result(owner) and not (fails and is_sure)
        if has_else:
            places.set(f"{name}_result")
        with places.inside("loop", number, ahead):
            counter = f"{name}_round" if self._is_counted(owner) else "_"
            if counter != "_":
                places.set(counter)
            body = [places.start(number)]
            if carried != f"{name}_value":
                places.set(f"{name}_value")
                body.append(f"{name}_value = {places.read(carried)}")
            if not has_else:
                places.set(f"{name}_result")
            body += self._body(region, owner, number)
        told = ', on_limit="fail"' if fails else ""
        begins = "" if is_sure else f", start={places.read(carried)}"
        rounds = f"{self._outline.use('rounds')}({text_literal(owner)}, {most}{begins}{told})"
        lines += [f"for {counter} in {rounds}:", *indented(body)]
        if has_else:
            last = f"{name}_result = {places.read(carried)}"
            lines += ["else:", f"    {last}"] if _has_break(body) else [last]
        return lines

    def _carried(self, region: Region) -> str:
        """The variable that goes from round to round; another one where the last value is read later."""
        name = self._readings.variable(region.owner or NodeId(""))
        return f"{name}_next" if self._chart.is_seen_after(region, "value") else f"{name}_value"

    def _is_counted(self, owner: NodeId) -> bool:
        rule = str(self._chart.registry.settings(self._chart.record(owner))["stop_when"])
        return self._chart.is_read(owner, "round") or "round" in rule

    def _has_result(self, owner: NodeId) -> bool:
        return self._chart.is_read(owner, "result")

    def _body(self, region: Region, owner: NodeId, number: int) -> Lines:
        statements = self._inside(region)
        chart, places = self._chart, self._outline.places
        done = self._wire(owner, "done")
        arms = self._facts.arms_of(done.source) if done is not None else frozenset[Arm]()
        later = self._after_exit(statements, arms)
        again = self._wire(owner, "again")
        is_later = again is not None and self._is_after_exit(again, arms, region, later)
        first = [one for one in statements if one.key not in later]
        if not is_later and again is not None and chart.is_read(owner, "history"):
            first.append(self._last(first, owner, "kept", (), lambda: self._kept(owner, again)))
        if done is not None:
            # In the `if` of what it waits for, where that is the last of all.
            way = tuple(arms) if self._is_ruled(done, arms) else ()
            first.append(self._last(first, owner, "end", way, lambda: self._end(owner, done, arms)))
        lines = self._written(first)
        if not later and not is_later:
            return [*lines, *self._next(owner, again, frozenset())]
        left = self._left(arms) if done is not None and self._facts.is_sure(done.source) else frozenset[Arm]()
        with places.inside("past", number):
            known, self._readings.known = self._readings.known, self._readings.known | left
            for one in statements:
                if one.key in later:
                    one.way = tuple(arm for arm in one.way if arm not in left)
            lines += self._written([one for one in statements if one.key in later])
            if is_later and again is not None and chart.is_read(owner, "history"):
                lines += self._kept(owner, again)
            lines += self._next(owner, again, left)
            self._readings.known = known
        return lines

    def _is_after_exit(self, again: Wire, arms: frozenset[Arm], region: Region, later: set[str]) -> bool:
        """Whether nothing comes back in the round that ends the loop."""
        is_apart = len(arms) == 1 and self._facts.excludes(arms, self._facts.arms_of(again.source))
        return is_apart or str(self._facts.vertex_in(region, again.source.node)) in later

    def _wire(self, owner: NodeId, port: str) -> Wire | None:
        wires = self._chart.wires_into(owner, port)
        return wires[0] if wires and not self._facts.is_muted(wires[0].source.node) else None

    def _after_exit(self, statements: list[Statement], arms: frozenset[Arm]) -> set[str]:
        """The statements that never happen in the round that ends the loop, if they can follow its end."""
        if len(arms) != 1:
            return set()
        later = {one.key for one in statements if one.way and self._facts.excludes(arms, one.way)}
        keys = {one.key for one in statements}
        depends = any(one.waits & later for one in statements if one.key not in later)
        return set() if depends or not later <= keys or self._overlaps(statements, later) else later

    def _overlaps(self, statements: list[Statement], later: set[str]) -> bool:
        """Whether any of the later statements takes place beside one that is none of them."""
        return any(
            (one in later) != (other in later) for one, other in weave_of(statements, self._facts).overlapping
        )

    def _left(self, arms: frozenset[Arm]) -> frozenset[Arm]:
        """The arms that are taken for sure where these are not: the only other way of a branch."""
        (arm,) = arms
        others = self._facts.ports_of(arm.branch) - {arm.port}
        is_sure = self._facts.is_sure_step(arm.branch) and len(others) == 1 and "" not in others
        is_outer = self._facts.arms(arm.branch)
        return (
            frozenset(Arm(arm.branch, port) for port in others) if is_sure and not is_outer else frozenset()
        )

    def _is_ruled(self, done: Wire, arms: frozenset[Arm]) -> bool:
        """Whether the loop ends where one branch of plain Python goes one way, and only there."""
        is_plain = all(self._facts.is_plain_branch(arm.branch) for arm in arms)
        return len(arms) == 1 and is_plain and self._facts.is_sure(done.source)

    def _last(
        self, before: list[Statement], owner: NodeId, what: str, way: Way, write: Callable[[], Lines]
    ) -> Statement:
        """What is done when all else of a round is."""
        return Statement(f"{owner}!{what}", (), {one.key for one in before}, way, write)

    def _end(self, owner: NodeId, done: Wire, arms: frozenset[Arm]) -> Lines:
        """The end of the loop where something arrives at `done`."""
        value = self._readings.input(owner, self._chart.input(owner, "done"))
        result = f"{self._readings.variable(owner)}_result"
        ended = [*([f"{result} = {value}"] if self._has_result(owner) else []), "break"]
        if self._is_ruled(done, arms) or self._facts.is_certain(done, frozenset()):
            return ended
        return [
            f"if {self._readings.read(done.source)} is not {self._outline.use(NOTHING)}:",
            *indented(ended),
        ]

    def _kept(self, owner: NodeId, again: Wire) -> Lines:
        """What comes back, added to the history."""
        history = self._outline.places.read(f"{self._readings.variable(owner)}_history")
        value = self._readings.input(owner, self._chart.input(owner, "again"))
        add = f"{history}.append({value})"
        if self._facts.is_certain(again, self._readings.known):
            return [add]
        return [f"if {self._readings.read(again.source)} is not {self._outline.use(NOTHING)}:", f"    {add}"]

    def _next(self, owner: NodeId, again: Wire | None, left: frozenset[Arm]) -> Lines:
        """What ends the loop, or else what the next round begins with."""
        name, has_result = self._readings.variable(owner), self._has_result(owner)
        value = self._outline.places.read(f"{name}_value")
        if again is None:
            return [*([f"{name}_result = {value}"] if has_result else []), "break"]
        following = self._readings.input(owner, self._chart.input(owner, "again")) or ""
        lines: Lines = []
        if not self._facts.is_certain(again, left):
            lines += [f"if {self._readings.read(again.source)} is {self._outline.use(NOTHING)}:"]
            lines += indented([*([f"{name}_result = {value}"] if has_result else []), "break"])
        rule = str(self._chart.registry.settings(self._chart.record(owner))["stop_when"]).strip()
        if rule:
            lines.append(
                f"if {self._rule(rule, {'value': value, 'again': following, 'round': f'{name}_round'})}:"
            )
            lines += indented([*([f"{name}_result = {following}"] if has_result else []), "break"])
        carried = self._carried(self._chart.owned[owner])
        return lines if following == carried else [*lines, f"{carried} = {following}"]

    def _rule(self, rule: str, values: Mapping[str, str]) -> str:
        if is_sayable(rule, self._facts.parameters):
            return said(rule, values)
        names = sorted(names_in(rule, values))
        told = ", ".join(f"{name}={values[name]}" for name in names)
        return f"{self._outline.use('holds')}({text_literal(rule)}{', ' if told else ''}{told})"


def _has_break(body: Lines) -> bool:
    """Whether a loop of this body is left before its last round."""
    inner: int | None = None
    for line in body:
        indent = len(line) - len(line.lstrip())
        if inner is not None and line.strip() and indent <= inner:
            inner = None
        if inner is None and line.strip() == "break":
            return True
        if inner is None and line.lstrip().startswith("for "):
            inner = indent
    return False
