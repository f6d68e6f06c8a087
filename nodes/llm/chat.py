"""Chat: ask a language model once.

Earlier messages that arrive at `history` are put between the instructions and the prompt. `{{name}}` in
the instructions makes an input. With a schema under "Answer as", the answer is JSON, and leaves parsed at
`data`; an answer that does not fit is sent back once.

```json
{
  "settings": {"instructions": "Answer in one word."},
  "inputs": {"prompt": "What sang?"},
  "chat": ["Dunnock"],
  "outputs": {"reply": "Dunnock"}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from studio.sdk import (
    ChatRequest,
    Context,
    DynamicIn,
    Effect,
    In,
    Json,
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
from studio.sdk.prelude.agent import AgentAnswer
from studio.sdk.prelude.structured import read_structured
from studio.sdk.prelude.templates import fill, placeholders


@node("llm.chat", title="Chat", effect=Effect.PAID_READ, keywords=("prompt", "completion", "model", "ask"))
async def chat(
    context: Context,
    prompt: Annotated[str, In("What is asked")],
    history: Annotated[list[Message], In("What was said before")] = [],  # noqa: B006  # read, never written
    *,
    instructions: Annotated[
        str,
        Setting(
            "Instructions", editor="prompt", help="What holds for every question; {{name}} makes an input"
        ),
    ] = "",
    answer_schema: Annotated[
        dict[str, Json] | None,
        Setting("Answer as", editor="json", help="A JSON Schema of type object; empty: text"),
    ] = None,
    temperature: Annotated[
        float | None, Setting("Temperature", editor="number", minimum=0, maximum=2)
    ] = None,
    max_tokens: Annotated[int | None, Setting("Tokens at most", editor="number", minimum=1)] = None,
    profile: Annotated[str, Setting("Chat profile", editor="profile", help="Empty: the run's")] = "",
    **inputs: Annotated[object, DynamicIn("One for each placeholder of the instructions")],
) -> AgentAnswer:
    """Ask once; with a schema, ask once more when the answer does not fit."""
    filled = fill(instructions, {"prompt": prompt, **inputs})
    system = (Message("system", filled),) if filled.strip() else ()
    messages = (*system, *history, Message("user", prompt))
    request = ChatRequest(messages, (), temperature, max_tokens, answer_schema)
    answer = (await context.chat(request, profile=profile)).message
    if answer_schema is None:
        return AgentAnswer(answer.content, [*messages, answer])
    data, messages = await read_structured(context, request, answer, profile=profile)
    return AgentAnswer(messages[-1].content, list(messages), data)


@dynamic_inputs(chat)
def chat_inputs(*, instructions: str, **_: object) -> Sequence[Port]:
    """One input for each placeholder of the instructions."""
    return ports_named(name for name in placeholders(instructions) if name != "prompt")


@dynamic_outputs(chat)
def chat_outputs(*, answer_schema: object, **_: object) -> Sequence[Port]:
    """The reply and the conversation; with a schema also the parsed answer."""
    ports = (
        Port(PortName("reply"), parse_type("text"), "reply", "The answer"),
        Port(PortName("messages"), parse_type("messages"), "messages", "The conversation with the answer"),
    )
    if answer_schema is None:
        return ports
    return (*ports, Port(PortName("data"), parse_type("json"), "data", "The answer as JSON of the schema"))
