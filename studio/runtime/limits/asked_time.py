"""For how long a run waited for somebody who was asked."""

import time
from collections.abc import Callable, Mapping

from studio.ids import StepId
from studio.runtime.resources.people import People
from studio.sdk.context import Form


class TimedPeople:
    """Counts the time for which somebody is asked; no time limit of a run counts it."""

    def __init__(self, others: People, clock: Callable[[], float] = time.monotonic) -> None:
        self._others, self._clock = others, clock
        self._asked = 0
        self._since = self._before = 0.0

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Pass the question on."""
        if not self._asked:
            self._since = self._clock()
        self._asked += 1
        try:
            return await self._others.ask(step, form)
        finally:
            self._asked -= 1
            if not self._asked:
                self._before += self._clock() - self._since

    def waited(self) -> float:
        """Seconds for which at least one question was open so far."""
        return self._before + (self._clock() - self._since if self._asked else 0.0)
