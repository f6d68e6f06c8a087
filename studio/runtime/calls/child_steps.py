"""The child steps of one attempt of a step: their names, their answers in an earlier run, their bad ends."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from studio.ids import NodeId, Scope, StepId, step_id, step_parts
from studio.runtime.calls.call_place import UNDER_WAY, Home, Place
from studio.runtime.failures import dropped, said_by
from studio.runtime.gates.step_ref import StepRef
from studio.runtime.limits.budget import Budget
from studio.runtime.recorder import Recorder
from studio.runtime.replay.past import error_again
from studio.runtime.services import Services
from studio.sdk.tool import Tool
from studio.trace.events import AnswerReused, Event, StepCancelled, StepFailed, StepSkipped
from studio.trace.recording import Answer, Request


@dataclass(slots=True)
class _Branch:
    """One of several things that a step does at once, and the labels of what it has read so far."""

    children: "ChildSteps"
    place: Place | None
    read: frozenset[str]

    def is_of(self, children: "ChildSteps", place: Place | None) -> bool:
        return self.children is children and self.place is place


_BRANCH: ContextVar[_Branch | None] = ContextVar("a branch of a step", default=None)


class ChildSteps:
    """What calls of all kinds share.

    What a node does that lends something, it does for whoever called its tool: it stands inside that call,
    which is its parent, and is paid for by the caller as well.
    """

    __slots__ = (
        "_attempt",
        "_calls",
        "_home",
        "_lane",
        "_lender_of",
        "labels_of",
        "node",
        "own_labels",
        "recorder",
        "scope",
        "services",
        "step",
    )

    def __init__(
        self,
        services: Services,
        node: NodeId,
        scope: Scope,
        attempt: int,
        labels_of: Callable[[object], frozenset[str]],
        *,
        lane: str = "",
        lender_of: Callable[[object], str] = lambda _: "",
        home: Home | None = None,
    ) -> None:
        """Make them; without a home they are those of a node that lends, made where its tool is called."""
        self.services = services
        self.recorder = services.recorder
        self.node = node
        self.scope = scope
        self.step = step_id(scope, node)
        self.own_labels: frozenset[str] = frozenset()
        """Labels of what was read outside of calls of what is lent: by a step, or by what opened to lend."""
        self.labels_of = labels_of
        """The labels of something that is lent."""
        self._lane = lane
        self._lender_of = lender_of
        self._attempt = attempt
        self._calls: dict[str, int] = {}
        self._home = home

    @property
    def place(self) -> Place | None:
        """The call of a tool in which all this happens; None for steps."""
        return UNDER_WAY.get() if self._home is None else None

    @property
    def labels(self) -> frozenset[str]:
        """Labels of what was read so far: what lends reads for the call that it is in, and for no other."""
        place = self.place
        return self.own_labels if place is None else place.labels

    def take_in(self, labels: frozenset[str]) -> None:
        """Note that something with these labels was read."""
        place, branch = self.place, _BRANCH.get()
        if place is None:
            self.own_labels |= labels
        else:
            place.labels |= labels
        if branch is not None and branch.is_of(self, place):
            branch.read |= labels

    @property
    def read(self) -> frozenset[str]:
        """Labels of all that a call which is made now may have been made from."""
        place, branch = self.place, _BRANCH.get()
        if branch is not None and branch.is_of(self, place):
            return branch.read
        if place is not None:
            return self.own_labels | place.labels | place.given
        return self.own_labels if self._home is None else self.own_labels | self._home.read()

    def branch(self) -> Callable[[], None]:
        """Give what is called first in each of several branches: what one reads, the others have not."""
        place, read = self.place, self.read

        def begin() -> None:
            _BRANCH.set(_Branch(self, place, read))

        return begin

    @property
    def parent(self) -> StepId:
        """The step inside which the calls happen."""
        place = self.place
        return self.step if place is None else place.step

    @property
    def budget(self) -> Budget | None:
        """What pays for the calls."""
        return (self.place or self).services.budget

    def begin(self, call: str) -> StepId:
        """Name the next call of a kind: `chat`, `embed`, `tool`, `ask`, `code`."""
        place = self.place
        calls = self._calls if place is None else place.calls_of(self.node)
        number = calls[call] = calls.get(call, 0) + 1
        scope = self.scope if place is None else place.scope
        return step_id(scope, self.node, f"{call}.{number}", self._attempt)

    def place_of(self, step: StepId, read: frozenset[str]) -> Place | None:
        """Say where a tool is called, for what is done in it; None where nobody calls, but a node lends.

        `read` has the labels of what the call was made from, and nothing of what came meanwhile.
        """
        outer = self.place
        home = self._home if outer is None else outer.home
        if home is None:
            return None
        budget = self.budget
        paid = self.services if budget is None else replace(self.services, budget=budget.around(self.node))
        return Place(step, home, paid, f"{self.lane}/{step_parts(step)[2]}", read)

    @property
    def lane(self) -> str:
        """Where the calls stand among what happens one after the other."""
        place = self.place
        around = self._lane if place is None else place.lane
        return f"{around}/{self.node}#" if around else f"{self.node}#"

    def ref(self, step: StepId, call: str, tool: Tool | None = None) -> StepRef:
        """Name a call to the gate."""
        ref = StepRef(step, self.node, step_parts(step)[0], self.parent, self.lane, call=call)
        if tool is None:
            return ref
        lender = self._lender_of(tool) or self._lender_of(tool.of)
        return ref._replace(tool=tool.name, lender=lender, schema=dict(tool.parameters))

    def record(self, event: Event, step: StepId) -> None:
        """Write down that something happened in a child step."""
        self.recorder.record(event, step, self.parent)

    async def request(self, asked: Request, step: StepId) -> None:
        """Write down what is asked; a replay waits where a call was stopped while it was held before that."""
        past = self.services.past
        if past is not None and past.course is not None:
            with self.failures(step):
                await past.course.request(step, self.parent, asked.kind)
        self.record(asked, step)

    async def answered(self, answer: Answer, step: StepId) -> None:
        """Write down what was answered; a replay waits where a call was stopped while it was held then."""
        self.record(answer, step)
        past = self.services.past
        if past is not None and past.course is not None:
            with self.failures(step):
                await past.course.answer(step, self.parent)

    def failures(self, step: StepId) -> "Failures":
        """Give what records the bad end of a child step."""
        return Failures(self.recorder, step, self.parent)

    async def earlier(self, step: StepId, request: Request) -> Answer | None:
        """Take the answer of an earlier run, where there is one; raises a recorded error again."""
        past = self.services.past
        if past is None:
            return None
        if past.course is not None:
            await past.course.answer(step, self.parent)
        kept = past.answer(step, self.recorder.as_written(request))
        if kept is None:
            return None
        self.record(AnswerReused(past.run, kept.step), step)
        for told in kept.before:
            self.record(told, step)
        if isinstance(kept.answer, StepFailed):
            if past.course is not None:
                await past.course.turn(step, "step_failed")
            raise error_again(kept.answer)
        return kept.answer

    async def count_call(self) -> None:
        """Let the budget look at a call before it is made."""
        if self.budget is not None:
            await self.budget.call(self.node)


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
        elif error is not None and (out := dropped(error)) is not None:
            self._recorder.record(StepSkipped(out.reason(self._step)), self._step, self._parent)
        elif error is not None:
            hint = str(getattr(error, "hint", ""))
            message = str(getattr(error, "message", "") or said_by(error))
            self._recorder.record(StepFailed(type(error).__name__, message, hint), self._step, self._parent)
