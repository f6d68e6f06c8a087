"""A fork at a chat or a call of a tool: its step runs again, what it did before the call still holds."""

from collections.abc import Collection, Sequence

from studio.ids import StepId, step_parts
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.replay.dependence import Dependence, Root
from studio.trace.events import Entry, InputsEdited, OutputsEdited


class CallForks:
    """The calls at which a run is forked.

    `before` are those at which something else is put before the call is made, or that are just done again;
    `after` those that are to have said something else. `others` is where else the fork starts.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        before: Collection[StepId],
        after: Collection[StepId],
        others: Sequence[Root],
        dependence: Dependence,
    ) -> None:
        calls = {*before, *after}
        owners = {owner_of(call) for call in calls}
        self._after = frozenset(after) - frozenset(before)
        self._dependence = dependence
        self._held = frozenset(owner for owner in owners if not dependence.is_touched(owner, others))
        self.roots = [*others, *(Root(owner) for owner in owners)]
        """Where the fork starts, the steps of these calls included."""
        made = made_before(entries, calls)
        self.done = frozenset(call for call in made if owner_of(call) in self._held)
        """The calls whose answers hold although their steps run again."""
        self._inside = edited_before(entries, calls)

    def has_edit(self, step: StepId, phase: Phase) -> bool:
        """Whether an edit that was made in the old run is to be made again."""
        if step in self.done or ((step, phase) in self._inside and _outermost(step) in self._held):
            return True
        if phase == "before" and (
            step in self._held or (step in self._after and owner_of(step) in self._held)
        ):
            return True
        roots = self.roots
        if phase == "before" and not is_call(step):  # it is gone into again, with what it was given then
            roots = [root for root in roots if not _is_around(step, root.step)]
        return not self._dependence.is_touched(owner_of(step), roots)


def is_call(step: StepId) -> bool:
    """Whether it is a call that a step made."""
    return bool(step_parts(step)[2])


def owner_of(step: StepId) -> StepId:
    """Name the step in which a call was made, through whatever tools; what is no call is its own."""
    return StepId(step.partition("#")[0]) if is_call(step) else step


def _outermost(step: StepId) -> StepId:
    """Name the step of the run's own flow inside whose calls a step stands; it may be its own."""
    return StepId(step.partition("#")[0])


def _is_around(step: StepId, inner: StepId) -> bool:
    """Whether a step happens in a round, an item or a called flow of another."""
    return inner.startswith((f"{step}/", f"{step}.", f"{step}@"))


def edited_before(entries: Sequence[Entry], calls: Collection[StepId]) -> frozenset[tuple[StepId, Phase]]:
    """Name the edits of steps that tools had run before the first of `calls` in the same outer step."""
    waiting = {owner_of(call) for call in calls}
    found: set[tuple[StepId, Phase]] = set()
    for entry in entries:
        if entry.step in calls:
            waiting.discard(owner_of(entry.step))
        elif (
            isinstance(entry.event, InputsEdited | OutputsEdited)
            and _outermost(entry.step) in waiting
            and "#" in step_parts(entry.step)[0]
            and not is_call(entry.step)
        ):
            found.add((entry.step, "before" if isinstance(entry.event, InputsEdited) else "after"))
    return frozenset(found)


def made_before(entries: Sequence[Entry], calls: Collection[StepId]) -> frozenset[StepId]:
    """Name the calls that the same steps had begun before the first of `calls` in each."""
    waiting = {owner_of(call) for call in calls}
    found: set[StepId] = set()
    for entry in entries:
        owner = owner_of(entry.step)
        if entry.step in calls:
            waiting.discard(owner)
        elif owner in waiting and is_call(entry.step):
            found.add(entry.step)
    return frozenset(found)
