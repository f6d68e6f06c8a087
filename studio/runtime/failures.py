"""How steps fail: what unwinds a run, what travels along wires instead, and what is recorded of either.

A failure ends the run unless the step is sheltered: `flow/structure/shelter.py` finds, before the run,
the steps from which every path leads into a catch, a race, or a collect that tolerates failed items.
Theirs travels on: a `Failed` stands at their outputs, and whoever reads it fails unrun, with the step that
the error came from as `origin`. A step with an absent input is skipped even where another input failed.

No retry and no error policy mends a store that failed, a person who is not there, or a limit that is reached.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self, cast

from studio.errors import LimitReachedError, StepError, StepwireError, StoreError, WaitingError
from studio.ids import NodeId, StepId
from studio.runtime.recorder import Recorder
from studio.runtime.values import FLOW, Failed, Value
from studio.trace.events import StepCancelled, StepFailed, StepSkipped, Written

ENDS_THE_RUN = (StoreError, WaitingError, LimitReachedError)
"""What no retry and no error policy mends."""


TOLD = frozenset({"error", "message", "hint"})
"""What an error is told by where it stands as a value."""

DROPPED = "dropped by hand"
"""Why a step, or a chat, did not happen that a person dropped."""

DROPPED_WITHIN = "a chat of it was dropped by hand"
"""Why a step gives nothing, one of whose chats a person dropped."""

ITEMS_DROPPED = "the map was dropped by hand"
"""Why a collect did not happen whose map a person dropped."""


class DroppedStep(Exception):  # noqa: N818  # it is no error: nothing went wrong
    """Comes from the gate in the place of values: `step`, a node's own or a chat, is not to happen."""

    def __init__(self, step: StepId) -> None:
        super().__init__(step)
        self.step = step

    def reason(self, step: StepId) -> str:
        """Why `step` does not happen: it was dropped itself, or something in it."""
        return DROPPED if step == self.step else DROPPED_WITHIN


class StepFailure(Exception):  # noqa: N818  # it carries an error, and is none to be caught by name
    """Unwinds a run, or an item of a map, after a step failed; `error` is why, made from `labels`."""

    def __init__(
        self,
        step: StepId,
        node: NodeId,
        error: Exception,
        labels: frozenset[str] = FLOW,
        origin: StepId | None = None,
    ) -> None:
        super().__init__(step, node, error)
        self.step = step
        self.node = node
        self.error = error
        self.labels = labels
        self.origin = origin or step
        """The step that failed first: further in than `step`, where that calls a flow."""


class ScriptFailure(Exception):  # noqa: N818  # as `StepFailure`
    """Unwinds a run whose steps a script decides; `error` is of the step that `failure` names, or Python's.

    `where` begins the sentence that tells of it, with the file and line; `titles` are what people call the
    nodes of the script.
    """

    def __init__(
        self, error: Exception, failure: StepFailure | None, where: str, titles: Mapping[NodeId, str]
    ) -> None:
        super().__init__(error)
        self.error = error
        self.failure = failure
        self.where = where
        self.titles = titles


class Travelling(Exception):  # noqa: N818  # as `StepFailure`
    """Unwinds a loop or a map into which the failure of one of its steps has travelled."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed)
        self.failed = failed


class Ending:
    """Records how a step ended when it ended badly, and makes its error a `StepFailure`.

    One that a person drops is skipped, and says so by its `DroppedStep`.
    """

    __slots__ = ("_node", "_parent", "_recorder", "_step", "labels", "origin", "writes")

    def __init__(
        self,
        recorder: Recorder,
        step: StepId,
        node: NodeId,
        parent: StepId,
        labels: frozenset[str] = frozenset(),
    ) -> None:
        self._recorder = recorder
        self._step = step
        self._node = node
        self._parent = parent
        self.labels = labels
        """What the step has read so far, and with it what its error is made from."""
        self.origin: StepId | None = None
        """The step of a called flow, or the binding node, that the error comes from."""
        self.writes: Sequence[Written] = ()
        """What the step writes to run variables and memories, should it finish."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self.tell(error)

    def tell(self, error: BaseException) -> None:
        """Record the end; raises `StepFailure` where the error is the step's own."""
        if isinstance(error, asyncio.CancelledError):
            self._recorder.record(StepCancelled(), self._step, self._parent)
        elif isinstance(error, DroppedStep):
            self._recorder.record(StepSkipped(error.reason(self._step)), self._step, self._parent)
        elif isinstance(error, Travelling):
            self._recorder.record(told_again(error.failed), self._step, self._parent)
        elif isinstance(error, StepFailure):
            told = replace(describe(error.error), origin=error.step)
            self._recorder.record(told, self._step, self._parent)
        elif isinstance(error, Exception):
            self._recorder.record(
                replace(describe(error), origin=self.origin or ""), self._step, self._parent
            )
            raise StepFailure(self._step, self._node, error, self.labels or FLOW, self.origin) from error


def describe(error: Exception) -> StepFailed:
    """An error as the trace keeps it: its class, one sentence, and what to do about it."""
    if isinstance(error, StepwireError):
        return StepFailed(type(error).__name__, error.message, error.hint)
    cause = first_cause(error)
    if cause is not error:
        return describe(cause)
    if isinstance(error, DroppedStep):
        return StepFailed("StepError", f"{DROPPED_WITHIN}.".capitalize())
    return StepFailed(type(error).__name__, named(error))


def named(error: BaseException) -> str:
    """The class of an error and what it says, where it can say anything."""
    return f"{type(error).__name__}: {said_by(error)}".rstrip(": ")


def said_by(error: BaseException) -> str:
    """What an error says; an empty text where it cannot even say that."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # whatever went wrong there, the step has failed all the same
        return ""


def undue(error: BaseException) -> BaseException:
    """The error as it is; what would end more than the step that raised it is an error like others.

    Where something was cancelled that a step waited for, nobody stopped that step, and nobody would miss it
    if it ended as if they had. No step may end the process that it runs in either.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is not None and not task.cancelling():
            return StepError("Something that it waited for was cancelled.")
    elif isinstance(error, BaseExceptionGroup) and not isinstance(error, Exception):
        return StepError(named(leaf(cast("BaseExceptionGroup[BaseException]", error))))
    elif isinstance(error, SystemExit | KeyboardInterrupt):
        return StepError(f"It tried to end the run: {named(error)}.")
    return error


def leaf(error: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first ordinary error inside groups of errors, or else the first of all."""
    ordinary = error.subgroup(Exception)
    found: BaseException = ordinary or error
    while isinstance(found, BaseExceptionGroup):
        found = cast("BaseExceptionGroup[BaseException]", found).exceptions[0]
    return found


def told_again(failed: Failed) -> StepFailed:
    """The event of a step that failed unrun, because of another step's error."""
    return replace(describe(failed.error), origin=failed.step)


def travelling(failure: StepFailure) -> Failed:
    """The failure as it travels along wires; raises it again where nothing mends it."""
    if isinstance(failure.error, ENDS_THE_RUN):
        raise failure
    return Failed(failure.error, failure.step, failure.node, failure.labels)


def cause_of(error: Exception, labels: frozenset[str]) -> tuple[Exception, frozenset[str]]:
    """Why a loop or map failed, and what that is made from; raises what no error policy mends."""
    cause = first_cause(error)
    if isinstance(cause, StepFailure):
        cause = Travelling(travelling(cause))
    if isinstance(cause, Travelling):
        return cause.failed.error, cause.failed.labels
    return cause, labels


def told_value(error: Exception, labels: frozenset[str]) -> Value:
    """An error as a value; it may quote anything that the step has read."""
    told = describe(error)
    return Value({"error": told.error, "message": told.message, "hint": told.hint}, labels)


def is_told_failure(data: object) -> bool:
    """Whether a value is what `told_value` makes: an object in the place of an item that failed."""
    return isinstance(data, Mapping) and set(cast("Mapping[str, object]", data)) == set(TOLD)


def first_cause(error: Exception) -> Exception:
    """The first plain error inside groups of errors."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error


def dropped(error: BaseException) -> DroppedStep | None:
    """What was dropped, where that is why something ended; None where it ended otherwise."""
    cause = first_cause(error) if isinstance(error, Exception) else error
    return cause if isinstance(cause, DroppedStep) else None
