"""A server on this machine that says what a test wants."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

TURNS = 5
"""Turns of the loop from an accepted socket to the task of its connection."""


@dataclass
class Served:
    """A running server and what it was sent, head and body of each request."""

    port: int
    requests: list[str] = field(default_factory=list[str])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"


@asynccontextmanager
async def serving(answer: Callable[[str], bytes | None]) -> AsyncIterator[Served]:
    """Serve; `answer` is given the path and gives the raw answer, or None to say nothing ever."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = [
            line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-len")
        ]
        served.requests.append(head + (await reader.readexactly(int(lengths[0] if lengths else 0))).decode())
        said = answer(head.split(" ")[1])
        if said is None:
            await reader.read()
        else:
            writer.write(said)

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.append(task)
        try:
            with suppress(asyncio.IncompleteReadError):  # whoever asks may give up before it has asked
                await accept(reader, writer)
        finally:
            # A transport that is left to a closed loop is told of in whatever test runs when it is collected.
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    connections: list[asyncio.Task[None]] = []
    listener = await asyncio.start_server(accepted, "127.0.0.1", 0)
    served = Served(listener.sockets[0].getsockname()[1])
    try:
        yield served
    finally:
        # A socket accepted just now comes to its task in a few turns, unless the server is closed before.
        for _ in range(TURNS):
            await asyncio.sleep(0)
        listener.close()
        await asyncio.gather(*connections)


def page(text: str, status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer."""
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
    body = text.encode()
    return f"HTTP/1.1 {status}\r\n{''.join(lines)}content-length: {len(body)}\r\n\r\n".encode() + body
