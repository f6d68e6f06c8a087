"""A socket at which others of the same user come to a run of this process.

Made with every run, so it has to be cheap. What speaks there is loaded when somebody comes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.errors import HostError
from studio.host.sockets import has_sockets, is_same_user, make_socket

VISIT = "studio.host.visit"

Receive = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection until it is over; cancelled when the run is."""


class Doorway:
    """Open while it is entered; nobody comes where no safe socket can be made, or nothing keeps the run."""

    def __init__(self, run_file: Path | None, environ: Mapping[str, str], receive: Receive) -> None:
        self._run_file = run_file
        self._environ = environ
        self._receive = receive
        self._visits: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._path: Path | None = None

    async def __aenter__(self) -> Self:
        if has_sockets() and self._run_file is not None:
            with suppress(HostError, OSError):  # nor may a lack of sockets end the run
                listening, self._path = make_socket(self._run_file, self._environ)
                self._server = await asyncio.start_unix_server(self._come, sock=listening)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        for visit in self._visits:
            visit.cancel()
        if self._visits:
            await asyncio.wait(self._visits)

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or not is_same_user(writer.get_extra_info("socket")):
            writer.close()
            return
        self._visits.add(task)
        try:
            await asyncio.to_thread(import_module, VISIT)
            await self._receive(reader, writer)
        finally:
            self._visits.discard(task)
            writer.close()
