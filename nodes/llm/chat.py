"""Chat: call a model once.

Earlier messages that arrive at `history` are put between the instructions and the prompt. `{{name}}` in
the instructions makes an input. With fields under "Answer as", the answer is JSON with just these; it
leaves parsed at `data`, and each field at an output of its own. An answer that does not fit is sent back with
what is wrong with it, as often as *Repairs at most* says.

Pictures at `images` (PNG, JPEG, GIF or WebP of the project, 10 MiB each at most) are sent with the prompt, to
language models that can see.

Several answers come as samples of one request: from a call for each, which every endpoint knows, or from one
call, which reads the question once. All of them leave at `samples`, parsed where there is a schema.

```json
{
  "settings": {"instructions": "Answer in one word."},
  "inputs": {"prompt": "What sang?"},
  "chat": ["Dunnock"],
  "outputs": {"reply": "Dunnock"}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from studio.building_blocks.answers.schema_answers import read_structured
from studio.building_blocks.files.pictures import read_images
from studio.building_blocks.settings.models import (
    AnswerFields,
    ChatProfile,
    LogProbabilities,
    MaxAnswerTokens,
    ReasoningEffort,
    Repairs,
    StructuredBy,
    SystemPrompt,
    Temperature,
)
from studio.llm.client import SchemaBy
from studio.llm.conversation import formerly_called, tidied
from studio.llm.log_probabilities import TokenChance, confidence
from studio.sdk import (
    ChatAnswer,
    ChatRequest,
    Context,
    DynamicIn,
    Effect,
    In,
    Message,
    Port,
    PortName,
    Setting,
    dynamic_inputs,
    dynamic_outputs,
    node,
    parse_type,
    ports_named,
)
from studio.sdk.schema_fields import fields_of
from studio.sdk.schema_ports import schema_ports
from studio.sdk.templates import fill, placeholders

NOT_TOLD = "The endpoint sent no log-probabilities."


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What was answered, and the conversation with it; `data` where JSON was asked for.

    Of several `samples`, the first is the reply.
    """

    reply: str
    messages: list[Message]
    data: Any = None
    samples: list[Any] | None = None
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    """What each field of the schema has, by its port."""
    token_confidence: float | None = None
    log_probabilities: list[dict[str, Any]] | None = None
    token_confidences: list[float] | None = None


@node("llm.chat", title="Chat", effect=Effect.PAID_READ, keywords=("prompt", "completion", "model", "ask"))
async def chat(
    context: Context,
    prompt: Annotated[str, In("The prompt")],
    history: Annotated[list[Message], In("Earlier messages")] = [],  # noqa: B006  # read, never written
    images: Annotated[Sequence[Path], In("Pictures for the prompt", type="image[]")] = (),
    *,
    instructions: SystemPrompt = "",
    answer_schema: AnswerFields = None,
    temperature: Temperature = None,
    max_tokens: MaxAnswerTokens = None,
    profile: ChatProfile = "",
    sampling: Annotated[
        Literal["one", "a call for each", "one call for all"],
        Setting("Answers", help="One answer, or several samples, from one call each or from a single call"),
    ] = "one",
    samples: Annotated[int, Setting("Samples", minimum=1, maximum=128, help="Number of samples")] = 3,
    schema_by: StructuredBy = "auto",
    repairs: Repairs = 1,
    begins_with: Annotated[
        str,
        Setting(
            "Reply begins with",
            editor="prompt",
            help="The model goes on from there; {{name}} becomes an input",
        ),
    ] = "",
    effort: ReasoningEffort = "",
    log_probabilities: LogProbabilities = None,
    **inputs: Annotated[object, DynamicIn("One for each placeholder of the instructions")],
) -> ChatReply:
    """Ask once or several times; an answer that does not fit the schema is sent back."""
    asked = Message("user", prompt, images=read_images(context, images))
    if answer_schema is None and sampling == "one":
        schema_by = "auto"  # requests of recorded runs are found by all that is in them
    request = opening(
        fill(instructions, {"prompt": prompt, **inputs}),
        asked,
        history=history,
        temperature=temperature,
        max_tokens=max_tokens,
        answer_schema=answer_schema,
        schema_by=schema_by,
    )
    begun = fill(begins_with, {"prompt": prompt, **inputs})
    request = replace(request, prefix=begun, effort=effort, log_probabilities=log_probabilities)
    if sampling == "one":
        return await ask_once(context, request, profile=profile, repairs=repairs)
    together = sampling == "one call for all"
    answers = await sampled(context, request, samples, together=together, profile=profile)
    return await read_samples(context, request, answers, profile=profile, repairs=repairs)


async def read_samples(
    context: Context,
    request: ChatRequest,
    answers: Sequence[tuple[Message, tuple[TokenChance, ...]]],
    *,
    profile: str,
    repairs: int,
) -> ChatReply:
    """Make a reply of several answers; those that do not fit the schema are sent back."""
    told = _told_samples(context, request, answers)
    messages_of = [message for message, _ in answers]
    texts = [message.content for message in messages_of]
    if request.response_schema is None:
        return ChatReply(texts[0], [*request.messages, messages_of[0]], samples=texts, token_confidences=told)
    check = partial(read_structured, context, request, profile=profile, repairs=repairs)
    # One after the other: whose answer is sent back in which call must not depend on who is quicker.
    read = await context.gather([partial(check, message) for message in messages_of], limit=1)
    data, messages = read[0]
    fields = fields_of(data, request.response_schema)
    listed = [data for data, _ in read]
    if any(messages[-1] != first for (_, messages), first in zip(read, messages_of, strict=True)):
        told = None  # what was told is of answers that were sent back
    return ChatReply(messages[-1].content, list(messages), data, listed, fields, token_confidences=told)


async def ask_once(context: Context, request: ChatRequest, *, profile: str, repairs: int) -> ChatReply:
    """Ask for one answer; a person may edit what is asked."""
    answered = await context.chat(request, profile=profile)
    answer = answered.message
    if answered.asked:
        request = replace(request, messages=answered.asked)
    if request.response_schema is None:
        reply = ChatReply(answer.content, [*request.messages, answer])
    else:
        data, messages = await read_structured(context, request, answer, profile=profile, repairs=repairs)
        fields = fields_of(data, request.response_schema)
        reply = ChatReply(messages[-1].content, list(messages), data, fields=fields)
    is_as_told = reply.messages[-1] == answer
    return _with_chances(context, request, answered, reply) if is_as_told else reply


def _with_chances(
    context: Context, request: ChatRequest, answered: ChatAnswer, reply: ChatReply
) -> ChatReply:
    """Add how likely the answer's tokens were, where that was asked for and told."""
    if request.log_probabilities is None:
        return reply
    tokens = answered.tokens[0] if answered.tokens else ()
    if not tokens:
        context.log(NOT_TOLD)
        return reply
    return replace(
        reply, token_confidence=confidence(tokens), log_probabilities=[_plain(one) for one in tokens]
    )


def _told_samples(
    context: Context, request: ChatRequest, answers: Sequence[tuple[Message, tuple[TokenChance, ...]]]
) -> list[float] | None:
    """Give the confidence of each sample; None where that of one was not told."""
    if request.log_probabilities is None:
        return None
    found = [one for _, tokens in answers if (one := confidence(tokens)) is not None]
    if len(found) < len(answers):
        context.log(NOT_TOLD)
        return None
    return found


def _plain(one: TokenChance) -> dict[str, Any]:
    others = [{"token": token, "log_probability": chance} for token, chance in one.others]
    return {"token": one.token, "log_probability": one.log_probability, "others": others}


async def sampled(
    context: Context, request: ChatRequest, samples: int, *, together: bool, profile: str
) -> list[tuple[Message, tuple[TokenChance, ...]]]:
    """Ask for `samples` answers, `together` in one call or each in its own; each with its tokens' chances.

    An endpoint that gives fewer in one call is asked again for those that are missing.
    """
    if not together:
        calls = [partial(context.chat, request, profile=profile)] * samples
        return [one for answer in await context.gather(calls) for one in _each(answer)][:samples]
    found: list[tuple[Message, tuple[TokenChance, ...]]] = []
    while len(found) < samples:
        answer = await context.chat(replace(request, samples=samples - len(found)), profile=profile)
        found += _each(answer)
    return found[:samples]


def _each(answer: ChatAnswer) -> list[tuple[Message, tuple[TokenChance, ...]]]:
    """The messages of an answer, each with its tokens' chances."""
    messages = [answer.message, *answer.others]
    told = [*answer.tokens, *[()] * len(messages)]
    return list(zip(messages, told, strict=False))


def opening(
    instructions: str,
    question: Message,
    *,
    history: Sequence[Message],
    temperature: float | None,
    max_tokens: int | None,
    answer_schema: Mapping[str, Any] | None,
    schema_by: SchemaBy,
) -> ChatRequest:
    """Ask behind what was said before, put in an order that every endpoint takes.

    Where it speaks of tools, they are offered, but may not be called.
    """
    system = (Message("system", instructions),) if instructions.strip() else ()
    request = ChatRequest(
        (*system, question),
        temperature=temperature,
        max_tokens=max_tokens,
        response_schema=answer_schema,
        schema_by=schema_by,
    )
    if history:
        said = tidied([*history, question])
        former = formerly_called(said)
        request = replace(request, messages=(*system, *said), tools=former, may_call=not former)
    return request


@dynamic_inputs(chat)
def chat_inputs(*, instructions: str, begins_with: str, **_: object) -> Sequence[Port]:
    """One input for each placeholder of the instructions and of the reply's beginning."""
    names = dict.fromkeys((*placeholders(instructions), *placeholders(begins_with)))
    return ports_named(name for name in names if name != "prompt")


@dynamic_outputs(chat)
def chat_outputs(
    *, answer_schema: Mapping[str, Any] | None, sampling: str, log_probabilities: int | None, **_: object
) -> Sequence[Port]:
    """The reply and the conversation; what a schema, several samples and log-probabilities bring along."""
    ports = [
        Port(PortName("reply"), parse_type("text"), "reply", "The answer"),
        Port(PortName("messages"), parse_type("messages"), "messages", "The conversation with the answer"),
    ]
    if answer_schema is not None:
        help_text = "The answer as JSON"
        ports.append(Port(PortName("data"), parse_type("json"), "data", help_text))
    if sampling != "one":
        kind = parse_type("text[]" if answer_schema is None else "json[]")
        ports.append(Port(PortName("samples"), kind, "samples", "All answers; the reply is the first"))
    if log_probabilities is not None:
        ports += _chance_ports(is_one=sampling == "one")
    return [*ports, *schema_ports(answer_schema)]


def _chance_ports(*, is_one: bool) -> list[Port]:
    if not is_one:
        help_text = "The confidence of each sample"
        return [Port(PortName("token_confidences"), parse_type("number[]"), "token confidences", help_text)]
    mean, told = "Geometric mean of the tokens' probabilities, 0 to 1", "The tokens with their alternatives"
    return [
        Port(PortName("token_confidence"), parse_type("number"), "token confidence", mean),
        Port(PortName("log_probabilities"), parse_type("json"), "log-probabilities", told, required=False),
    ]
