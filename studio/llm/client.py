"""What the studio asks of a language model, and what it gets back.

A `ChatClient` is one method; its test double is the scripted endpoint of the product itself.
The values mirror the Chat Completions protocol, but carry nothing of a provider's library.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, Protocol, Self, cast

from studio.llm.images import Image, image_from_json, image_to_json
from studio.llm.log_probabilities import TokenChance

Role = Literal["system", "user", "assistant", "tool"]
SchemaBy = Literal["auto", "native", "json_object", "instruction"]
Effort = Literal["", "none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a language model is to reason before it answers; empty: as its endpoint does."""
ServiceTier = Literal["", "auto", "default", "flex", "priority"]
Continues = Literal["auto", "message", "prefix", "continue_final_message", "no"]
Provider = Literal["scripted", "simulated", "made-up", "person", "openai"]
FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request by the assistant to run a tool; `arguments` is complete, valid JSON text of an object."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; a `tool` message answers the call `tool_call_id`.

    Only what people say (`user`) has `images`.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """How a tool is offered to the language model; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WindowAccount:
    """What of a conversation was sent where a window of so many `tokens` holds it; never sent itself.

    `taken` are the tokens that the request is estimated to have. `dropped` has how each message began that
    was left out, `shortened` is how many answers of tools were cut, `summary` what stands for the dropped.
    """

    tokens: int
    taken: int
    dropped: tuple[str, ...] = ()
    shortened: int = 0
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request; None means that the endpoint decides.

    `response_schema` asks for an answer that is JSON of that schema (type object).
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    response_schema: Mapping[str, object] | None = None
    stream: bool = True
    samples: int = 1
    """How many answers are wanted, all of one request."""
    may_call: bool = True
    """Whether the answer may call the tools; they are offered all the same, for messages speak of them."""
    several_calls: bool = True
    """Whether one answer may call several tools."""
    speaker: str = ""
    """Which of several agents asks; for the trace, never sent."""
    window: WindowAccount | None = None
    schema_by: SchemaBy = "auto"
    """How `response_schema` is asked for: by the endpoint's own means, or in words."""
    effort: Effort = ""
    log_probabilities: int | None = None
    """How many alternatives are to be told of each token, beside its own chance; None asks for neither."""
    prefix: str = ""
    """How the answer begins: it is sent as the assistant's, and the language model goes on from there."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them.

    `cached_tokens` are part of `input_tokens`, `reasoning_tokens` of `output_tokens`.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total(self) -> int:
        """Tokens in and out together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A complete answer."""

    message: Message
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    llm: str = ""
    cost: float | None = None
    """In US dollars; None where the price is not known."""
    others: tuple[Message, ...] = ()
    """What else was answered to a request for several samples; an endpoint may give fewer."""
    asked: tuple[Message, ...] = ()
    """What was asked in the place of the request's messages, where a person edited them."""
    tokens: tuple[tuple[TokenChance, ...], ...] = ()
    """How likely the tokens of the message were, and of each of the others; empty where nobody told."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: sent along to the scripted endpoint, never to a provider.

    `call` is which chat of its step it is, from 1. Who is lent and asks in another's step says in which call
    of it, as `vote#tool.3`: so simulated solvers tell the turns of one agent apart.
    """

    node: str = ""
    scope: str = ""
    call: int = 1
    within: str = ""


class ChatClient(Protocol):
    """What talks to a language model."""

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Ask, and wait for the whole answer; `on_text` is given each piece of text as it arrives.

        Raises `ChatUnreachableError`, `ChatRefusedError` or `ChatIncompleteError`. An answer whose
        stream ended early is never returned, so tool calls in it cannot be acted on.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class ChatProfile:
    """A saved configuration of a chat client, without its key.

    `provider` is `scripted` (the project's own answers), `simulated` (solvers of stated accuracy, see
    `llm/solvers/`), `made-up` (answers that fit, and say nothing that is known, see `llm/made_up/`), `person`
    (each chat is answered by the person) or `openai` (any endpoint that speaks the OpenAI protocol).
    `key_env` names the variable that holds the key, unless `key_from` says that it is the one that the
    user's keyring has for the URL.
    """

    name: str
    provider: Provider = "openai"
    base_url: str = ""
    llm: str = ""
    key_env: str = "OPENAI_API_KEY"
    time_limits: Mapping[str, float] = field(default_factory=dict[str, float])
    at_once: int = 0
    """How many calls may be under way at a time, in all runs of a host; 0 for any number."""
    requests_per_minute: int = 0
    """How many calls may begin in a minute; 0 for any number."""
    tokens_per_minute: int = 0
    """How many tokens, in and out, calls may take in a minute; 0 for any number."""
    kind: str = ""
    """Which of the presets it was made from; only the editor of profiles reads it."""
    key_from: Literal["environment", "keyring"] = "environment"
    api: Literal["auto", "chat", "responses"] = "auto"
    """Chat Completions or the Responses API; `auto` is the latter at OpenAI itself."""
    fallback: tuple[str, ...] = ()
    """The profiles to ask in turn where this one can't be reached or refuses."""
    api_version: str = ""
    """The dated version of Azure's interface, whose URLs name deployments; empty for all others."""
    solver: Mapping[str, object] = field(default_factory=dict[str, object])
    """What is stated of simulated solvers: the fields of `llm/solvers/solver.py`."""
    seed: int = 1
    """Of answers that are made up: another gives other answers."""
    script: str = ""
    """The one script that answers, by its path in the project; empty: all of the project's."""
    effort: Effort = ""
    """How much to reason where a node does not say."""
    service_tier: ServiceTier = ""
    """In which of its provider's classes of service requests are processed; empty: as the account has it."""
    continues: Continues = "auto"
    """How the endpoint takes the beginning of an answer (`endpoints/body_options.py`)."""
    cache_marks: bool = False
    """Whether the instructions and the last message are marked as what a provider is to cache."""

    @property
    def is_in_process(self) -> bool:
        """Whether nobody outside of the run's own process answers."""
        return self.provider not in ("scripted", "openai") or (
            self.provider == "scripted" and not self.base_url
        )


def request_to_json(request: ChatRequest) -> dict[str, object]:
    """Give the request as plain JSON values, as events and stores keep it; what is seldom said, if it is."""
    seldom: dict[str, object] = {}
    if request.samples > 1:
        seldom["samples"] = request.samples
    if not request.may_call:
        seldom["may_call"] = False
    if not request.several_calls:
        seldom["several_calls"] = False
    if request.speaker:
        seldom["speaker"] = request.speaker
    if request.schema_by != "auto":
        seldom["schema_by"] = request.schema_by
    if request.effort:
        seldom["effort"] = request.effort
    if request.log_probabilities is not None:
        seldom["log_probabilities"] = request.log_probabilities
    if request.prefix:
        seldom["prefix"] = request.prefix
    if request.window is not None:
        seldom["window"] = {**asdict(request.window), "dropped": list(request.window.dropped)}
    return {
        "messages": [message_to_json(message) for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in request.tools
        ],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "response_schema": None if request.response_schema is None else dict(request.response_schema),
        **seldom,
    }


def message_to_json(message: Message) -> dict[str, object]:
    """Give a message as plain JSON values, leaving out what is empty."""
    plain: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.tool_call_id:
        plain["tool_call_id"] = message.tool_call_id
    if message.images:
        plain["images"] = [image_to_json(image) for image in message.images]
    return plain


def message_from_json(plain: Mapping[str, object]) -> Message:
    """Read what `message_to_json` wrote; raises `ValueError` when it is not a message."""
    role = plain.get("role")
    if role not in {"system", "user", "assistant", "tool"}:
        reason = f"a message has the role `{role}`"
        raise ValueError(reason)
    calls = plain.get("tool_calls", ())
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        reason = "`tool_calls` is not a list"
        raise ValueError(reason)  # noqa: TRY004  # a wrong value in a file, not a wrong call
    images = plain.get("images", ())
    if not isinstance(images, list | tuple) or (images and role != "user"):
        reason = "`images` is not a list, or not what a person says"
        raise ValueError(reason)
    return Message(
        role,  # pyright: ignore[reportArgumentType]
        str(plain.get("content", "") or ""),
        tuple(_call_from_json(call) for call in cast("Sequence[object]", calls)),
        str(plain.get("tool_call_id", "")),
        tuple(image_from_json(image) for image in cast("Sequence[object]", images)),
    )


def _call_from_json(plain: object) -> ToolCall:
    fields = cast("Mapping[str, object]", plain if isinstance(plain, Mapping) else {})
    try:
        return ToolCall(str(fields["id"]), str(fields["name"]), str(fields["arguments"]))
    except KeyError as error:
        reason = f"a tool call has no {error}"
        raise ValueError(reason) from error
