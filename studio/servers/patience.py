"""A time limit for answers that does not count the time in which a person is asked meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager


class Patience:
    """Limits each wait to `seconds`; while a person thinks, all of them stand still."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left: dict[asyncio.Timeout, float] = {}
        self._asking = 0

    @asynccontextmanager
    async def limit(self) -> AsyncGenerator[None]:
        """Wait within the limit; raises `TimeoutError` at its end."""
        async with asyncio.timeout(None if self._asking else self.seconds) as limit:
            self._left[limit] = self.seconds
            try:
                yield
            finally:
                del self._left[limit]

    @contextmanager
    def asking(self) -> Generator[None]:
        """Have the limits stand still while a person is asked."""
        now = asyncio.get_running_loop().time
        if not self._asking:
            for limit, end in [(one, one.when()) for one in self._left if not one.expired()]:
                if end is not None:
                    self._left[limit] = end - now()
                    limit.reschedule(None)
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            for limit in [] if self._asking else [one for one in self._left if not one.expired()]:
                limit.reschedule(now() + self._left[limit])
