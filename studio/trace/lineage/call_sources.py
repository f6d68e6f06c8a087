"""What the answers of chats, tools and people were made of, and what these were asked."""

from collections.abc import Iterator

from studio.flow.ports import AFTER, Structure
from studio.trace.conversations.call_groups import asking_chat, tools_told
from studio.trace.events.values import Shown
from studio.trace.fold.state import EMBED, RunState
from studio.trace.fold.steps import StepState
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot, Wired
from studio.trace.lineage.writers import Writers


class CallSources:
    """Answers for the calls of one run."""

    def __init__(self, state: RunState, wired: Wired) -> None:
        self._state = state
        self._wired = wired
        self._writers = Writers(state)

    def of(self, call: StepState, spot: Spot) -> Iterator[Source]:
        """What a call was asked, or answered, was made of."""
        is_answer = spot.side == "output"
        if is_answer and ("input", "answer") in call.origins.edited:
            yield Source(Spot(call.id, "input", "answer"), Beginning.EDIT)
            return
        kind = call.call.partition(".")[0]
        if kind == "tool" and call.tool != EMBED:
            yield from self._of_tool(call, spot)
            return
        if is_answer and call.request is None and call.tool != EMBED:
            yield Source(spot, Beginning.PERSON)
            return
        asked = ("messages", "texts")
        if any(("input", one) in call.origins.edited for one in asked):
            yield Source(Spot(call.id, "input", "messages"), Beginning.EDIT)
        if is_answer:
            yield Source(spot, Beginning.CHAT, call.profile or self._state.profile)
        owner = self._state.steps.get(call.parent)
        if owner is not None:
            yield from (
                Source(Spot(one.id, "output", "answer")) for one in tools_told(self._state, owner, call)
            )
            yield from self._asked_by(owner)

    def _of_tool(self, call: StepState, spot: Spot) -> Iterator[Source]:
        if spot.side == "output":
            yield Source(spot, Beginning.TOOL, call.tool)
            yield Source(Spot(call.id, "input", "arguments"))
            yield from self._writers.recalled(call)
            for child in (self._state.steps[one] for one in call.children):
                if child.call:
                    yield Source(Spot(child.id, "output", "answer"))
                elif self._is_end(child):
                    yield Source(Spot(child.id, "input", "value"))
            return
        owner = self._state.steps.get(call.parent)
        asking = asking_chat(self._state, owner, call) if owner is not None else None
        if asking is not None:
            yield Source(Spot(asking.id, "output", "answer"))
        elif owner is not None:
            yield from self._asked_by(owner)
        else:
            yield Source(spot, Beginning.UNKNOWN)

    def _asked_by(self, owner: StepState) -> Iterator[Source]:
        if owner.call:
            yield Source(Spot(owner.id, "input", "arguments"))
            return
        inputs = [name for name in owner.inputs if name != AFTER]
        yield from (Source(Spot(owner.id, "input", name)) for name in inputs)
        yield from self.shared(owner)
        if not inputs:
            yield Source(Spot(owner.id, "input", ""), Beginning.TYPED, "settings")

    def shared(self, step: StepState) -> Iterator[Source]:
        """What a step read in run variables and memories, by the steps that had written it."""
        return self._writers.shared(step)

    def _is_end(self, step: StepState) -> bool:
        """Whether a step gives what the flow that a tool ran has come to."""
        stand = self._wired.stand(step.id)
        return stand is not None and stand.structure is Structure.FLOW_OUTPUT


def said(call: StepState, spot: Spot) -> Shown | None:
    """The value at a call: its answer, or what was asked."""
    if spot.side == "output":
        return Shown(call.text, labels_said(call))
    if spot.port == "arguments":
        return Shown(call.arguments)
    return call.inputs.get(spot.port)


def labels_said(call: StepState) -> tuple[str, ...]:
    """The labels of what a call answered."""
    if call.call.startswith("chat"):
        return ("chat",)
    return tuple(dict.fromkeys(label for shown in call.outputs.values() for label in shown.labels))
