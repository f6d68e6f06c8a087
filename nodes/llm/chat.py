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
    MaxAnswerTokens,
    Repairs,
    StructuredBy,
    SystemPrompt,
    Temperature,
)
from studio.llm.client import SchemaBy
from studio.llm.conversation import formerly_called, tidied
from studio.sdk import (
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
    if sampling == "one":
        return await ask_once(context, request, profile=profile, repairs=repairs)
    together = sampling == "one call for all"
    answers = await sampled(context, request, samples, together=together, profile=profile)
    texts = [answer.content for answer in answers]
    if answer_schema is None:
        return ChatReply(texts[0], [*request.messages, answers[0]], samples=texts)
    check = partial(read_structured, context, request, profile=profile, repairs=repairs)
    # One after the other: whose answer is sent back in which call must not depend on who is quicker.
    read = await context.gather([partial(check, answer) for answer in answers], limit=1)
    data, messages = read[0]
    fields = fields_of(data, answer_schema)
    return ChatReply(messages[-1].content, list(messages), data, [data for data, _ in read], fields)


async def ask_once(context: Context, request: ChatRequest, *, profile: str, repairs: int) -> ChatReply:
    """Ask for one answer; a person may edit what is asked."""
    answered = await context.chat(request, profile=profile)
    answer = answered.message
    if answered.asked:
        request = replace(request, messages=answered.asked)
    if request.response_schema is None:
        return ChatReply(answer.content, [*request.messages, answer])
    data, messages = await read_structured(context, request, answer, profile=profile, repairs=repairs)
    fields = fields_of(data, request.response_schema)
    return ChatReply(messages[-1].content, list(messages), data, fields=fields)


async def sampled(
    context: Context, request: ChatRequest, samples: int, *, together: bool, profile: str
) -> list[Message]:
    """Ask for `samples` answers, `together` in one call or each in its own.

    An endpoint that gives fewer in one call is asked again for those that are missing.
    """
    if not together:
        calls = [partial(context.chat, request, profile=profile)] * samples
        return [answer.message for answer in await context.gather(calls)]
    found: list[Message] = []
    while len(found) < samples:
        answer = await context.chat(replace(request, samples=samples - len(found)), profile=profile)
        found += [answer.message, *answer.others]
    return found[:samples]


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
def chat_inputs(*, instructions: str, **_: object) -> Sequence[Port]:
    """One input for each placeholder of the instructions."""
    return ports_named(name for name in placeholders(instructions) if name != "prompt")


@dynamic_outputs(chat)
def chat_outputs(*, answer_schema: Mapping[str, Any] | None, sampling: str, **_: object) -> Sequence[Port]:
    """The reply and the conversation; with a schema the answer and its fields; samples where several."""
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
    return [*ports, *schema_ports(answer_schema)]
