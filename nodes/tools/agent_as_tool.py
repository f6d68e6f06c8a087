r"""Agent as tool: lends an agent another agent, to which it hands a task and from which it gets an answer.

The other agent sees the task and its own instructions, and nothing of the conversation around it; so the
task has to say all that it needs. It works with the tools that are wired to it, and remembers with its
memories, which know it by its name: with a conversation at `memory` it goes on from earlier tasks. Its
questions to the language model, and the tools that it calls, are steps of this node.

```json
{
  "settings": {"name": "ornithologist", "instructions": "You know birds. Answer in one word."},
  "chat": ["Dunnock"],
  "calls": [{"tool": "ornithologist", "arguments": {"task": "What sang in the hedge?"}}],
  "outputs": {"tool": ["Dunnock"]}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator

from studio.sdk import (
    Context,
    Effect,
    In,
    Memory,
    Setting,
    StepError,
    Tool,
    ToolError,
    Yields,
    binding,
    lendable_name,
    strongest,
)
from studio.sdk.prelude.agent import run_agent
from studio.sdk.prelude.remembering import Remembrance

TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "The whole task, with all it needs to know"}},
    "required": ["task"],
    "additionalProperties": False,
}


@binding(
    "tools.agent_as_tool",
    title="Agent as tool",
    effect=Effect.PAID_READ,
    keywords=("delegate", "expert", "subagent", "assistant", "specialist"),
)
async def agent_as_tool(
    context: Context,
    tools: Annotated[Sequence[Tool], In("What it may call")] = (),
    memory: Annotated[Sequence[Memory], In("What it remembers with, by its name")] = (),
    *,
    name: Annotated[
        str, Setting("Name", help="What the other agent calls it"), AfterValidator(lendable_name)
    ] = "expert",
    description: Annotated[
        str, Setting("Description", editor="text", help="What the other agent is told of it")
    ] = "Give an expert a task, and get the answer.",
    instructions: Annotated[str, Setting("Instructions", editor="text", help="Who the agent is")] = "",
    turns: Annotated[int, Setting("Turns at most", minimum=1, maximum=100)] = 8,
    at_limit: Annotated[
        Literal["fail", "answer", "stop"],
        Setting(
            "At its last turn", help="fail, answer once more without tools, or stop with what it said last"
        ),
    ] = "fail",
    temperature: Annotated[
        float | None, Setting("Temperature", editor="number", minimum=0, maximum=2)
    ] = None,
    profile: Annotated[str, Setting("Chat profile", editor="profile", help="Empty: the run's")] = "",
) -> Yields[Tool]:
    """Lend the agent."""

    async def work(arguments: Mapping[str, object]) -> str:
        """Let it work until it answers; that it does not come to an end is told in words."""
        task, lent = str(arguments["task"]), tools
        kept = None  # only with: memory
        through = None
        if memory:  # only with: memory
            kept = Remembrance(context, task, 5)
            through = await kept.remind(context, memory, name, tools)
            lent = through.tools
        try:
            answered = await run_agent(
                context,
                prompt=task,
                instructions=instructions,
                history=through.history if through else (),
                tools=lent,
                turns=turns,
                at_limit=at_limit,
                temperature=temperature,
                profile=profile,
                through=through,
            )
        except StepError as error:
            raise ToolError(error.message, hint=error.hint) from error
        if kept is not None:  # only with: memory
            await kept.keep(answered.reply)
        return answered.reply

    effect = strongest(Effect.PAID_READ, *(tool.effect for tool in tools))
    yield Tool(name, description, TASK, work, effect, runs_steps=True)
