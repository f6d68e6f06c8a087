"""A gate in front of another: it puts given values in the place of a step's own."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from studio.flow.calls import node_at
from studio.flow.records import CallingLibrary, Flow, Json
from studio.ids import StepId, step_parts
from studio.runtime.dropping import NOTHING, is_drop, outputs_edited
from studio.runtime.edits import read_edits
from studio.runtime.failures import DROPPED, DroppedStep
from studio.runtime.gate import Gate, OpenGate, Phase, StepRef
from studio.runtime.recorder import Recorder
from studio.runtime.values import Resolved, shown_all
from studio.trace.events import (
    ChatAnswered,
    EmbedAnswered,
    Entry,
    Event,
    InputsEdited,
    OutputsEdited,
    PolicyDecided,
    StepSkipped,
)

Edits: TypeAlias = Mapping[tuple[StepId, Phase], Mapping[str, Json]]
"""Plain values by step, side of its work, and port."""


class EditedGate:
    """Makes the edits, and records them as a person's."""

    is_open = False

    def __init__(
        self, recorder: Recorder, edits: Edits, flow: Flow, library: CallingLibrary, inner: Gate | None = None
    ) -> None:
        self._recorder = recorder
        self._inner = inner or OpenGate()
        self._dropped = frozenset(place for place, values in edits.items() if is_drop(values))
        self._edited: dict[tuple[StepId, Phase], dict[str, Resolved]] = {
            (step, phase): read_edits(flow, library, step, phase, values)
            for (step, phase), values in edits.items()
            if (step, phase) not in self._dropped
        }

    def awaits(self, place: str) -> bool:
        """Every step has to ask: it may be one of those with edits."""
        del place
        return True

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far."""
        return self._inner.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the inputs, some of them edited; raises `DroppedStep` for what was dropped."""
        self._drop(ref, "before")
        edited = self._edited.get((ref.step, "before"))
        if edited is not None:
            self._recorder.record(InputsEdited(shown_all(edited)), ref.step, ref.parent)
            inputs = {**inputs, **edited}
        return await self._inner.before(ref, inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the outputs, some of them edited; raises `DroppedStep` for what was dropped."""
        self._drop(ref, "after")
        edited = self._edited.get((ref.step, "after"))
        if edited is not None:
            self._recorder.record(outputs_edited(edited), ref.step, ref.parent)
            outputs = {**outputs, **edited}
        return await self._inner.after(ref, outputs)

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Give what a person gave in the place of the step's outputs; raises `DroppedStep` as `after`."""
        self._drop(ref, "after")
        edited = self._edited.pop((ref.step, "after"), None)
        if edited is None:
            return await self._inner.failed(ref, error, inputs, is_caught=is_caught)
        self._recorder.record(outputs_edited(edited), ref.step, ref.parent)
        return dict(edited)

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Wait until the decision may take effect."""
        await self._inner.decided(ref, decision)

    def _drop(self, ref: StepRef, phase: Phase) -> None:
        if (ref.step, phase) in self._dropped:
            raise DroppedStep(ref.step)


def edits_of(
    entries: Iterable[Entry], flow: Flow, library: CallingLibrary | None = None
) -> dict[tuple[StepId, Phase], dict[str, Json]]:
    """What a person put in the place of values while a run went on, or left out, by step."""
    edits: dict[tuple[StepId, Phase], dict[str, Json]] = {}
    answered: set[StepId] = set()
    for entry in entries:
        event = entry.event
        if isinstance(event, ChatAnswered | EmbedAnswered):
            answered.add(entry.step)
        found = _edit_of(event)
        if found is None:
            continue
        scope, node, call, _ = step_parts(entry.step)
        is_there = flow.nodes.get(node) if library is None else node_at(flow, library, scope, node)
        if is_there is None and not call:
            continue
        is_after = isinstance(event, OutputsEdited) or entry.step in answered
        edits.setdefault((entry.step, "after" if is_after else "before"), {}).update(found)
    return edits


def _edit_of(event: Event) -> dict[str, Json] | None:
    """What an event says of a person's hand, as edits are given; None where it says nothing of it."""
    match event:
        case InputsEdited() | OutputsEdited():
            found: dict[str, Json] = {name: shown.data for name, shown in event.values.items()}
            if isinstance(event, OutputsEdited) and event.absent:
                found[NOTHING] = list(event.absent)
            return found
        case StepSkipped(reason=reason) if reason == DROPPED:
            return {NOTHING: []}
        case _:
            return None
