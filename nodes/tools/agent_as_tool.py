r"""Agent as tool: another agent as a tool: it gets a task and returns an answer.

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

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator

from studio.building_blocks.agents.remembrance import Remembrance
from studio.building_blocks.agents.tool_loop import run_agent
from studio.building_blocks.settings.models import ChatProfile, Temperature
from studio.building_blocks.settings.tools import AgentInstructions, AgentMemory, AgentTools, AgentTurns
from studio.sdk import (
    Context,
    Effect,
    Setting,
    StepError,
    Tool,
    ToolError,
    Yields,
    binding,
    lendable_name,
    strongest,
)

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
    tools: AgentTools = (),
    memory: AgentMemory = (),
    *,
    name: Annotated[
        str, Setting("Name", help="Tool name, as the calling agent sees it"), AfterValidator(lendable_name)
    ] = "expert",
    description: Annotated[
        str, Setting("Description", editor="text", help="Tool description for the calling agent")
    ] = "Give an expert a task, and get the answer.",
    instructions: AgentInstructions = "",
    turns: AgentTurns = 8,
    at_limit: Annotated[
        Literal["fail", "answer", "stop"],
        Setting(
            "At the turn limit", help="Fail, answer once more without tools, or stop with its last message"
        ),
    ] = "fail",
    temperature: Temperature = None,
    profile: ChatProfile = "",
) -> Yields[Tool]:
    """Lend the agent."""

    async def work(arguments: Mapping[str, object]) -> str:
        """Let it work until it answers; that it does not come to an end is told in words."""
        task, lent = str(arguments["task"]), tools
        kept = through = None
        if memory:
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
        if kept is not None:
            await kept.keep(answered.reply)
        return answered.reply

    effect = strongest(Effect.PAID_READ, *(tool.effect for tool in tools))
    yield Tool(name, description, TASK, work, effect, runs_steps=True)
