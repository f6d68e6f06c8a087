"""Agents that are lent, and have their turns in somebody else's step.

A turn is a call, like that of a tool, under the agent's name: it stands in the trace with the task, what the
agent asked and called within it, and the reply; the debugger holds it, and a person may edit either.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studio.building_blocks.agents.caller_identity import acting_as
from studio.building_blocks.agents.remembrance import Remembrance
from studio.building_blocks.agents.tool_loop import run_agent
from studio.sdk import (
    Agent,
    ChatAnswer,
    Context,
    Effect,
    Message,
    Said,
    StepError,
    Stops,
    Tool,
    ToolCall,
    Turn,
    strongest,
)

TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What it is to do"}},
    "required": ["task"],
    "additionalProperties": False,
}


async def speak(context: Context, agent: Agent, turn: Turn, *, part: str = "", raises: bool = False) -> Said:
    """Let an agent have its turn, as a call under its name; `part` is the part of the step that it works on.

    Raises `StepError` where the agent fails; with `raises` that is a `ToolError`, as is all that goes wrong.
    """
    work, heard = agent.work, list[Said]()
    if work is None:
        raise StepError(f"`{agent.name}` can only be handed a conversation over to.")
    name = turn.speaker or agent.name

    async def answer(arguments: Mapping[str, object]) -> str:
        """Let it work on the task, which a person may have edited."""
        heard.append(await work(replace(turn, speaker=name, prompt=str(arguments["task"]))))
        return heard[-1].reply

    effect = strongest(Effect.PAID_READ, *(tool.effect for tool in (*agent.tools, *turn.tools)))
    tool = Tool(name, agent.description, TASK, answer, effect, runs_steps=True, of=work)
    asked = json.dumps({"task": turn.prompt}, ensure_ascii=False)
    reply = await context.call(tool, ToolCall(part, name, asked), raises=raises)
    if heard and heard[-1].reply == reply:
        return heard[-1]
    # A person answered in its place.
    said = [*turn.history, Message("user", turn.prompt), Message("assistant", reply)]
    return Said(reply, said, "edited", tokens=heard[-1].tokens if heard else 0)


async def take_turn(
    context: Context,
    agent: Agent,
    turn: Turn,
    *,
    turns: int = 8,
    at_limit: Literal["fail", "answer", "stop"] = "fail",
) -> Said:
    """Do what a turn asks, in the context of the node that lends the agent."""
    lent: Sequence[Tool] = acting_as(turn.speaker or agent.name, (*agent.tools, *turn.tools))
    history, through, kept = turn.history, None, None
    if agent.memories:
        kept = Remembrance(context, turn.prompt, 5)
        through = await kept.remind(context, agent.memories, turn.speaker or agent.name, lent)
        lent = through.tools
        history = [*not_said_in(history, through.history), *history]
    counted = Counted(turn.stops)
    answered = await run_agent(
        context,
        prompt=turn.prompt,
        instructions="\n\n".join(part for part in (agent.instructions, turn.role) if part.strip()),
        history=history,
        tools=lent,
        turns=turns,
        at_limit=at_limit,
        answer_schema=turn.answer_schema,
        temperature=agent.temperature,
        effort=agent.effort,
        profile=agent.profile,
        speaker=turn.speaker or agent.name,
        through=through,
        stops=counted,
    )
    if kept is not None:
        await kept.keep(answered.reply)
    return Said(
        answered.reply, answered.messages, answered.ended, answered.data, answered.fields, counted.tokens
    )


def not_said_in(history: Sequence[Message], remembered: Sequence[Message]) -> list[Message]:
    """What is remembered from before a conversation, which may itself be what is remembered last."""
    own = [one.content for one in history if one.role == "assistant"]
    others = [one.content for one in history if one.role == "user"]
    left = [*remembered]
    while own and left:
        text = left[-1].content
        if text in own:
            own.remove(text)
        elif not any(one.endswith(f": {text}") for one in others):  # nor did one say it who shares the memory
            break
        del left[-1]
        while left and left[-1].role != "assistant":
            del left[-1]
    return left


@dataclass(slots=True)
class Counted:
    """Counts what an agent used; `stops` may end its turn."""

    stops: Stops | None = None
    tokens: int = 0

    def heard(self, answer: ChatAnswer) -> str:
        """Count an answer."""
        self.tokens += answer.usage.total
        return self.stops.heard(answer) if self.stops else ""

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Ask whether one of these calls ends the turn."""
        return self.stops.worked(called) if self.stops else ("", "")
