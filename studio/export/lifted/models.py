"""The language models of an exported script: `openai`, asked as the studio asks them."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from openai import APIConnectionError, APIStatusError, AsyncOpenAI
from openai.types.chat import ChatCompletion

from studio.errors import ChatError, ChatIncompleteError, ChatUnreachableError
from studio.export.lifted.errors import ChatRefusedError
from studio.export.lifted.limits import Payer
from studio.export.lifted.messages import as_openai, message_of
from studio.export.lifted.turns import Turns
from studio.llm.answer_form import instructed, is_about_schema
from studio.llm.client import ChatAnswer, ChatRequest, Usage
from studio.llm.embeddings import as_vector
from studio.llm.prices import Prices

R = TypeVar("R")
Create: TypeAlias = Callable[..., Awaitable[ChatCompletion]]

LONGEST_ANSWER = 600.0
"""Seconds after which nobody waits for an answer any longer."""


@dataclass
class LanguageModels(Payer):
    """Asks language models, each by its profile, and says where another is asked."""

    client: AsyncOpenAI = field(default_factory=AsyncOpenAI)
    model: str = ""
    """The language model that is asked."""
    fallbacks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The profiles to ask in turn where one can't be reached or refuses, by its name (empty: the usual)."""
    prices: Prices = field(default_factory=Prices)
    rations: Mapping[str, Turns] = field(default_factory=dict[str, Turns])
    """What profiles bear, by their names (empty: the usual)."""
    forms: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]] = ()
    """Forms of answers, each with the strict one to ask for, if it has one; others are strict as they are."""

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask the language model, and wait for the whole answer."""
        if self.fallbacks:  # only with: fallbacks
            return await self.first_to_answer(request, profile)
        return await self.chat_with(request, profile=profile)

    async def chat_with(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask the language model of a profile."""
        if request.response_schema is not None:  # only with: response_schema
            return await self.formed(request, profile=profile)
        return await self.asked_once(request, profile=profile)

    async def first_to_answer(self, request: ChatRequest, profile: str) -> ChatAnswer:
        """Ask a language model, and where it fails those that its profile falls back on."""
        name, left = profile, list(self.fallbacks.get(profile, ()))
        while True:
            try:
                return await self.chat_with(request, profile=name)
            except (ChatUnreachableError, ChatRefusedError) as error:
                if not left:
                    raise
                name = left.pop(0)
                self.say(f"{error} Trying `{name}` instead.")

    async def formed(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask for an answer in its form, in words where that is said or the endpoint refuses a schema."""
        if request.schema_by == "instruction":
            request = instructed(request)
        try:
            return await self.asked_once(request, profile=profile)
        except ChatRefusedError as error:
            cause = error.__cause__
            status = cause.status_code if isinstance(cause, APIStatusError) else 0
            if request.schema_by != "auto" or not is_about_schema(status, str(error)):
                raise
        return await self.asked_once(instructed(request), profile=profile)

    async def asked_once(  # noqa: C901
        self, request: ChatRequest, *, profile: str = ""
    ) -> ChatAnswer:
        """Ask one language model once, and wait for its whole answer."""
        client, model = self.client, self.model
        if profile:  # only with: profile, fallbacks
            client, model = self.own_client(profile), self.own_model(profile)
        messages = [as_openai(message) for message in request.messages]
        body: dict[str, Any] = {"model": model, "messages": messages}
        if request.tools:  # only with: tools
            body |= tools_of(request)
        if request.temperature is not None:  # only with: temperature
            body["temperature"] = request.temperature
        if request.max_tokens is not None:  # only with: max_tokens
            is_openai = client.base_url.host.endswith("api.openai.com")
            body["max_completion_tokens" if is_openai else "max_tokens"] = request.max_tokens
        if request.response_schema is not None:  # only with: response_schema
            body["response_format"] = self.response_format(request.response_schema)
            if request.schema_by == "json_object":  # only with: schema_by
                form = body["response_format"]["json_schema"]
                body["response_format"] = {"type": "json_object", "schema": form["schema"]}
        if request.samples > 1:  # only with: samples
            body["n"] = request.samples
        if self.accounts:  # only with: accounts
            self.admit("calls")
        # The body is made for the protocol, not for the overloads of the client.
        create = cast("Create", client.chat.completions.create)
        call = partial(heard, client, create, body)
        if profile in self.rations:  # only with: rations
            call = partial(self.rations[profile].run, call)
        answer = answer_of(await call())
        if answer.usage.total:  # only with: prices
            llm = answer.llm if self.prices.find(answer.llm) else model
            answer = replace(answer, cost=self.prices.cost(llm, answer.usage))
        if self.accounts:  # only with: accounts
            self.pay_for(answer.llm or model, answer.usage.total, answer.cost)
        return answer

    def response_format(self, schema: Mapping[str, object]) -> dict[str, Any]:
        """Say in which form an answer is wanted: strictly as it is written, where nothing else is known."""
        form: dict[str, object] = {"name": "answer", "schema": schema, "strict": True}
        if self.forms:  # only with: forms
            strict = next((strict for given, strict in self.forms if given == schema), schema)
            form |= {"schema": strict or schema, "strict": strict is not None}
        return {"type": "json_schema", "json_schema": form}

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors; a profile names a language model as for `chat`."""
        client, model = self.client, self.model
        if profile:  # only with: profile, fallbacks
            client, model = self.own_client(profile), self.own_model(profile)
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if dimensions is not None:
            body["dimensions"] = dimensions
        if self.accounts:  # only with: accounts
            self.admit("calls")
        call = partial(heard, client, client.embeddings.create, body)
        if profile in self.rations:  # only with: rations
            call = partial(self.rations[profile].run, call)
        answer = await call()
        if self.accounts:  # only with: accounts
            usage = Usage(answer.usage.total_tokens)
            self.pay_for(model, usage.total, self.prices.cost(model, usage))
        rows = sorted(answer.data, key=lambda row: row.index)
        if len(rows) != len(texts):
            raise ChatIncompleteError("The endpoint sent no vectors for the texts.")
        return [as_vector(row.embedding) for row in rows]

    def own_model(self, profile: str) -> str:
        """Give the language model of a profile."""
        return self.variable("OPENAI_MODEL", profile) or self.model

    def own_client(self, profile: str) -> AsyncOpenAI:
        """Give the client of a profile; what nothing else is said of is asked at the usual place.

        A profile is a language model of its own, named by the environment variable `OPENAI_MODEL_<PROFILE>`;
        `OPENAI_BASE_URL_<PROFILE>` and `OPENAI_API_KEY_<PROFILE>` say where it is, if it is elsewhere.
        """
        url = self.variable("OPENAI_BASE_URL", profile)
        key = self.variable("OPENAI_API_KEY", profile)
        if not url and not key:
            return self.client
        if not key:
            message = (
                f"`{profile}` has an endpoint of its own, but no key; any text will do if it needs none."
            )
            raise ChatError(message)
        return self.client.with_options(base_url=url or self.client.base_url, api_key=key)

    def variable(self, name: str, profile: str) -> str:
        """Read what the environment says of a profile: `NAME_PROFILE`, in capitals."""
        own = "".join(letter if letter.isalnum() else "_" for letter in profile.upper())
        return os.environ.get(f"{name}_{own}", "") if own else ""


async def heard(client: AsyncOpenAI, create: Callable[..., Awaitable[R]], body: Mapping[str, Any]) -> R:
    """Ask an endpoint; what goes wrong there, and on the way, is told in a sentence."""
    if not body["model"]:
        raise ChatError("No model is named. Pass `--model`, or set OPENAI_MODEL.")
    place = client.base_url.copy_with(userinfo=b"")  # a password is nobody's business
    try:
        async with asyncio.timeout(LONGEST_ANSWER):
            return await create(**body)
    except APIStatusError as error:
        raise ChatRefusedError(f"{place} refused: {error.message}") from error
    except APIConnectionError as error:
        reason = error.__cause__ or error
        raise ChatUnreachableError(f"{place} could not be reached: {reason}") from error
    except (TimeoutError, ValueError) as error:
        message = f"The answer of {place} is not complete. {error}"
        raise ChatIncompleteError(message.rstrip()) from error


def tools_of(request: ChatRequest) -> dict[str, object]:
    """Offer the tools of a request."""
    offered = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in request.tools
    ]
    said: dict[str, object] = {"tools": [{"type": "function", "function": one} for one in offered]}
    if not request.may_call:  # only with: may_call
        said["tool_choice"] = "none"
    if not request.several_calls:  # only with: several_calls
        said["parallel_tool_calls"] = False
    return said


def answer_of(completion: ChatCompletion) -> ChatAnswer:
    """Read what was answered."""
    if not completion.choices:
        raise ChatRefusedError("The endpoint aborted its answer.")
    choices = sorted(completion.choices, key=lambda one: one.index)
    told = [message_of(one) for one in choices if one.message.content or not one.message.refusal]
    if not told:
        raise ChatError(f"The language model refused to answer: {choices[0].message.refusal}")
    answer = ChatAnswer(told[0], llm=completion.model)
    if told[1:]:  # only with: .others
        answer = replace(answer, others=tuple(told[1:]))
    if completion.usage is not None:
        counted = completion.usage
        answer = replace(answer, usage=Usage(counted.prompt_tokens, counted.completion_tokens))
        if counted.prompt_tokens_details is not None:  # only with: prices
            cached = counted.prompt_tokens_details.cached_tokens or 0
            answer = replace(answer, usage=replace(answer.usage, cached_tokens=cached))
    return answer
