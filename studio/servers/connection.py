"""Speaks the Model Context Protocol; the home of `mcp`, which is loaded with the first server.

A connection lives in a task of its own: what the official client opens in one task it has to close there.
"""

import asyncio
import logging
import os
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, Self, TextIO, cast

from studio.errors import ToolError, WaitingError
from studio.extras import missing_library
from studio.servers.answers import text_of, within
from studio.servers.extras import PREFIX, answer_of, extras_of
from studio.servers.patience import Patience
from studio.servers.records import Listening, ServedTool, Server, ServerAddress, ServerCommand
from studio.servers.stray_output import UNREADABLE, readable
from studio.web.broker import Broker, origin_of
from studio.web.keys import with_keys

PAGES = 100
"""How many pages of tools are read."""

TICK = 1.0
"""Seconds from one to the next word of how long a server takes to start."""

SAID = 600
"""Characters of what a server said last that are told."""

NOTES = 5
"""As many lines are noted that a server sends beside the protocol."""


class Mcp(Protocol):
    """As much of the official client as is used here."""

    async def list_tools(self, *, cursor: str | None = None) -> Any:
        """Give one page of tools."""
        ...

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        progress_callback: Any = None,
    ) -> Any:
        """Call one of them."""
        ...


class Connection:
    """One server, started when it is first asked for something. Use as an async context manager."""

    def __init__(
        self, server: Server, listening: Listening, seconds: float, root: Path, environ: Mapping[str, str]
    ) -> None:
        self._server = server
        self._listening = listening
        self._patience = Patience(seconds)
        self._root = root
        self._environ = environ
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._mcp: Mcp | None = None
        self._failure: Exception | None = None
        self._unanswered: WaitingError | None = None
        self._said: TextIO | None = None
        self._words = ""
        self._noted = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._end()

    async def tools(self) -> Sequence[ServedTool]:
        """Name the tools that it lends."""
        found: list[ServedTool] = []
        cursor: str | None = None
        for _ in range(PAGES):
            mcp = await self._connected()
            page = await self._answered(mcp.list_tools(cursor=cursor))
            found += [_served(one) for one in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        return [*found, *extras_of(await self._connected())]

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Call one of them."""

        async def tell(done: float, total: float | None, message: str | None) -> None:
            """Pass on how far it has come."""
            self._listening.on_progress(done, total or 0.0, message or "")

        mcp = await self._connected()
        if tool.startswith(PREFIX):
            return within(str(await self._answered(answer_of(mcp, tool, arguments))))
        result = await self._answered(mcp.call_tool(tool, dict(arguments), progress_callback=tell))
        if self._unanswered is not None:
            error, self._unanswered = self._unanswered, None
            raise error
        text = text_of(result)
        if result.is_error:
            raise ToolError(text or f"`{tool}` failed without giving a reason.")
        return text

    async def _connected(self) -> Mcp:
        if find_spec("mcp") is None:
            message = f"{self._name} can't be asked: `mcp` is not installed."
            raise ToolError(message, hint=missing_library("mcp"))
        async with self._turn:
            if self._mcp is None:
                await self._end()
                self._over, self._failure = asyncio.Event(), None
                ready = asyncio.Event()
                self._task = asyncio.create_task(self._live(ready))
                await self._until(ready, self._task)
            if self._mcp is None:
                if _is_unreadable(self._failure):
                    raise self._unreadable(self._failure)
                message = f"{self._name} could not be reached: {self._failure or 'it ended at once'}."
                raise ToolError(message, hint=self._last_words() or self._slow())
            return self._mcp

    async def _until(self, ready: asyncio.Event, task: asyncio.Task[None]) -> None:
        """Wait until the server is there, for no longer than for an answer, and tell how long that takes."""
        seconds, now = self._patience.seconds, asyncio.get_running_loop().time
        began = now()
        is_told = False
        try:
            async with self._patience.limit():
                while not ready.is_set():
                    with suppress(TimeoutError):
                        async with asyncio.timeout(min(TICK, seconds / 2)):
                            await ready.wait()
                    if not ready.is_set():
                        passed = round(now() - began, 1)
                        self._listening.on_progress(passed, seconds, "starting, in seconds")
                        is_told = True
        except TimeoutError:
            self._failure = TimeoutError(f"it is not there after {seconds:g} seconds")
            task.cancel()
        except asyncio.CancelledError:  # nobody waits for it any more
            task.cancel()
            raise
        if is_told and self._mcp is not None:
            self._listening.on_progress(seconds, seconds, "started")

    async def _live(self, ready: asyncio.Event) -> None:
        """Open, wait until it is no longer wanted, and close, all in this task."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:  # for what it says beside the protocol
            self._said = cast("TextIO", said)
            try:
                async with self._opened(self._said) as self._mcp:
                    ready.set()
                    await self._over.wait()
            except Exception as error:  # noqa: BLE001
                self._failure = _first(error)  # it is told to whoever asks the server
            finally:
                self._words = self._last_words()
                self._said = None
                self._mcp = None
                ready.set()

    @asynccontextmanager
    async def _opened(self, said: TextIO) -> AsyncGenerator[Mcp]:
        from mcp import Client

        _keep_quiet()
        from mcp.client.streamable_http import streamable_http_client

        ask = cast("Any", self._asked)
        if isinstance(self._server, ServerCommand):
            transport = cast("Any", readable(self._started(self._server, said), self._note))
            async with Client(transport, elicitation_callback=ask, cache=None) as client:
                yield cast("Mcp", client)
            return
        server = self._server
        headers = with_keys(dict(server.keys), origin_of(server.url), self._environ)
        async with Broker(self._environ).guarded(server.reach) as http:
            http.headers.update(headers)
            transport = streamable_http_client(server.url, http_client=http)
            async with Client(transport, elicitation_callback=ask, cache=None) as client:
                yield cast("Mcp", client)

    def _started(self, server: ServerCommand, said: TextIO) -> Any:
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        missing = [name for name in server.variables if name not in self._environ]
        if missing:
            raise ToolError(f"The environment variable {missing[0]}, which {self._name} wants, is not set.")
        parameters = StdioServerParameters(
            command=server.command[0],
            args=list(server.command[1:]),
            env={name: self._environ[name] for name in server.variables},
            cwd=str(self._root / server.folder),
            encoding_error_handler="replace",
        )
        return stdio_client(parameters, errlog=said)

    async def _asked(self, _: object, params: Any) -> Any:
        """Pass on what the server asks a person; an address to visit is never opened."""
        import mcp_types

        if params.mode != "form":
            return mcp_types.ElicitResult(action="decline")
        try:
            with self._patience.asking():
                answer = await self._listening.on_ask(params.message, dict(params.requested_schema))
        except WaitingError as error:  # it ends the run, and cannot travel through the protocol
            self._unanswered = error
            return mcp_types.ElicitResult(action="cancel")
        if answer is None:
            return mcp_types.ElicitResult(action="decline")
        return mcp_types.ElicitResult(action="accept", content=cast("Any", dict(answer)))

    async def _answered(self, answer: Any) -> Any:
        """Wait for an answer of the server, and say its errors in words."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED
        from pydantic import ValidationError

        try:
            async with self._patience.limit():
                return await answer
        except TimeoutError as error:
            message = f"{self._name} did not answer within {self._patience.seconds:g} seconds."
            raise ToolError(message, hint=self._last_words()) from error
        except MCPError as error:
            if _is_unreadable(error):
                raise self._unreadable(error) from error
            if error.code != CONNECTION_CLOSED:
                raise ToolError(f"{self._name}: {error.message}") from error
            self._mcp = None  # the next call starts it anew
            raise ToolError(f"{self._name} ended.", hint=self._last_words()) from error
        except ValidationError as error:
            raise ToolError(f"{self._name} violates the protocol.") from error

    def _note(self, line: str) -> None:
        """Note a line that is no message; a server that sends many would fill the run with them."""
        self._noted += 1
        if self._noted <= NOTES:
            self._listening.on_note(f"{self._name} sent a line that is not a message: {line}")

    def _unreadable(self, error: Exception | None) -> ToolError:
        return ToolError(f"{self._name} sent something that is not an answer.", hint=str(error))

    def _slow(self) -> str:
        """What helps where nothing but the time was over."""
        slow = isinstance(self._failure, TimeoutError)
        return "If it needs longer to start, raise the timeout in the settings." if slow else ""

    async def _end(self) -> None:
        self._over.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait([task])

    @property
    def _name(self) -> str:
        if isinstance(self._server, ServerAddress):
            return f"The server at `{self._server.url}`"
        return f"The server `{' '.join(self._server.command)}`"

    def _last_words(self) -> str:
        """What the server said last beside the protocol, usually why it ended."""
        if self._said is None:
            return self._words
        self._said.flush()
        self._said.seek(0)
        said = self._said.read()[-SAID:].strip()
        return f"Its last output was: {said}" if said else ""


class McpServers:
    """Implements `Servers`; commands are started below `root`."""

    def __init__(self, root: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._root = root
        self._environ = environ

    def open(self, server: Server, listening: Listening, seconds: float) -> Connection:
        """Give a server that is not started yet."""
        return Connection(server, listening, seconds, self._root, self._environ)


def _served(tool: Any) -> ServedTool:
    hints = tool.annotations
    return ServedTool(
        tool.name,
        tool.description or tool.title or "",
        dict(tool.input_schema),
        bool(hints is not None and hints.read_only_hint),
    )


def _first(error: BaseException) -> Exception:
    """The first of all that went wrong; task groups wrap it."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseException", error.exceptions[0])
    return error if isinstance(error, Exception) else RuntimeError(type(error).__name__)


def _is_unreadable(error: Exception | None) -> bool:
    """Whether an error tells of an answer that could not be read."""
    from mcp import MCPError
    from mcp_types import PARSE_ERROR

    # A server may answer with that code too, should it be what cannot read.
    return isinstance(error, MCPError) and error.code == PARSE_ERROR and error.message.startswith(UNREADABLE)


def _keep_quiet() -> None:
    """Keep the official client's log from the screen; what goes wrong is told to whoever asked."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
