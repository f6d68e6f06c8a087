"""The scripted endpoint over HTTP on this machine, for anything that speaks the OpenAI protocol."""

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

import h11

from studio.errors import UsageError
from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.response_parts import Cut, CutOffError, Served, play
from studio.llm.scripted_answers.script_book import ScriptBook

READ_SIZE = 1 << 16
LARGEST_BODY = 64 << 20
CLOSING = 1.0
"""Seconds that connections have to end once the server closes."""


async def serve(
    book: ScriptBook,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Sequence[str] = (),
    pace: float = 1.0,
    cache: int = 0,
) -> "Server":
    """Start to serve; port 0 takes a free one. Raises `UsageError` when the port is taken."""
    server = Server(ScriptedEndpoint(book, faults=faults, pace=pace, cache=cache), host)
    try:
        await server.start(port)
    except OSError as error:
        message = f"Port {port} on {host} can't be used: {error.strerror or error}."
        raise UsageError(message, hint="Choose another port, or 0 for a free one.") from error
    return server


class Server:
    """A running answer server; `close` ends it and every connection."""

    def __init__(self, endpoint: ScriptedEndpoint, host: str) -> None:
        self._endpoint = endpoint
        self._host = host
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._busy = asyncio.Event()
        self.port = 0

    @property
    def base_url(self) -> str:
        """What clients take as their base URL."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}/v1"

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._connections)

    async def start(self, port: int) -> None:
        """Listen; `serve` calls it."""
        self._listener = await asyncio.start_server(self._accept, self._host, port)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def wait_busy(self) -> None:
        """Wait until the first request is being answered."""
        await self._busy.wait()

    async def wait_idle(self) -> None:
        """Wait until every connection that is open now has ended."""
        if self._connections:
            await asyncio.wait(self._connections)

    async def close(self) -> None:
        """Stop listening and end all connections."""
        if self._listener is not None:
            self._listener.close()
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=CLOSING)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The task belongs to asyncio's server, which neither keeps nor ends it.
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # this is a coroutine
        self._connections.add(task)
        try:
            with suppress(ConnectionError, h11.ProtocolError, asyncio.CancelledError):
                await _Connection(self._endpoint, reader, writer, self._busy).run()
        finally:
            self._connections.discard(task)
            writer.close()


class _Connection:
    """One connection: requests one after the other, until either side has enough."""

    def __init__(
        self,
        endpoint: ScriptedEndpoint,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        busy: asyncio.Event,
    ) -> None:
        self._busy = busy
        self._endpoint = endpoint
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)

    async def run(self) -> None:
        """Serve requests until the connection ends."""
        while (request := await self._next_event()) is not None:
            if not isinstance(request, h11.Request):
                return
            served = await self._read_and_handle(request)
            if served is None or not await self._watched(served):
                return
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _next_event(self) -> h11.Event | None:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(READ_SIZE))
            elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
                return None
            elif isinstance(event, h11.Event):
                return event

    async def _read_and_handle(self, request: h11.Request) -> Served | None:
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > LARGEST_BODY:
                return None
        if event is None:
            return None
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers}
        path = request.target.decode("latin-1")
        return self._endpoint.handle(request.method.decode("ascii"), path, headers, bytes(body))

    async def _watched(self, served: Served) -> bool:
        """Play the response unless the caller goes away; tells whether the connection may be used again."""
        self._busy.set()
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(self._play(served))
            watching = group.create_task(self._watch(playing))
            await asyncio.wait({playing})
            watching.cancel()
        return not playing.cancelled() and playing.result()

    async def _watch(self, playing: asyncio.Task[bool]) -> None:
        """Cancel `playing` when the caller closes; what it sends early is kept for the next request."""
        with suppress(ConnectionError):
            while received := await self._reader.read(READ_SIZE):
                self._http.receive_data(received)
        playing.cancel()

    async def _play(self, served: Served) -> bool:
        try:
            has_head = False
            async for received in play(served.pieces, self._endpoint.pace):
                if not has_head:
                    await self._send_head(served)
                    has_head = True
                await self._send(h11.Data(data=received))
            await self._send(h11.EndOfMessage())
        except CutOffError as error:
            if error.cut is Cut.RESET:
                self._reset()
            return False
        except ConnectionError:
            return False
        return True

    def _reset(self) -> None:
        """End the connection with a reset; without lingering, the system does not say goodbye."""
        connection = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _send_head(self, served: Served) -> None:
        await self._send(h11.Response(status_code=served.status, headers=list(served.headers.items())))

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()
