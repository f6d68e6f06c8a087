"""The child steps of one attempt of a step: their names, their answers in an earlier run, their bad ends."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from studio.ids import NodeId, Scope, StepId, step_id
from studio.runtime.failures import said_by
from studio.runtime.past import error_again
from studio.runtime.recorder import Recorder
from studio.runtime.services import Services
from studio.runtime.step_ref import StepRef
from studio.sdk.tool import Tool
from studio.trace.events import AnswerReused, Event, StepCancelled, StepFailed
from studio.trace.recording import Answer, Request

CALLED_FROM: Final[ContextVar[str]] = ContextVar("CALLED_FROM", default="")
"""The lane of the call of a tool inside which this happens."""


class ChildSteps:
    """What calls of all kinds share."""

    def __init__(
        self,
        services: Services,
        node: NodeId,
        scope: Scope,
        attempt: int,
        labels_of: Callable[[object], frozenset[str]],
        *,
        lane: str | None = None,
        lender_of: Callable[[object], str] = lambda _: "",
    ) -> None:
        """Make them; without a `lane` they are those of a node that lends, made where it is called."""
        self.services = services
        self.recorder = services.recorder
        self.node = node
        self.scope = scope
        self.step = step_id(scope, node)
        self.labels: frozenset[str] = frozenset()
        """Labels of what the calls returned."""
        self.labels_of = labels_of
        """The labels of something that is lent."""
        self._lane = lane
        self._lender_of = lender_of
        self._attempt = attempt
        self._calls: dict[str, int] = {}

    def begin(self, call: str) -> StepId:
        """Name the next call of a kind: `chat`, `embed`, `tool`, `ask`, `code`."""
        number = self._calls[call] = self._calls.get(call, 0) + 1
        return step_id(self.scope, self.node, f"{call}.{number}", self._attempt)

    @property
    def lane(self) -> str:
        """Where the calls stand among what happens one after the other."""
        around = CALLED_FROM.get() if self._lane is None else self._lane
        return f"{around}/{self.node}#" if around else f"{self.node}#"

    def ref(self, step: StepId, call: str, tool: Tool | None = None) -> StepRef:
        """Name a call to the gate."""
        ref = StepRef(step, self.node, self.scope, self.step, self.lane, call=call)
        if tool is None:
            return ref
        return ref._replace(tool=tool.name, lender=self._lender_of(tool), schema=dict(tool.parameters))

    def record(self, event: Event, step: StepId) -> None:
        """Write down that something happened in a child step."""
        self.recorder.record(event, step, self.step)

    def failures(self, step: StepId) -> "Failures":
        """Give what records the bad end of a child step."""
        return Failures(self.recorder, step, self.step)

    async def earlier(self, step: StepId, request: Request) -> Answer | None:
        """Take the answer of an earlier run, where there is one; raises a recorded error again."""
        past = self.services.past
        if past is None:
            return None
        if past.course is not None:
            await past.course.answer(step, self.step)
        kept = past.answer(step, self.recorder.as_written(request))
        if kept is None:
            return None
        self.record(AnswerReused(past.run, kept.step), step)
        if isinstance(kept.answer, StepFailed):
            if past.course is not None:
                await past.course.turn(step, "step_failed")
            raise error_again(kept.answer)
        return kept.answer

    async def count_call(self) -> None:
        """Let the budget look at a call before it is made."""
        if self.services.budget is not None:
            await self.services.budget.call(self.node)


class Failures:
    """Records how a child step ended when it ended badly."""

    def __init__(self, recorder: Recorder, step: StepId, parent: StepId) -> None:
        self._recorder = recorder
        self._step = step
        self._parent = parent

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, asyncio.CancelledError):
            self._recorder.record(StepCancelled(), self._step, self._parent)
        elif error is not None:
            hint = str(getattr(error, "hint", ""))
            message = str(getattr(error, "message", "") or said_by(error))
            self._recorder.record(StepFailed(type(error).__name__, message, hint), self._step, self._parent)
