"""Single steps, rounds and items that a person cancels, while the rest of the run goes on.

What is cancelled fails with a `CancelledStepError` and follows its error policy, without being tried again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from studio.errors import CancelledStepError
from studio.ids import Scope, StepId, step_id, step_parts

T = TypeVar("T")


class Stops:
    """What of a run is waiting for something now, and can be cancelled; belongs to the run's event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Wait] = {}
        self.tell: Callable[[str], None] = lambda _: None
        """Told what is cancelled, before it is."""

    async def watch(self, name: StepId | Scope, work: Awaitable[T]) -> T:
        """Do the work of a step or of a whole scope; raises `CancelledStepError` when it is cancelled."""
        with self.within(name):
            return await work

    def within(self, name: StepId | Scope) -> AbstractContextManager[None]:
        """As `watch`, for what is awaited in the block: one coroutine less where there are thousands."""
        return _Wait(self._waiting, name)

    def cancel(self, name: str) -> bool:
        """Cancel a step, or all that goes on in a scope such as `rounds.2`; False when nothing of it does.

        What is cancelled fails with a `CancelledStepError`, and follows its error policy.
        """
        scope, node, _, _ = step_parts(StepId(name))
        own = self._waiting.get(name) or self._waiting.get(step_id(scope, node))
        found = (
            [own]
            if own is not None
            else [wait for step, wait in self._waiting.items() if step.startswith(f"{name}/")]
        )
        if found:
            self.tell(name)
        for wait in found:
            wait.cancel()
        return bool(found)


class _Wait:
    """A block that can be cut short, as one of `asyncio.timeout` would be."""

    __slots__ = ("_before", "_is_cancelled", "_name", "_task", "_waiting")

    def __init__(self, waiting: dict[str, "_Wait"], name: str) -> None:
        self._waiting = waiting
        self._name = name
        self._is_cancelled = False
        self._task = asyncio.current_task()
        self._before = self._task.cancelling() if self._task is not None else 0

    def __enter__(self) -> None:
        self._waiting[self._name] = self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Take the cancelling back; raises `CancelledStepError` where it is what ended the work."""
        self._waiting.pop(self._name, None)
        # Who cancels the whole run meanwhile means this step as well, and more than it.
        if not self._is_cancelled or self._task is None or self._task.uncancel() > self._before:
            return
        if isinstance(error, asyncio.CancelledError):
            message = "It was cancelled by hand."
            hint = "With an error policy or a catch, the run continues without it."
            raise CancelledStepError(message, hint=hint) from None

    def cancel(self) -> None:
        if not self._is_cancelled and self._task is not None:
            self._is_cancelled = True
            self._task.cancel()
