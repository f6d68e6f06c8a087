"""Agent: works on a prompt with the tools that are lent to it.

The agent is asked, runs the tools it calls, is shown their answers, and is asked again, until it answers
without calling a tool. Every question and every tool call is a step of its own in the trace.

`{{name}}` in the instructions makes an input. With a schema under "Answer as", the answer is JSON, and
leaves parsed at `data`; an answer that does not fit is sent back once.

```json
{
  "settings": {"instructions": "Answer in one word. Topic: {{topic}}"},
  "inputs": {"prompt": "What sang?", "topic": "birds"},
  "chat": ["Dunnock"],
  "outputs": {"reply": "Dunnock"}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from studio.sdk import (
    Context,
    DynamicIn,
    Effect,
    In,
    Json,
    Port,
    PortName,
    Setting,
    Tool,
    dynamic_inputs,
    dynamic_outputs,
    node,
    parse_type,
    ports_named,
)
from studio.sdk.prelude.agent import AgentAnswer, run_agent
from studio.sdk.prelude.templates import fill, placeholders


@node("llm.agent", title="Agent", effect=Effect.PAID_READ, keywords=("tool", "assistant", "role", "react"))
async def agent(
    context: Context,
    prompt: Annotated[str, In("What the agent is to work on")],
    tools: Annotated[Sequence[Tool], In("What it may call")] = (),
    *,
    instructions: Annotated[
        str, Setting("Instructions", editor="prompt", help="Who the agent is; {{name}} makes an input")
    ] = "",
    answer_schema: Annotated[
        dict[str, Json] | None,
        Setting("Answer as", editor="json", help="A JSON Schema of type object; empty: text"),
    ] = None,
    turns: Annotated[int, Setting("Turns at most", minimum=1, maximum=100)] = 8,
    temperature: Annotated[
        float | None, Setting("Temperature", editor="number", minimum=0, maximum=2)
    ] = None,
    profile: Annotated[str, Setting("Chat profile", editor="profile", help="Empty: the run's")] = "",
    **inputs: Annotated[object, DynamicIn("One for each placeholder of the instructions")],
) -> AgentAnswer:
    """Let the agent work until it answers."""
    return await run_agent(
        context,
        prompt=prompt,
        instructions=fill(instructions, {"prompt": prompt, **inputs}),
        tools=tools,
        turns=turns,
        answer_schema=answer_schema,
        temperature=temperature,
        profile=profile,
    )


@dynamic_inputs(agent)
def agent_inputs(*, instructions: str, **_: object) -> Sequence[Port]:
    """One input for each placeholder of the instructions."""
    return ports_named(name for name in placeholders(instructions) if name != "prompt")


@dynamic_outputs(agent)
def agent_outputs(*, answer_schema: object, **_: object) -> Sequence[Port]:
    """The reply and the conversation; with a schema also the parsed answer."""
    ports = (
        Port(PortName("reply"), parse_type("text"), "reply", "The agent's last words"),
        Port(PortName("messages"), parse_type("messages"), "messages", "The whole conversation"),
    )
    if answer_schema is None:
        return ports
    return (*ports, Port(PortName("data"), parse_type("json"), "data", "The answer as JSON of the schema"))
