"""Who answers what a run asks a person: the one at the window, and the one at a terminal."""

import asyncio
from collections.abc import Callable, Mapping

from studio.errors import WaitingError
from studio.ids import StepId
from studio.runtime.resources.people import People, misfit_of, nobody_here
from studio.sdk.context import Form


class FormsOnScreen:
    """Asks the person at the window; the answers come over the protocol."""

    def __init__(self, run: str = "RUN") -> None:
        self._run = run
        self._waiting: dict[StepId, tuple[Form, asyncio.Future[Mapping[str, object]]]] = {}
        self._is_left = False

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Wait until `answer` is called for `step`; raises `WaitingError` once nobody is there any more."""
        if self._is_left:
            raise nobody_here(self._run, step, form)
        future: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[step] = form, future
        try:
            return await future
        finally:
            self._waiting.pop(step, None)

    def answer(self, step: StepId, answer: Mapping[str, object]) -> bool:
        """Give the answer; False when nobody waits for it, and where it does not fit."""
        form, future = self._waiting.get(step, (None, None))
        if form is None or future is None or future.done() or misfit_of(answer, form.schema):
            return False
        future.set_result(answer)
        return True

    def put_aside(self) -> bool:
        """Leave every question open, for nobody is there any more; False where none waits.

        The run ends with that, and is gone on with once they are answered.
        """
        self._is_left = True
        waiting = [one for one in self._waiting.items() if not one[1][1].done()]
        for step, (form, future) in waiting:
            future.set_exception(nobody_here(self._run, step, form))
        return bool(waiting)


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

    def put_aside(self) -> bool:
        """Leave nothing open: whoever is here goes on answering."""
        return False

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
