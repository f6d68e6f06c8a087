"""The steps of a run by name; those that are over are kept packed, and unpacked for whoever looks at them.

As bytes, a step takes a tenth of the room. The fold changes a step only through `own`; whoever else
looks one up may get a copy, which is not to be changed.
"""

import marshal
from collections import deque
from collections.abc import Callable, ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeAlias, cast

from studio.ids import ROOT, NodeId, StepId, step_parts
from studio.trace.events import ChatAnswered
from studio.trace.events.values import Shown, Values
from studio.trace.fold.steps import StepState, StepStatus

YOUNG = 3_000
"""Steps that are over and not packed as long as the run goes on: views look at them just after they ended."""
LOOKED_AT = 500
"""Packed steps that stay unpacked for whoever looks again."""
MANY_CHILDREN = 100
"""Of steps with more calls or steps in them there are few; they are not packed."""

Ports: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""The names of values, with the labels of each."""
Shape: TypeAlias = tuple[str, Ports, Ports, tuple[int, ...]]
"""A status, what was read and given, and which other fields a step has: the same for thousands of steps."""

_NAMED = {"id", "node", "scope", "call", "attempt"}
_SPECIAL = {"status", "inputs", "outputs", "answered", "_speaker"}
_USUAL = ("parent", "ready", "began", "started", "ended")
"""Fields that nearly all steps have, and nearly all have no others."""
_OTHERS = tuple(one.name for one in fields(StepState) if one.name not in {*_NAMED, *_SPECIAL, *_USUAL})
_FIELDS = (*_USUAL, *_OTHERS)
_PLAIN = cast("Callable[[StepState], tuple[object, ...]]", attrgetter(*_FIELDS))
_DEFAULTS: tuple[object, ...] = _PLAIN(StepState(StepId(""), NodeId(""), ROOT, "", 1))
_SEEN = len(_USUAL)
_NO_OTHERS = _DEFAULTS[_SEEN:]
_ANSWER = tuple(one.name for one in fields(ChatAnswered) if one.name != "kind")
_ANSWERED = cast("Callable[[ChatAnswered], tuple[object, ...]]", attrgetter(*_ANSWER))


class Steps(MutableMapping[StepId, StepState]):
    """Steps by name, in order of appearance."""

    def __init__(self) -> None:
        self._at: dict[StepId, StepState | bytes] = {}
        self._over: deque[StepId] = deque()
        self._shapes: list[Shape] = []
        self._known: dict[Shape, int] = {}
        self._looked_at: dict[StepId, StepState] = {}

    def __getitem__(self, name: StepId) -> StepState:
        found = self._at[name]
        return self._seen(name, found) if isinstance(found, bytes) else found

    def __setitem__(self, name: StepId, step: StepState) -> None:
        self._at[name] = step
        self._looked_at.pop(name, None)

    def __delitem__(self, name: StepId) -> None:
        del self._at[name]
        self._looked_at.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def __iter__(self) -> Iterator[StepId]:
        return iter(self._at)

    def __reversed__(self) -> Iterator[StepId]:
        return reversed(self._at)

    def __len__(self) -> int:
        return len(self._at)

    @classmethod
    def of(cls, known: Mapping[StepId, StepState]) -> "Steps":
        """Give some that are known already; they are shared."""
        made = cls()
        made._at.update(known)
        return made

    def values(self) -> "StepsInOrder":
        """Give all steps, as they are when one begins to go through them."""
        return StepsInOrder(self)

    def items(self) -> "NamedSteps":
        """Give all steps with their names, as `values`."""
        return NamedSteps(self)

    def each(self, *, backwards: bool = False) -> Iterator[tuple[StepId, StepState]]:
        """Go through all steps, in one go as far as another thread folds: `values` and `items` do."""
        known = list(self._at.items())
        for name, one in reversed(known) if backwards else known:
            yield name, self._unpacked(name, one) if isinstance(one, bytes) else one

    def own(self, name: StepId) -> StepState | None:
        """Give a step that may be changed; None where there is none of that name."""
        found = self._at.get(name)
        if not isinstance(found, bytes):
            return found
        step = self._at[name] = self._unpacked(name, found)
        self._looked_at.pop(name, None)
        above = self._at.get(step.parent)
        if isinstance(above, StepState) and above.listens_to(step):
            above.listen_to(step)
        self._over.append(name)
        return step

    def going(self) -> Iterator[StepState]:
        """Give the steps that are not over; they may be changed."""
        known = list(self._at.values())
        return (one for one in known if not isinstance(one, bytes) and not one.status.is_final)

    def rest(self, name: StepId) -> None:
        """Note that a step is over, so that it is packed some time later."""
        self._over.append(name)
        self.pack(YOUNG)  # one for one: thousands together would take as long as several frames

    def pack(self, young: int = 0) -> None:
        """Pack the steps that are over, but for so many that were the last to be."""
        while len(self._over) > young:
            name = self._over.popleft()
            found = self._at.get(name)
            if isinstance(found, StepState) and found.status.is_final:
                self._at[name] = self._packed(found)

    def _seen(self, name: StepId, packed: bytes) -> StepState:
        step = self._looked_at.get(name)
        if step is None:
            if len(self._looked_at) >= LOOKED_AT:
                self._looked_at.clear()
            step = self._looked_at[name] = self._unpacked(name, packed)
        return step

    def _packed(self, step: StepState) -> StepState | bytes:
        """A step as bytes; itself where something in it is not plain."""
        if len(step.children) > MANY_CHILDREN:
            return step
        values = _PLAIN(step)
        some = values[:_SEEN] if values[_SEEN:] == _NO_OTHERS else values
        given = [at for at, one in enumerate(some) if one is not _DEFAULTS[at] and one != _DEFAULTS[at]]
        answered = _ANSWERED(step.answered) if step.answered is not None else None
        speaker = step.speaker.id if step.speaker is not None else ""
        try:
            shape = (step.status.value, _ports(step.inputs), _ports(step.outputs), tuple(given))
            number = self._known.get(shape)
            if number is None:
                number = self._known[shape] = len(self._shapes)
                self._shapes.append(shape)
            read = tuple([one.data for one in step.inputs.values()])
            gave = tuple([one.data for one in step.outputs.values()])
            row: tuple[object, ...] = (number, read, gave, *[values[at] for at in given])
            if answered is not None or speaker:
                row = (*row, answered, speaker)
            return marshal.dumps(cast("Any", row))
        except (TypeError, ValueError):  # an event, or what no file could keep
            return step

    def _unpacked(self, name: StepId, packed: bytes) -> StepState:
        # Only what this very object packed is read so.
        row = cast("tuple[Any, ...]", marshal.loads(packed))  # noqa: S302
        status, read, gave, given = self._shapes[cast("int", row[0])]
        scope, node, call, attempt = step_parts(name)
        step = StepState(name, node, scope, call, attempt, status=StepStatus(status))
        step.inputs, step.outputs = _values(read, row[1]), _values(gave, row[2])
        for at, value in zip(given, row[3:], strict=False):
            setattr(step, _FIELDS[at], value)
        if len(row) > len(given) + 3:
            answered, speaker = row[-2:]
            if answered is not None:
                step.answered = ChatAnswered(*answered)
            if speaker and speaker in self._at:
                step.listen_to(self[speaker])
        return step


class StepsInOrder(ValuesView[StepState]):
    """The steps of a run, in order of appearance."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps)
        self._steps = steps

    def __iter__(self) -> Iterator[StepState]:
        return (step for _, step in self._steps.each())

    def __reversed__(self) -> Iterator[StepState]:
        return (step for _, step in self._steps.each(backwards=True))


class NamedSteps(ItemsView[StepId, StepState]):
    """The steps of a run with their names, in order of appearance."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps)
        self._steps = steps

    def __iter__(self) -> Iterator[tuple[StepId, StepState]]:
        return self._steps.each()


def _ports(values: Values) -> Ports:
    return tuple([(port, one.labels) for port, one in values.items()])


def _values(ports: Ports, data: tuple[Any, ...]) -> Values:
    return {port: Shown(one, labels) for (port, labels), one in zip(ports, data, strict=True)}
