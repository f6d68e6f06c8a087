"""A chat client for any endpoint that speaks the OpenAI protocol; the only home of `openai`.

The official client builds and sends the request; its bytes are read here, because it has no clocks between
pieces, no caps, and takes a stream that was cut off for one that ended. Each line is parsed once.
"""

import asyncio
import importlib
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import quote

from studio.errors import ChatError, ChatIncompleteError, ChatRefusedError
from studio.llm.client import Caller, ChatAnswer, ChatRequest
from studio.llm.embeddings import EmbedAnswer, EmbedRequest, embed_body, read_embeddings
from studio.llm.endpoints.answer_builder import ASK_AGAIN, AnswerBuilder, Plain, raise_stream_error
from studio.llm.endpoints.body_options import NO_OPTIONS, BodyOptions
from studio.llm.endpoints.clocks import Clocks
from studio.llm.endpoints.event_stream import EventReader
from studio.llm.endpoints.few_at_once import FewAtOnce
from studio.llm.endpoints.refusals import Endpoint, refusal, retry_after, unreachable
from studio.llm.endpoints.request_body import request_body
from studio.llm.endpoints.responses_body import responses_body
from studio.llm.endpoints.responses_builder import ResponsesBuilder
from studio.llm.endpoints.retry import RetryPlan
from studio.llm.limits import ByteLimits, TimeLimits
from studio.llm.prices import Prices

if TYPE_CHECKING:
    import httpx2
    import openai

    HttpClient = httpx2.AsyncClient
    _Create = Callable[..., AbstractAsyncContextManager[openai.AsyncAPIResponse[object]]]

NODE_HEADER = "X-Stepwire-Node"
SCOPE_HEADER = "X-Stepwire-Scope"
CALL_HEADER = "X-Stepwire-Call"
WITHIN_HEADER = "X-Stepwire-Within"

AFTER_DONE = 0.2
"""Seconds in which a stream that is done has to end, so that its connection can be used again."""

OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a body that was sent as it stands: the answer, and whether it came piece by piece."""

    answer: ChatAnswer
    is_streamed: bool


class OpenAIClient:
    """Talks to one endpoint with one key; implements `ChatClient`.

    `http_client` makes what replaces the connection (scripted answers in process do so), and `label` then
    says in error messages what is spoken to. `send_caller` adds headers that say which node asks; it is for
    the scripted endpoint, never for a provider. `on_headers` is told those of each answer as it begins.
    With an `azure_version` (a day) the URLs and headers are those of Azure's dated interface. `options` stand
    in every request.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        llm: str,
        *,
        time_limits: TimeLimits | None = None,
        byte_limits: ByteLimits | None = None,
        http_client: "Callable[[], HttpClient] | None" = None,
        prices: Prices | None = None,
        retries: RetryPlan | None = None,
        send_caller: bool = False,
        label: str = "",
        api: Literal["chat", "responses"] = "chat",
        on_headers: Callable[[Mapping[str, str]], None] | None = None,
        azure_version: str = "",
        options: BodyOptions = NO_OPTIONS,
    ) -> None:
        self._azure_version = azure_version
        self._options = options
        self._on_headers = on_headers
        self._api = api
        self._endpoint = Endpoint(base_url, key, label)
        self._llm = llm
        self._times = time_limits or TimeLimits()
        self._bytes = byte_limits or ByteLimits()
        self._http_client = http_client
        self._prices = prices or Prices()
        self._retries = retries or RetryPlan()
        self._send_caller = send_caller
        self._sdk: openai.AsyncOpenAI | None = None
        self._turns = FewAtOnce()
        self._ending: set[asyncio.Task[None]] = set()
        """Streams that have said all, and are read to their end."""

    def __repr__(self) -> str:
        return f"OpenAIClient({self._endpoint.name!r}, llm={self._llm!r})"

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: OnText | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Ask, and wait for the whole answer; see `ChatClient.answer`."""
        body = self.body_of(request)
        headers: dict[str, str] = {}
        if self._send_caller and caller is not None:
            headers = {NODE_HEADER: quote(caller.node), SCOPE_HEADER: quote(caller.scope)}
            headers[CALL_HEADER] = str(caller.call)
            headers |= {WITHIN_HEADER: quote(caller.within)} if caller.within else {}
        try:
            sent = await self._retries.run(lambda: self._attempt(body, headers, on_text))
        except ChatRefusedError as error:
            error.hint = self._options.hint(request, error) or error.hint
            raise
        return self._priced(sent.answer)

    def body_of(self, request: ChatRequest) -> dict[str, object]:
        """Give the body that `answer` sends; raises `ChatRefusedError` for what the endpoint never does."""
        self._options.refuse(request, self._endpoint)
        if self._api == "responses" and request.samples == 1:  # there, a request has one answer
            return responses_body(request, self._llm, options=self._options)
        is_openai = self._endpoint.is_openai
        return request_body(request, self._llm, is_openai=is_openai, options=self._options)

    async def send(self, body: dict[str, object]) -> Sent:
        """Send a body as it stands, once, for what a request can't say; raises as `answer` does."""
        return await self._attempt(body, {}, None)

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """Give the vectors of texts; see `Embedder.embed`."""
        answer = await self._retries.run(lambda: self._embed(request))
        cost = self._prices.cost(answer.llm, answer.usage) if answer.usage.total else None
        return replace(answer, cost=cost)

    async def close(self) -> None:
        """Release connections; the client can't be used afterwards."""
        for task in self._ending:
            task.cancel()
        try:
            await asyncio.gather(*self._ending, return_exceptions=True)
        finally:  # also where the run is cancelled just now
            sdk, self._sdk = self._sdk, None
            if sdk is not None:
                await sdk.close()

    def _priced(self, answer: ChatAnswer) -> ChatAnswer:
        cost = self._prices.cost(answer.llm, answer.usage) if answer.usage.total else None
        return replace(answer, cost=cost)

    async def _attempt(
        self, body: dict[str, object], headers: dict[str, str], on_text: OnText | None
    ) -> Sent:
        sdk = await self._connected()
        await self._turns.turn()
        is_responses = "input" in body
        count = len(cast("list[object]", body["input" if is_responses else "messages"]))
        builder = (
            ResponsesBuilder(self._llm, f"call_{count}")
            if is_responses
            else AnswerBuilder(self._llm, f"call_{count}", cast("int", body.get("n", 1)))
        )
        clocks = Clocks(self._times, streamed=bool(body["stream"]))
        try:
            async with clocks:
                await self._read(sdk, body, headers, builder, clocks=clocks, on_text=on_text)
        except TimeoutError as error:
            if not builder.finish_reason:
                raise clocks.error(self._endpoint.name) from error
        return Sent(builder.finish(), builder.is_streamed)

    async def _embed(self, request: EmbedRequest) -> EmbedAnswer:
        sdk = await self._connected()
        create = cast("_Create", sdk.embeddings.with_streaming_response.create)
        try:
            async with (
                asyncio.timeout(self._times.total),
                self._mapped(),
                create(**embed_body(request, self._llm)) as response,
                aclosing(response.http_response.aiter_bytes()) as content,
            ):
                plain = self._parsed(await self._gathered(content))
        except TimeoutError as error:
            message = f"{self._endpoint.name} sent no vectors within {self._times.total:g} s."
            hint = "Raise `total` in the chat profile's time limits, or embed fewer texts at a time."
            raise ChatIncompleteError(message, hint=hint) from error
        if plain.get("error"):
            raise_stream_error(plain["error"])
        return read_embeddings(plain, len(request.texts), self._llm, self._endpoint.name)

    async def _read(
        self,
        sdk: "openai.AsyncOpenAI",
        body: dict[str, object],
        headers: dict[str, str],
        builder: AnswerBuilder,
        *,
        clocks: Clocks,
        on_text: OnText | None,
    ) -> None:
        """Send the request and feed the answer to `builder`; errors of the libraries are mapped here."""
        # The body is built for the protocol, not for the overloads of the client's signature. What is given
        # by its parameters is walked by types, which took nine tenths of the time of a long conversation.
        api, talk = (sdk.responses, "input") if "input" in body else (sdk.chat.completions, "messages")
        create = cast("_Create", api.with_streaming_response.create)
        named = {"model": body["model"], "stream": body["stream"], talk: ()}
        async with self._mapped(builder), AsyncExitStack() as held:
            asked = create(**named, extra_body=body, extra_headers=headers)
            response = await held.enter_async_context(asked)
            builder.has_head = True
            http = response.http_response
            if self._on_headers is not None:
                self._on_headers(http.headers)
            content = await held.enter_async_context(aclosing(http.aiter_bytes()))
            if body["stream"] and "json" not in http.headers.get("content-type", ""):
                builder.is_streamed = True
                if await self._read_stream(content, builder, clocks, on_text):
                    # What was paid for is not kept waiting for the end of what says nothing more.
                    task = asyncio.create_task(_drain(content, held.pop_all()))
                    self._ending.add(task)
                    task.add_done_callback(self._ending.discard)
            else:
                await self._read_whole(content, builder, on_text)

    @asynccontextmanager
    async def _mapped(self, builder: AnswerBuilder | None = None) -> AsyncGenerator[None]:
        """Map the errors of the libraries; what goes wrong after the end of an answer counts as nothing."""
        import httpx2  # loaded with openai, which is late on purpose
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            wait = retry_after(error.status_code, error.code, error.response.headers)
            raise refusal(self._endpoint, error.status_code, error.code, error.body, wait) from error
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            if builder is None or not builder.has_head:
                raise unreachable(self._endpoint, error) from error
            if not builder.finish_reason:
                message = f"The connection to {self._endpoint.name} broke before the answer was complete."
                raise ChatIncompleteError(message, hint=ASK_AGAIN) from error
        except openai.OpenAIError as error:
            raise ChatError(self._endpoint.without_key(str(error))) from error

    async def _read_stream(
        self, content: AsyncIterator[bytes], builder: AnswerBuilder, clocks: Clocks, on_text: OnText | None
    ) -> bool:
        """Feed a stream to `builder`; tells whether it said that it is done, and is to be read to its end."""
        events = EventReader(self._bytes.line)
        seen = False
        size = 0
        async for received in content:
            size += len(received)
            self._check_size(size)
            for data in events.feed(received):
                seen = True
                if data.startswith("[DONE]"):
                    return True
                self._take(data, builder, clocks, on_text)
        for data in events.finish():
            seen = True
            if not data.startswith("[DONE]") and not builder.finish_reason:
                self._take(data, builder, clocks, on_text)
        if not seen:
            message = f"{self._endpoint.name} did not send a chat answer."
            raise ChatIncompleteError(message, hint="Check the base URL; most end with `/v1`.")
        return False

    def _take(self, data: str, builder: AnswerBuilder, clocks: Clocks, on_text: OnText | None) -> None:
        text = builder.add(self._parsed(data))
        if text is None:
            return
        clocks.content_came(finished=bool(builder.finish_reason))
        if text and on_text is not None:
            on_text(text)

    async def _read_whole(
        self, content: AsyncIterator[bytes], builder: AnswerBuilder, on_text: OnText | None
    ) -> None:
        text = builder.add(self._parsed(await self._gathered(content)))
        if text and on_text is not None:
            on_text(text)

    async def _gathered(self, content: AsyncIterator[bytes]) -> str:
        """Read all that comes, as long as it is not too much."""
        received: list[bytes] = []
        size = 0
        async for part in content:
            received.append(part)
            size += len(part)
            self._check_size(size)
        return b"".join(received).decode("utf-8", "replace")

    def _check_size(self, size: int) -> None:
        if size > self._bytes.answer:
            message = f"{self._endpoint.name} sent an answer of more than {self._bytes.answer:,} bytes."
            raise ChatIncompleteError(message, hint="Nothing of the answer was used.")

    def _parsed(self, data: str) -> Plain:
        try:
            chunk: object = json.loads(data)
        except (ValueError, RecursionError) as error:
            message = f"A piece of the answer of {self._endpoint.name} is not valid JSON."
            raise ChatIncompleteError(message, hint=ASK_AGAIN) from error
        if not isinstance(chunk, dict):
            message = f"A piece of the answer of {self._endpoint.name} is not a JSON object."
            raise ChatIncompleteError(message, hint=ASK_AGAIN)
        return cast("Plain", chunk)

    async def _connected(self) -> "openai.AsyncOpenAI":
        await preload()
        if self._sdk is None:
            self._sdk = self._connect()
            self._prices.find(self._llm)  # compiles their patterns, for which no answer is to wait
        return self._sdk

    def _connect(self) -> "openai.AsyncOpenAI":
        import openai

        http_client = None if self._http_client is None else self._http_client()
        timeout = openai.Timeout(None, connect=self._times.connect)
        if self._azure_version:
            sdk: openai.AsyncOpenAI = openai.AsyncAzureOpenAI(
                base_url=azure_place(self._endpoint.base_url, self._llm),
                api_version=self._azure_version,
                api_key=self._endpoint.key,  # and no token that the environment may have
                max_retries=0,
                timeout=timeout,
                http_client=http_client,
            )
        else:
            sdk = openai.AsyncOpenAI(
                base_url=self._endpoint.base_url,
                api_key=self._endpoint.key,
                max_retries=0,
                timeout=timeout,
                http_client=http_client,
            )
        if not self._endpoint.is_openai:
            # The library reads these from the environment, and would tell them to any endpoint.
            sdk.organization = None
            sdk.project = None
        return sdk


def azure_place(base_url: str, deployment: str) -> str:
    """Give the base URL of a deployment, from that of its resource.

    As in https://learn.microsoft.com/azure/ai-services/openai/reference; a URL that names it already stays.
    """
    root = base_url.rstrip("/")
    if "/deployments/" in root:
        return root
    return (
        f"{root.removesuffix('/v1').removesuffix('/openai')}/openai/deployments/{quote(deployment, safe='')}"
    )


async def preload() -> None:
    """Load `openai` beside the event loop, which its 1.4 s would hold up."""
    if not _is_loaded.is_set():
        await asyncio.to_thread(load)


def load() -> None:
    """Load `openai`, unless that has been done; a warm host does it early."""
    for name in ("chat.chat", "embeddings"):  # the package `chat` by itself loads next to nothing
        importlib.import_module(f"openai.resources.{name}")
    _is_loaded.set()


_is_loaded = threading.Event()
"""Set when all of it is there; `sys.modules` has a module already while it is being loaded."""


async def _drain(content: AsyncIterator[bytes], held: AsyncExitStack) -> None:
    """Read what follows the end, usually nothing, within a moment, and let go of it."""
    with suppress(Exception):  # what goes wrong after the end of an answer counts as nothing
        async with held, asyncio.timeout(AFTER_DONE):
            async for _ in content:
                return
