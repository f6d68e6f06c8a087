"""Sends what flows ask of the network; with the chat clients, the home of `httpx2`.

A name is resolved once, every address is looked at, and the connection goes to the very address that was
looked at; so what a name means can't change in between. Each redirect is a request like the first. Proxies of
the environment are not used, for they would connect to whatever they are told.
"""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urljoin

import httpx2

from studio.errors import ToolError
from studio.web.addresses import USUAL_PORTS, is_allowed, refuse_address
from studio.web.keys import with_keys
from studio.web.request import Reach, WebAnswer, WebRequest

REDIRECTS = 5
"""How often an answer may send a request elsewhere."""

BECOMES_GET = {301, 302, 303}
"""After these a request that sends something becomes one that asks, as browsers have it (RFC 9110, 15.4)."""


async def addresses_of(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class Broker:
    """Implements `Web`; keys are taken from `environ`."""

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        resolve: Callable[[str, int], Awaitable[Sequence[str]]] = addresses_of,
    ) -> None:
        self._environ = environ
        self._resolve = resolve

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send it, and wait for the answer, whatever its status; raises `ToolError` where there is none."""
        try:
            async with asyncio.timeout(request.seconds), self.guarded(request.reach) as http:
                return await self._follow(http, request)
        except TimeoutError as error:
            message = f"`{request.url}` did not answer within {request.seconds:g} seconds."
            raise ToolError(message) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            message = f"`{request.url}` could not be reached: {str(error) or type(error).__name__}."
            raise ToolError(message) from error

    @asynccontextmanager
    async def guarded(self, reach: Reach) -> AsyncGenerator[httpx2.AsyncClient]:
        """Open a client that goes no further than `reach`, whatever it is asked."""
        guard = GuardedTransport(reach, self._resolve)
        # Time limits stand around requests as a whole.
        async with httpx2.AsyncClient(transport=guard, trust_env=False, timeout=None) as http:
            yield http

    async def _follow(self, http: httpx2.AsyncClient, request: WebRequest) -> WebAnswer:
        url, method, body = request.url, request.method, request.body
        headers: Mapping[str, str] = request.headers
        keys: Mapping[str, str] = request.keys
        for _ in range(REDIRECTS + 1):
            origin = origin_of(url)
            sent = {**headers, **with_keys(keys, origin, self._environ), "accept-encoding": "identity"}
            async with http.stream(method, url, headers=sent, content=body or None) as response:
                target = response.headers.get("location", "")
                if not (response.is_redirect and target):
                    return await _answer(response, url, request.most)
            if response.status_code in BECOMES_GET and method not in {"GET", "HEAD"}:
                method, body = "GET", b""
            url = urljoin(url, target)
            if origin_of(url) != origin:
                keys = {}
        raise ToolError(f"`{request.url}` redirects more than {REDIRECTS} times.")


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Connects to addresses within its reach, and to nothing else."""

    def __init__(self, reach: Reach, resolve: Callable[[str, int], Awaitable[Sequence[str]]]) -> None:
        self._reach = reach
        self._resolve = resolve
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Look at where the request goes, and send it to that address."""
        url = request.url
        host = url.raw_host.decode("ascii")
        port = url.port or USUAL_PORTS.get(url.scheme, 0)
        if url.scheme not in USUAL_PORTS or url.userinfo:
            raise ToolError(f"`{url}` is not a plain web address.")
        if not is_allowed(url.scheme, host, port, self._reach.hosts):
            place = host if port == USUAL_PORTS[url.scheme] else f"{host}:{port}"
            raise ToolError(f"`{place}` is not one of the allowed hosts.")
        failure: Exception | None = None
        for address in await self._resolve(host, port):
            refuse_address(address, host, is_private=self._reach.is_private)
            sent = httpx2.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,  # the name of the host is among them
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            try:
                return await self._inner.handle_async_request(sent)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        raise failure or httpx2.ConnectError(f"`{host}` has no address")

    async def aclose(self) -> None:
        """Release its connections."""
        await self._inner.aclose()


def origin_of(url: str) -> str:
    """The scheme, host and port of an address; raises `ToolError` for what is none."""
    try:
        read = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ToolError(f"`{url}` is not an address: {error}.") from error
    port = "" if read.port is None else f":{read.port}"
    host = read.raw_host.decode("ascii")
    return f"{read.scheme}://{f'[{host}]' if ':' in host else host}{port}"


async def _answer(response: httpx2.Response, url: str, most: int) -> WebAnswer:
    if response.headers.get("content-encoding", "identity") != "identity":  # it may unfold without end
        raise ToolError(f"`{url}` answers packed, though it was asked not to.")
    read = bytearray()
    async for piece in response.aiter_raw():
        read += piece
        if len(read) > most:
            break
    try:
        text = bytes(read[:most]).decode(response.charset_encoding or "utf-8", "replace")
    except LookupError:
        text = bytes(read[:most]).decode("utf-8", "replace")
    return WebAnswer(response.status_code, url, dict(response.headers), text, len(read) > most)
