"""A gate in front of another: it puts given values in the place of a step's own."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from studio.flow.calls import node_at
from studio.flow.records import CallingLibrary, Flow, Json
from studio.ids import StepId, step_parts
from studio.runtime.edits import read_edits
from studio.runtime.gate import Gate, OpenGate, Phase, StepRef
from studio.runtime.recorder import Recorder
from studio.runtime.values import Resolved, Value, shown_all
from studio.trace.events import Entry, InputsEdited, OutputsEdited

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
        self._edited: dict[tuple[StepId, Phase], dict[str, Value]] = {
            (step, phase): read_edits(flow, library, step, phase, values)
            for (step, phase), values in edits.items()
        }

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far."""
        return self._inner.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the inputs, some of them edited."""
        edited = self._edited.get((ref.step, "before"))
        if edited is not None:
            self._recorder.record(InputsEdited(shown_all(edited)), ref.step, ref.parent)
            inputs = {**inputs, **edited}
        return await self._inner.before(ref, inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Give the outputs, some of them edited."""
        edited = self._edited.get((ref.step, "after"))
        if edited is not None:
            self._recorder.record(OutputsEdited(shown_all(edited)), ref.step, ref.parent)
            outputs = {**outputs, **edited}
        return await self._inner.after(ref, outputs)


def edits_of(
    entries: Iterable[Entry], flow: Flow, library: CallingLibrary | None = None
) -> dict[tuple[StepId, Phase], dict[str, Json]]:
    """The values that a person put into a run while it ran, by step."""
    edits: dict[tuple[StepId, Phase], dict[str, Json]] = {}
    for entry in entries:
        if isinstance(entry.event, InputsEdited | OutputsEdited):
            scope, node, call, _ = step_parts(entry.step)
            is_there = flow.nodes.get(node) if library is None else node_at(flow, library, scope, node)
            if is_there is None and not call:
                continue
            phase: Phase = "before" if isinstance(entry.event, InputsEdited) else "after"
            values = {name: shown.data for name, shown in entry.event.values.items()}
            edits.setdefault((entry.step, phase), {}).update(values)
    return edits
