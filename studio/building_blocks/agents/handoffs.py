"""Agents that hand a conversation over to one another: each speaks with its own instructions and tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from studio.building_blocks.agents.remembrance import Remembrance
from studio.building_blocks.agents.tool_loop import HANDED_OVER, AgentAnswer, run_agent
from studio.building_blocks.answers.chats import Chats
from studio.llm.client import SchemaBy
from studio.sdk import Agent, ChatAnswer, Context, Message, StepError, Stops, Tool

NOTE = {
    "type": "object",
    "properties": {"note": {"type": "string", "description": "What the other should know or do"}},
    "additionalProperties": False,
}


async def run_team(
    context: Context,
    *,
    first: Agent,
    colleagues: Sequence[Agent],
    prompt: str,
    hand_overs: int = 5,
    history: Sequence[Message] = (),
    turns: int = 8,
    at_limit: Literal["fail", "answer", "stop"] = "fail",
    parallel: bool = True,
    answer_schema: Mapping[str, Any] | None = None,
    schema_by: SchemaBy = "auto",
    repairs: int = 1,
    chats: Chats | None = None,
    stops: Stops | None = None,
    recalled: int = 5,
    memory_tools: bool = True,
) -> AgentAnswer:
    """Let `first` work on `prompt`, and whoever it hands the conversation over to; see `run_agent`.

    `turns` counts for all together; after so many `hand_overs` whoever has the word keeps it. Each memory
    reminds of at most so many `recalled` items, and knows `first` by its node.
    """
    team = {one.name: one for one in (first, *colleagues)}
    if len(team) <= len(colleagues):
        raise StepError("Two agents have the same name, so a handover would be ambiguous.")
    speaker, ends = first, HandOver(stops)
    kept: Remembrance | None = None
    while True:
        takers = others(speaker, team) if hand_overs else []
        ends.takers = {f"hand_over_to_{one.name}": one for one in takers}
        through, lent = chats, speaker.tools
        if speaker.memories:
            kept = kept or Remembrance(context, prompt, recalled, lends_tools=memory_tools)
            called = "" if speaker is first else speaker.name
            through = await kept.remind(chats or context, speaker.memories, called, lent)
            lent = through.tools
            history = history if ends.turns else [*through.history, *history]
        answer = await run_agent(
            context,
            prompt=prompt,
            instructions=speaker.instructions,
            history=history,
            tools=[*lent, *(hand_over(name, one) for name, one in ends.takers.items())],
            turns=turns - ends.turns,
            at_limit=at_limit,
            parallel=parallel,
            answer_schema=answer_schema,
            schema_by=schema_by,
            repairs=repairs,
            temperature=speaker.temperature,
            effort=speaker.effort,
            profile=speaker.profile,
            speaker=speaker.name if len(team) > 1 else "",
            through=through,
            stops=ends,
        )
        if ends.taker is None or answer.ended != HANDED_OVER:
            if kept is not None:
                await kept.keep(answer.reply)
            return replace(answer, speaker=speaker.name)
        speaker, prompt, history = ends.taker, "", answer.messages
        hand_overs -= 1


def others(speaker: Agent, team: Mapping[str, Agent]) -> list[Agent]:
    """Those whom a speaker may hand over to."""
    return [
        one
        for name, one in team.items()
        if one is not speaker and (not speaker.passes_to or name in speaker.passes_to)
    ]


def hand_over(name: str, taker: Agent) -> Tool:
    """The tool by which the conversation is handed over."""

    async def confirm(_: Mapping[str, object]) -> str:
        """Say that it is handed over; the loop does it."""
        return f"`{taker.name}` takes over."

    about = f"Hand the conversation over to `{taker.name}`. {taker.description}".strip()
    return Tool(name, about, NOTE, confirm)


@dataclass(slots=True)
class HandOver:
    """Ends an agent's part where it hands over; `stops` may end the whole before."""

    stops: Stops | None
    takers: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    turns: int = 0
    taker: Agent | None = None

    def heard(self, answer: ChatAnswer) -> str:
        """Count a turn."""
        self.turns += 1
        return self.stops.heard(answer) if self.stops else ""

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Look for a hand-over; of several, the first counts."""
        reason, reply = self.stops.worked(called) if self.stops else ("", "")
        self.taker = next((self.takers[name] for name, _ in called if name in self.takers), None)
        return (reason, reply) if reason or self.taker is None else (HANDED_OVER, "")
