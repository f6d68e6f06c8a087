"""Statements in order: each after what it waits for, consecutive ones of one condition under one `if`."""

from collections.abc import Sequence

from studio.export.calls import Calls
from studio.export.conditions import ALWAYS, NEVER, Condition
from studio.export.marks import marked
from studio.export.readings import Readings
from studio.export.statements import Lines, Outline, Room, Statement, indented
from studio.ids import NodeId


class Sequences(Room):
    """Brings the statements of a body into an order that reads well."""

    def __init__(self, readings: Readings, outline: Outline, calls: Calls) -> None:
        super().__init__(readings, outline)
        self._calls = calls
        self._opened: set[NodeId] = set()

    def written(self, statements: list[Statement], known: Condition) -> Lines:
        """Write statements in an order in which each stands after what it waits for."""
        return self.nested(self.ordered(statements, known), known)

    def ordered(
        self, statements: list[Statement], known: Condition
    ) -> list[tuple[list[Statement], Condition]]:
        """Groups of statements; those of one group are waited for together."""
        keys = {one.key for one in statements}
        waiting = {one.key: one for one in statements}
        left = {one.key: one.waits & keys for one in statements}
        groups: list[tuple[list[Statement], Condition]] = []
        current = ALWAYS
        while waiting:
            ready = [one for key, one in waiting.items() if not left[key]]
            if not ready:
                message = "steps wait for one another"
                raise AssertionError(message)
            given = {one.key: one.condition.given(known) for one in ready}
            first = min(ready, key=lambda one: self._rank(one, given[one.key], current))
            current = given[first.key]
            group = [first]
            if first.call is not None:
                group = [one for one in ready if one.call is not None and given[one.key] == current]
            if current != NEVER:
                groups.append((group, current))
            for one in group:
                del waiting[one.key]
                for rest in left.values():
                    rest.discard(one.key)
        return groups

    def _rank(self, one: Statement, condition: Condition, current: Condition) -> tuple[int, int, str, str]:
        """What is written next: what stands in the same `if`, then what goes quickly, then by name."""
        if condition == NEVER:
            return (-1, 0, "", one.key)
        if condition == current:
            nearness = 0
        elif current != ALWAYS and condition.implies(current):
            nearness = 1
        else:
            nearness = 2 if condition == ALWAYS else 3
        effort = 1 if one.call is not None else 2 if NodeId(one.key) in self._chart.owned else 0
        return (nearness, effort, condition.test(), one.key)

    def nested(self, groups: list[tuple[list[Statement], Condition]], known: Condition) -> Lines:
        """Write groups, consecutive ones of one condition under one `if`."""
        lines: Lines = []
        at = 0
        while at < len(groups):
            group, condition = groups[at]
            if condition == ALWAYS or known.implies(condition):
                opening = self._opening(group)
                written = self._group(group, known)
                at += 1
                if opening:
                    rest = self.nested(groups[at:], known)
                    return [*lines, *opening, *indented([*written, *rest])]
                lines += written
                continue
            stop = at
            while stop < len(groups) and groups[stop][1].implies(condition):
                stop += 1
            arm = groups[at:stop]
            opening = self._opening([one for inner, _ in arm for one in inner])
            if opening:
                rest = self.nested(groups[at:], known)
                return [*lines, *opening, *indented(rest)]
            chain, at = self._chain(groups, at, stop, known)
            lines += chain
        return lines

    def _chain(
        self, groups: list[tuple[list[Statement], Condition]], at: int, stop: int, known: Condition
    ) -> tuple[Lines, int]:
        """Write an `if`, and what follows it under conditions that exclude it as its `elif` and `else`."""
        lines: Lines = []
        taken = NEVER
        word = "if"
        while True:
            condition = groups[at][1]
            written = self._nested_arm(groups[at:stop], known & condition)
            if written:
                left = (known & ~taken) if taken != NEVER else known
                is_rest = taken != NEVER and left.implies(condition)
                lines.append("else:" if is_rest else f"{word} {condition.given(left).test()}:")
                lines += indented(written)
                taken |= condition
                word = "elif"
            at = stop
            if at >= len(groups):
                break
            following = groups[at][1]
            if following == ALWAYS or not following.excludes(taken) or taken == NEVER:
                break
            if any(self._opening(group, peek=True) for group, _ in groups[at : at + 1]):
                break
            stop = at
            while stop < len(groups) and groups[stop][1].implies(following):
                stop += 1
        return lines, at

    def _nested_arm(self, groups: list[tuple[list[Statement], Condition]], known: Condition) -> Lines:
        inner = [(group, condition.given(known)) for group, condition in groups]
        return self.nested(inner, known)

    def _group(self, group: list[Statement], known: Condition) -> Lines:
        if len(group) == 1:
            return group[0].write(known)
        calls = [one.call(known) for one in group if one.call is not None]
        lines = [line for call in calls for line in call.before]
        targets = [call.target or "_" for call in calls]
        together = (
            f"await {self._lifter.use('asyncio', '')}.gather({', '.join(call.expression for call in calls)},)"
        )
        nodes = [NodeId(one.node) for one in group]
        if all(target == "_" for target in targets):
            return marked(nodes, [*lines, together])
        return marked(nodes, [*lines, f"{', '.join(targets)} = {together}"])

    def _opening(self, group: Sequence[Statement], *, peek: bool = False) -> Lines:
        """The `async with` for what a group borrows and nobody has borrowed before."""
        lenders = [one for statement in group for one in statement.lenders]
        fresh = [one for one in dict.fromkeys(lenders) if one not in self._opened]
        if not fresh or peek:
            return [str(one) for one in fresh]
        self._opened.update(fresh)
        opened = [f"{self._calls.expression(one, ALWAYS, [])} as {self._variables[one]}" for one in fresh]
        line = (
            f"async with {', '.join(opened)}:" if len(opened) == 1 else f"async with ({', '.join(opened)},):"
        )
        return marked(fresh, [line])
