"""A gate in front of another: it puts given values in the place of a step's own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from studio.flow.records import CallingLibrary, Flow, Json
from studio.flow.subflows.calls import node_at
from studio.ids import StepId, step_parts
from studio.runtime.failures import DROPPED, DroppedStep
from studio.runtime.gates.attention import EVERYBODY, Asked
from studio.runtime.gates.breakpoints import CATCH
from studio.runtime.gates.debug_gate import Gate, OpenGate, Phase, StepRef
from studio.runtime.gates.drops import AT_ERROR, NOTHING, added, is_drop, outputs_edited, sent_again
from studio.runtime.gates.value_edits import read_edits
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
    StepHeld,
    StepRetried,
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
        self._at_error = {place[0]: values[AT_ERROR] for place, values in edits.items() if AT_ERROR in values}
        self._errors: Counter[StepId] = Counter()
        self._edited: dict[tuple[StepId, Phase], dict[str, Resolved]] = {
            (step, phase): read_edits(flow, library, step, phase, values)
            for (step, phase), values in edits.items()
            if (step, phase) not in self._dropped
        }

    def asked(self, flow: str = "") -> Asked:
        """Every step has to ask: it may be one of those with edits."""
        del flow
        return Asked(EVERYBODY)

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
            edited = sent_again(edited, outputs)
            self._recorder.record(outputs_edited(edited), ref.step, ref.parent)
            outputs = {**outputs, **edited}
        return await self._inner.after(ref, outputs)

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Give what a person gave in the place of the step's outputs; raises `DroppedStep` as `after`."""
        self._errors[ref.step] += 1
        edited: dict[str, Resolved] | None = None
        if self._at_error.get(ref.step) in {None, self._errors[ref.step]}:
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
    deeds = _Deeds()
    for entry in entries:
        deeds.note(entry)
        found = _edit_of(entry.event)
        if found is None:
            continue
        step, call = entry.step, step_parts(entry.step)[2]
        if call.startswith("policy."):  # in another run nothing may have to be decided there
            step, call = entry.parent, step_parts(entry.parent)[2]
        scope, node, _, _ = step_parts(step)
        is_there = flow.nodes.get(node) if library is None else node_at(flow, library, scope, node)
        if is_there is None and not call:
            continue
        phase = deeds.phase(entry, call)
        if phase == "after" and not call and step in deeds.held:
            found[AT_ERROR] = deeds.errors[step] + 1 if step in deeds.at_error else 0
        edits[step, phase] = added(edits.get((step, phase), {}), found)
    return edits


class _Deeds:
    """What has happened so far in a run in which a person did something."""

    def __init__(self) -> None:
        self.held: set[StepId] = set()
        self.at_error: set[StepId] = set()
        """The steps that were last held for their errors."""
        self.errors: Counter[StepId] = Counter()
        """How many errors of a step were mended by another attempt."""
        self._answered: set[StepId] = set()

    def note(self, entry: Entry) -> None:
        match entry.event:
            case ChatAnswered() | EmbedAnswered():
                self._answered.add(entry.step)
            case StepRetried():
                self.errors[entry.step] += 1
            case StepHeld() as held:
                self.held.add(entry.step)
                is_error = held.reason == "error" or held.breakpoint.startswith(f"{CATCH}error")
                (self.at_error.add if is_error else self.at_error.discard)(entry.step)
            case _:
                pass

    def phase(self, entry: Entry, call: str) -> Phase:
        """Whether what a person did just now was done before or after the work of a step, or call."""
        is_drop_at_error = not call and entry.step in self.at_error and isinstance(entry.event, StepSkipped)
        is_after = isinstance(entry.event, OutputsEdited) or entry.step in self._answered
        return "after" if is_after or is_drop_at_error else "before"


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
