"""Team member: an agent to whom another may hand the conversation over.

An agent that has members at `colleagues` may hand over to each of them, and they to one another and back.
The one who takes over sees the whole conversation, with its own instructions in the place of the other's,
and calls the tools that are wired to it. Its memories remind it as they do an *Agent*, and know it by its
name. What it asks and calls are steps of the agent that the
conversation began with. To hand out a task and get an answer back, lend an *Agent as tool* instead.

```json
{
  "settings": {"name": "ornithologist", "description": "Knows birds.", "instructions": "You know birds."},
  "outputs": {"agent": "ornithologist"}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from studio.sdk import Agent, In, Memory, Setting, Tool, Yields, binding


@binding(
    "team.member",
    title="Team member",
    lends="agent",
    keywords=("hand off", "handoff", "swarm", "colleague", "specialist", "transfer"),
)
async def member(
    tools: Annotated[Sequence[Tool], In("What it may call")] = (),
    memory: Annotated[Sequence[Memory], In("What it remembers with, by its name")] = (),
    *,
    name: Annotated[
        str, Setting("Name", help="Letters, digits, `_` and `-`"), Field(pattern="^[a-zA-Z0-9_-]{1,48}$")
    ] = "expert",
    description: Annotated[
        str, Setting("Description", editor="text", help="What the others are told of it")
    ] = "",
    instructions: Annotated[str, Setting("Instructions", editor="text", help="Who the agent is")] = "",
    hands_over_to: Annotated[
        tuple[str, ...], Setting("Hands over to", editor="list", help="By name; empty: anybody")
    ] = (),
    temperature: Annotated[
        float | None, Setting("Temperature", editor="number", minimum=0, maximum=2)
    ] = None,
    profile: Annotated[str, Setting("Chat profile", editor="profile", help="Empty: the run's")] = "",
) -> Yields[Agent]:
    """Lend the agent."""
    yield Agent(name, description, instructions, tools, hands_over_to, temperature, profile, memories=memory)
