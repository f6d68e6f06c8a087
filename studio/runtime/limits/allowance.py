"""What a person allows a run that has reached a limit: it is held there until somebody raises it.

In a window a limit ends nothing: the run is held (`budget_reached`) until somebody raises it
(`budget_raised`), or whoever waited there is stopped (`budget_left`). Time in which a run is held, by the
debugger or at a limit, is not spent.
"""

import asyncio
from collections import Counter
from collections.abc import Callable


class Allowance:
    """Keeps steps that came to a limit waiting, until `allow` says how much more there is."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: dict[tuple[str, str], asyncio.Event] = {}
        self._asking: Counter[tuple[str, str]] = Counter()
        """How many steps wait for each."""
        self._allowed: dict[tuple[str, str], float] = {}
        self._since = 0.0
        self._waited = 0.0
        self._is_offered = True

    @property
    def is_offered(self) -> bool:
        """Whether somebody is there to raise a limit; otherwise what reaches one ends there."""
        return self._is_offered

    def offer(self) -> None:
        """Note that somebody is there."""
        self._is_offered = True

    def withdraw(self) -> None:
        """Note that nobody is there any more: what waits at a limit ends there after all."""
        self._is_offered = False
        for (node, limit), waiting in tuple(self._waiting.items()):
            self._allowed.setdefault((node, limit), 0.0)
            self._forget(node, limit)
            waiting.set()

    @property
    def is_holding(self) -> bool:
        """Whether a limit is reached and nobody has raised it yet."""
        return bool(self._waiting)

    def waited(self) -> float:
        """Seconds for which the run was held at its limits so far."""
        return self._waited + (self._clock() - self._since if self._waiting else 0.0)

    def reach(self, node: str, limit: str) -> bool:
        """Note that a limit is reached, of the run where `node` is empty; False where that is known."""
        if (node, limit) in self._waiting:
            return False
        if not self._waiting:
            self._since = self._clock()
        self._waiting[node, limit] = asyncio.Event()
        return True

    def allow(self, node: str, limit: str, amount: float) -> bool:
        """Raise a limit to `amount`; False where nothing waits for that."""
        waiting = self._waiting.get((node, limit))
        if waiting is None:
            return False
        self._allowed[node, limit] = amount
        self._forget(node, limit)
        waiting.set()
        return True

    async def more(self, node: str, limit: str, left: Callable[[], None]) -> float:
        """Wait until the limit is raised; gives the new one.

        `left` is called where the last that waited for it is cancelled: what nobody waits for holds no run.
        """
        waiting = self._waiting.get((node, limit))
        if waiting is not None:
            self._asking[node, limit] += 1
            try:
                await waiting.wait()
            finally:
                self._asking[node, limit] -= 1
                if self._waiting.get((node, limit)) is waiting and not self._asking[node, limit]:
                    self._forget(node, limit)
                    left()
        return self._allowed[node, limit]

    def _forget(self, node: str, limit: str) -> None:
        waited = self.waited()
        del self._waiting[node, limit]
        if not self._waiting:
            self._waited = waited
