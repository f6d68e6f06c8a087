"""What a condition sees at the gate: the values that pass there, where, and what the run has spent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from studio.ids import StepId
from studio.llm.client import Message
from studio.runtime.gates.step_ref import Phase, StepRef
from studio.runtime.recorder import Recorder
from studio.runtime.values import Resolved, Value
from studio.sdk.values import to_plain

NO_VALUES: Mapping[str, Resolved] = {}


@dataclass(frozen=True, slots=True)
class Moment:
    """A step or call at the gate, with `values`; `said` has what a catch names beside them.

    `inputs` is what it has read, where it stands at the gate after its work.
    """

    ref: StepRef
    phase: Phase
    recorder: Recorder
    values: Mapping[str, Resolved] = field(default_factory=dict[str, Resolved])
    inputs: Mapping[str, Resolved] = field(default_factory=dict[str, Resolved])
    said: Mapping[str, object] = field(default_factory=dict[str, object])

    def named(self, names: frozenset[str]) -> dict[str, object]:
        """The plain values of these names; None for what is not there."""
        return {name: self._value(name) for name in names}

    def _value(self, name: str) -> object:  # an arm for each name
        if name in self.said:
            return self.said[name]
        if name in self.values:
            return plain(self.values[name])
        if name in self.inputs:
            return plain(self.inputs[name])
        give = _KNOWN.get(name)
        return None if give is None else give(self)

    def text(self) -> str | None:
        """The last message that is asked, or what is answered; None for steps, which have their ports."""
        if not self.ref.call:
            return None
        found = self.values.get("answer") or self.values.get("messages")
        data: object = found.data if isinstance(found, Value) else ""
        messages = cast("list[object]", data) if isinstance(data, list) else [data]
        return text_of(messages[-1]) if messages else ""

    def read(self) -> dict[str, object]:
        """What the step reads, or has read."""
        return plain_all(self.values if self.phase == "before" else self.inputs)

    def given(self) -> dict[str, object]:
        """What the step gave; nothing before its work."""
        return plain_all(self.values if self.phase == "after" else {})

    def tokens(self, here: str = "") -> int:
        """Tokens that `here` has used, or the run."""
        return sum(tokens for step, (tokens, _) in self.recorder.spent.items() if is_within(step, here))

    def cost(self, here: str = "") -> float:
        """US dollars that `here` has cost, or the run."""
        return sum(cost for step, (_, cost) in self.recorder.spent.items() if is_within(step, here))


_KNOWN: Final[Mapping[str, Callable[[Moment], object]]] = {
    "inputs": Moment.read,
    "outputs": Moment.given,
    "text": Moment.text,
    "tool": lambda moment: moment.ref.tool,
    "round": lambda moment: place_numbers(moment.ref)[0],
    "item": lambda moment: place_numbers(moment.ref)[1],
    "tokens": lambda moment: moment.tokens(moment.ref.step),
    "cost": lambda moment: moment.cost(moment.ref.step),
    "run_tokens": Moment.tokens,
    "run_cost": Moment.cost,
    "node": lambda moment: str(moment.ref.node),
    "step": lambda moment: str(moment.ref.step),
}


def plain(value: Resolved) -> object:
    """A value as conditions see it; None for one that is absent or has failed."""
    return to_plain(value.data) if isinstance(value, Value) else None


def text_of(data: object) -> str:
    """The words of a message, or of an answer that is text."""
    return data.content if isinstance(data, Message) else data if isinstance(data, str) else ""


def is_within(step: StepId, outer: str) -> bool:
    """Whether a call is `outer`, or happens in it; all do in the run, which is empty."""
    return not outer or step == outer or step.startswith((f"{outer}#", f"{outer}.", f"{outer}/", f"{outer}@"))


def place_numbers(ref: StepRef) -> tuple[int | None, int | None]:
    """The round and the item in which a step stands, each of the innermost; None where there is none.

    The lane of a step has its scope's items, and its loops without their rounds.
    """
    lane = ref.lane.split("/")[: -1 if ref.call else None]
    found: list[int | None] = [None, None]
    for segment in reversed(ref.scope.split("/")):
        beside = lane.pop() if lane else ""
        if "#" in segment:  # the call of a tool has two segments in a lane
            beside = lane.pop() if lane else ""
            continue
        number = segment.rpartition(".")[2]
        if not number.isdecimal():
            continue
        which = 1 if segment == beside else 0
        if found[which] is None:
            found[which] = int(number)
    return found[0], found[1]


def plain_all(values: Mapping[str, Resolved]) -> dict[str, object]:
    """Those that are there, as conditions see them."""
    return {name: plain(value) for name, value in values.items() if isinstance(value, Value)}
