"""Who answers what a run asks a person: the one at the window, and the one at a terminal."""

import asyncio
from collections.abc import Callable, Mapping

from studio.errors import WaitingError
from studio.ids import StepId
from studio.runtime.people import People
from studio.sdk.context import Form


class FormsOnScreen:
    """Asks the person at the window; the answers come over the protocol."""

    def __init__(self) -> None:
        self._waiting: dict[StepId, asyncio.Future[Mapping[str, object]]] = {}

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait until `answer` is called for `step`."""
        del form
        future: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[step] = future
        try:
            return await future
        finally:
            self._waiting.pop(step, None)

    def answer(self, step: StepId, answer: Mapping[str, object]) -> bool:
        """Give the answer; False when nobody waits for it."""
        future = self._waiting.get(step)
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True


class JointPeople:
    """Asks those `here`, and the person at the window while one is there: the first answer counts.

    Where nobody here can be asked, the window has all the time that it stays; when it leaves, the run ends as
    it would have without it.
    """

    def __init__(self, here: People, answered: Callable[[], None] = lambda: None) -> None:
        """Make it; `answered` is called when it was the window that answered a question."""
        self._here = here
        self._answered = answered
        self._there = FormsOnScreen()
        self._is_alone = asyncio.Event()
        self._is_alone.set()

    def come(self) -> None:
        """Note that a window is there."""
        self._is_alone.clear()

    def leave(self) -> None:
        """Note that it is gone."""
        self._is_alone.set()

    def answer(self, step: StepId, answer: Mapping[str, object]) -> bool:
        """Give what was answered at the window; False when nobody waits for it."""
        return self._there.answer(step, answer)

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait for the first answer; raises `WaitingError` where there is nobody to give one."""
        here, there = self._ask_here(step, form), self._there.ask(step, form)
        asked = [asyncio.ensure_future(one) for one in (here, there)]
        try:
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            first = next(one for one in asked if one.done())
        finally:
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        if first is asked[1]:
            self._answered()
        return first.result()

    async def _ask_here(self, step: StepId, form: Form) -> Mapping[str, object]:
        try:
            return await self._here.ask(step, form)
        except WaitingError:
            await self._is_alone.wait()
            raise
