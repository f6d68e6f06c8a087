"""Team member: an agent that takes turns in a team, or to which others hand over.

A team lets its members have their turns, each as a call under the member's name: what the member asks and
calls stands within. An *Agent* that has members at `colleagues` may hand over to each of them, and they to
one another and back; the one who takes over sees the whole conversation, with its own instructions in the
place of the other's, and what it asks and calls are steps of the agent that the conversation began with.

It works with the tools that are wired to it, and its memories remind it as they do an *Agent*, and know it by
its name. To hand out a task and get an answer back, lend an *Agent as tool* instead.

```json
{
  "settings": {"name": "ornithologist", "description": "Knows birds.", "instructions": "You know birds."},
  "outputs": {"agent": "ornithologist"}
}
```
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from studio.building_blocks.agents.turns import take_turn
from studio.building_blocks.settings.models import ChatProfile, ReasoningEffort, Temperature
from studio.building_blocks.settings.tools import AgentInstructions, AgentMemory, AgentName, AgentTools
from studio.sdk import Agent, Context, Effect, Setting, Yields, binding


@binding(
    "team.member",
    title="Team member",
    lends="agent",
    effect=Effect.PAID_READ,
    keywords=("hand off", "handoff", "swarm", "colleague", "specialist", "transfer"),
)
async def member(
    context: Context,
    tools: AgentTools = (),
    memory: AgentMemory = (),
    *,
    name: AgentName = "expert",
    description: Annotated[
        str, Setting("Description", editor="text", help="Description told to the others")
    ] = "",
    instructions: AgentInstructions = "",
    hands_over_to: Annotated[
        tuple[str, ...], Setting("Can hand over to", editor="list", help="Names; empty: anyone")
    ] = (),
    temperature: Temperature = None,
    profile: ChatProfile = "",
    turns: Annotated[
        int, Setting("Max. turns", minimum=1, maximum=100, help="Tool turns per turn of the team")
    ] = 8,
    at_limit: Annotated[
        Literal["fail", "answer", "stop"],
        Setting("At the turn limit", help="Fail, answer without tools, or stop with its last message"),
    ] = "fail",
    effort: ReasoningEffort = "",
) -> Yields[Agent]:
    """Lend the agent."""
    about = (name, description, instructions, tools, hands_over_to, temperature, profile)
    one = Agent(*about, memories=memory, effort=effort)
    yield replace(one, work=partial(take_turn, context, one, turns=turns, at_limit=at_limit))
