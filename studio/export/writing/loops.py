"""Loops as `for` over the rounds, left with `break` where the flow says that it is done."""

from collections.abc import Callable, Mapping

from studio.export.python.literals import text_literal
from studio.export.structure.chart import Input
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.readings import Readings
from studio.export.structure.rules import stop_function
from studio.export.writing.handovers import has_lanes
from studio.export.writing.sequences import Sequences
from studio.export.writing.statements import (
    Area,
    Inside,
    Lines,
    Outline,
    Statement,
    binds_late,
    indented,
    names_in,
    owner_of,
    under,
)
from studio.flow.records import Socket
from studio.flow.regions import Region
from studio.ids import NodeId, PortName

RETURNED = ("again", "done", "also")
"""What a round gives back, in the order in which a failure is blamed."""


class Loops(Area):
    """Writes loops with their bodies."""

    def __init__(self, readings: Readings, outline: Outline, sequences: Sequences, inside: Inside) -> None:
        super().__init__(readings, outline)
        self._sequences = sequences
        self._inside = inside
        self._left_early: set[NodeId] = set()
        """Loops that may end before their last round."""

    def lines(self, region: Region, known: Condition) -> Lines:
        """Write a loop, where the condition `known` holds."""
        owner = owner_of(region)
        if self._chart.record(owner).run.state == "bypassed":
            given = self._returned(owner, self._chart.input(owner, "start"))
            return (
                [f"{self._variables[owner]}_result = {given}"]
                if self._readings.is_used(owner, "result")
                else []
            )
        lines = self.limited(region, self._whole(region, known))
        return self.guarded(region, self.mended(owner, lines))

    def _whole(self, region: Region, known: Condition) -> Lines:
        owner = owner_of(region)
        chart, readings = self._chart, self._readings
        settings = chart.registry.settings(chart.record(owner))
        name = self._variables[owner]
        is_kept = chart.is_seen_after(region, "value")
        following = f"{name}_next" if is_kept else f"{name}_value"
        start = readings.read_input(owner, chart.input(owner, "start"))
        lines = [f"{following} = {start}"]
        has_history = self._readings.is_used(owner, "history")
        if has_history:
            kind = chart.output_type(Socket(owner, PortName("history")))
            lines.append(f"{name}_history: {readings.annotation(kind)} = []")
        most = int(settings["max_rounds"])
        body = [f"{name}_value = {name}_next"] if is_kept else []
        body += self._rounds(region, known, following)
        if has_lanes(body):  # what they return goes round: a type checker has to be told what that is
            kind = chart.output_type(Socket(owner, PortName("value")))
            lines[0] = f"{following}: {readings.annotation(kind)} = {start}"
        counter = f"{name}_round"
        if has_lanes(body) or binds_late(body, {counter}):
            body = [
                "# What begins in a round ends in it, so that it knows its variables.",
                "# ruff: noqa: B023",
                *body,
            ]
        if chart.is_seen_after(region, "round"):
            lines.append(f"{counter} = 0")
        elif counter not in names_in(body):
            counter = "_"
        lines += [f"for {counter} in range(1, {most + 1}):", *indented(body)]
        if body[-1] != "break":
            lines += self._after_rounds(region, settings, following)
        return lines

    def _rounds(self, region: Region, known: Condition, following: str) -> Lines:
        """One round: up to where the loop may end with `done`, then the rest, then what goes round."""
        owner = owner_of(region)
        name, readings = self._variables[owner], self._readings
        again, done = self._chart.input(owner, "again"), self._chart.input(owner, "done")
        is_done, is_again = readings.arrives(owner, done), readings.arrives(owner, again)
        statements = self._inside(region)
        early = self._early(statements, is_done, known)
        lines = self._sequences.written([one for one in statements if one.key in early], known)
        failing, _ = self._failing(region, is_done, known)
        lines += failing
        append = self._kept(owner, again) if self._has_history(owner) else []
        at_once = is_done != NEVER and not is_again.excludes(is_done)
        if append and at_once:
            lines += under(is_again.given(known), append)
        if is_done.given(known) != NEVER:
            lines += under(is_done.given(known), self._ended(owner, lambda: self._returned(owner, done)))
        if is_done.given(known) == ALWAYS:
            return lines
        known &= ~is_done
        lines += self._sequences.written([one for one in statements if one.key not in early], known)
        failing, known = self._failing(region, ALWAYS, known)
        lines += failing
        goes_on = is_again.given(known)
        if goes_on != ALWAYS:
            lines += under((~is_again).given(known), self._ended(owner, lambda: f"{name}_value"))
        if goes_on == NEVER:
            return lines
        if append and not at_once:
            lines += append
        return [*lines, *self._stop(owner, again), f"{following} = {self._returned(owner, again)}"]

    def _failing(self, region: Region, where: Condition, known: Condition) -> tuple[Lines, Condition]:
        """Let the loop fail with what a failed step was to give back; what is known if it has not."""
        owner = owner_of(region)
        lines: Lines = []
        for port in RETURNED:
            for wire in self._chart.input(owner, port).wires:
                for condition, failure in self._readings.raised(wire, known):
                    holds = (condition & where).given(known)
                    lines += under(holds, [self.raises(region, failure)])
                    known &= ~(condition & where)
        return lines, known

    def _early(self, statements: list[Statement], is_done: Condition, known: Condition) -> set[str]:
        """What has to happen in a round before the loop may end there, with all that happens beside it."""
        by_key = {one.key: one for one in statements}
        waiting = [one.key for one in statements if not one.condition.excludes(is_done)]
        if is_done == NEVER:
            return set(by_key)
        found: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key in by_key and key not in found:
                found.add(key)
                waiting += [*by_key[key].waits, *by_key[key].also]
        some = [one for one in statements if one.key in found]
        others = [one for one in statements if one.key not in found]
        return set(by_key) if self._sequences.lanes.overlap(some, others, known) else found

    def _kept(self, owner: NodeId, again: Input) -> Lines:
        """Note what a round gives back; no more than the last rounds that are to be kept."""
        settings, name = self._chart.registry.settings(self._chart.record(owner)), self._variables[owner]
        kept = int(settings["rounds_kept"])
        lines = [f"{name}_history.append({self._returned(owner, again)})"] if kept else []
        return [*lines, f"del {name}_history[:-{kept}]"] if 0 < kept < int(settings["max_rounds"]) else lines

    def _stop(self, owner: NodeId, again: Input) -> Lines:
        settings = self._chart.registry.settings(self._chart.record(owner))
        if not settings["stop_when"]:
            return []
        name = self._variables[owner]
        made = stop_function(self._chart.title(owner), str(owner), settings["stop_when"], self._lifter)
        self._outline.functions.append(made.source)
        values = {
            "value": f"{name}_value",
            "again": self._returned(owner, again),
            "round": f"{name}_round",
        }
        call = f"{made.name}({', '.join(values[one] for one in made.parameters)})"
        return [f"if {call}:", *indented(self._ended(owner, lambda: self._returned(owner, again)))]

    def _returned(self, owner: NodeId, one: Input) -> str:
        return self._readings.read_input(owner, one)

    def _ended(self, owner: NodeId, result: Callable[[], str]) -> Lines:
        self._left_early.add(owner)
        if not self._readings.is_used(owner, "result"):
            return ["break"]
        return [f"{self._variables[owner]}_result = {result()}", "break"]

    def _after_rounds(self, region: Region, settings: Mapping[str, object], following: str) -> Lines:
        """What holds after the last round that is allowed."""
        owner, said = owner_of(region), list[str]()
        if settings["on_limit"] == "fail":
            error = self._lifter.use("studio.errors", "StepError")
            message = text_literal(f"It was not done after {settings['max_rounds']} rounds.")
            hint = text_literal("Allow more rounds, or use the last value at the limit.")
            last = self.raises(region, f"{error}({message}, hint={hint})")
        elif self._readings.is_used(owner, "result"):
            last = f"{self._variables[owner]}_result = {following}"
            said = [f"# It was not done in {settings['max_rounds']} rounds."]
        else:
            return []
        return ["else:", *indented([*said, last])] if owner in self._left_early else [last]

    def _has_history(self, owner: NodeId) -> bool:
        return self._readings.is_used(owner, "history")
