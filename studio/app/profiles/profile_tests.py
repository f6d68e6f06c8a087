"""Tries what the endpoint of a chat profile can do, with tiny requests, from anywhere and cancellable."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from queue import SimpleQueue

from studio.errors import StepwireError
from studio.llm.client import ChatProfile
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.endpoints.probes import Finding, probe
from studio.llm.endpoints.retry import RetryLimits, RetryPlan
from studio.llm.profiles import Keys, open_client
from studio.workspace.abilities import Abilities
from studio.workspace.chats import book_of
from studio.workspace.project import Project

ONCE = RetryPlan(RetryLimits(attempts=1))
"""Who watches a test asks again himself."""


async def try_profile(
    profile: ChatProfile, project: Project, environ: Mapping[str, str], keys: Keys
) -> AsyncGenerator[Finding]:
    """Give what is found out, one thing after the other; a test that comes to its end is kept.

    Raises `UsageError` where the profile lacks something, before anything is sent.
    """
    async with _opened(profile, project, environ, keys) as client, aclosing(probe(client)) as findings:
        found: list[Finding] = []
        async for finding in findings:
            found.append(finding)
            yield finding
        Abilities.of_user(environ).keep(profile, environ, found)


@asynccontextmanager
async def _opened(
    profile: ChatProfile, project: Project, environ: Mapping[str, str], keys: Keys
) -> AsyncGenerator[OpenAIClient]:
    book = book_of(project, profile)
    client = open_client(profile, environ=environ, book=book, keys=keys, pace=0.0, retries=ONCE)
    try:
        yield client
    finally:
        await client.close()


class BackgroundTest:
    """A test in a thread of its own, for whoever has no event loop to spare; ask it with `poll`."""

    def __init__(
        self, profile: ChatProfile, project: Project, environ: Mapping[str, str], keys: Keys
    ) -> None:
        """Start it."""
        self._subject = profile, project, environ, keys
        self._found: SimpleQueue[Finding] = SimpleQueue()
        self._begun = threading.Event()
        self._cancelled = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self.error: StepwireError | None = None
        """What kept it from asking anything, once it is over."""
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be found."""
        return not self._thread.is_alive()

    def poll(self) -> list[Finding]:
        """Give what was found since the last time."""
        found: list[Finding] = []
        while not self._found.empty():
            found.append(self._found.get())
        return found

    def cancel(self) -> None:
        """Give up what is being asked, and ask no more."""
        self._cancelled.set()
        if self._begun.is_set() and self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # it has come to its end just now
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _work(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._run())

    async def _run(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._begun.set()
        if self._cancelled.is_set():
            return
        try:
            async with aclosing(try_profile(*self._subject)) as findings:
                async for finding in findings:
                    self._found.put(finding)
        except StepwireError as error:
            self.error = error
