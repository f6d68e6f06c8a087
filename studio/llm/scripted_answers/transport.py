"""The scripted endpoint in process: an HTTP transport without a network.

Imported late, by whoever builds a scripted client, because of `httpx2`.
"""

from collections.abc import AsyncIterator

import httpx2

from studio.llm.scripted_answers.endpoint import ScriptedEndpoint
from studio.llm.scripted_answers.response_parts import Cut, CutOffError, Served, play


class ScriptedTransport(httpx2.AsyncBaseTransport):
    """Hands each request to the endpoint and plays what it answers."""

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        self._endpoint = endpoint

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request; a cut before the first byte fails it, as a network would."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        served = self._endpoint.handle(request.method, request.url.path, headers, await request.aread())
        if not isinstance(served.pieces, list) or served.pieces[:1] != [Cut.RESET]:
            return httpx2.Response(
                served.status, headers=dict(served.headers), stream=_Body(served, self._endpoint.pace)
            )
        message = "The connection was reset."
        raise httpx2.ReadError(message, request=request)


class _Body(httpx2.AsyncByteStream):
    """The body of a served response, one cut mapped to what a network would raise."""

    def __init__(self, served: Served, pace: float) -> None:
        self._served = served
        self._pace = pace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for received in play(self._served.pieces, self._pace):
                yield received
        except CutOffError as error:
            if error.cut is Cut.RESET:
                message = "The connection was reset."
                raise httpx2.ReadError(message) from error


def scripted_http_client(endpoint: ScriptedEndpoint) -> httpx2.AsyncClient:
    """Give an HTTP client that reaches nothing but the endpoint."""
    return httpx2.AsyncClient(transport=ScriptedTransport(endpoint))
