"""Handing a task over by a tool: who may be handed over to, and the turn that ends with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.building_blocks.agents.handoffs import NOTE
from studio.building_blocks.agents.tool_loop import HANDED_OVER
from studio.llm.wire_names import sendable_name
from studio.sdk import Agent, ChatAnswer, Said, Tool


def takers_of(speaker: Agent, team: Sequence[Agent], others: Sequence[str]) -> dict[str, str]:
    """To whom a member may hand over: the name of each, by the tool that does it."""
    named = [one.name for one in team if one is not speaker]
    allowed = [one for one in (*named, *others) if not speaker.passes_to or one in speaker.passes_to]
    return {sendable_name(f"hand_over_to_{one}"): one for one in allowed}


@dataclass(slots=True)
class Passing:
    """Ends a turn with the first hand-over; `taker` is to whom, `told` what was said with it."""

    takers: Mapping[str, str] = field(default_factory=dict[str, str])
    taker: str = ""
    told: str = ""

    def tools(self, team: Sequence[Agent]) -> list[Tool]:
        """The tools by which it is done."""
        about = {one.name: one.description for one in team}
        return [passing_tool(name, taker, about.get(taker, "")) for name, taker in self.takers.items()]

    def words_of(self, said: Said) -> Said:
        """What was said in the turn, with what was handed on; who was answered for handed nothing over."""
        if said.ended != HANDED_OVER:
            self.taker = ""
            return said
        last = max(place for place, one in enumerate(said.messages) if one.role == "user")
        words = [one.content for one in said.messages[last:] if one.role == "assistant"]
        return replace(said, reply="\n\n".join(one for one in (*words, self.told) if one.strip()))

    def heard(self, answer: ChatAnswer) -> str:
        """Nothing that is said ends the turn."""
        del answer
        return ""

    def worked(self, called: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """End the turn where it was handed over."""
        for name, text in called:
            if name in self.takers:
                self.taker, self.told = self.takers[name], text
                return HANDED_OVER, ""
        return "", ""


def passing_tool(name: str, taker: str, about: str) -> Tool:
    """The tool that hands over to somebody; its answer is what the others read."""

    async def tell(arguments: Mapping[str, object]) -> str:
        """Say who takes over, with what."""
        note = str(arguments.get("note", "")).strip()
        return f"(I hand over to `{taker}`: {note})" if note else f"(I hand over to `{taker}`.)"

    return Tool(name, f"Hand the task over to `{taker}`. {about}".strip(), NOTE, tell)
