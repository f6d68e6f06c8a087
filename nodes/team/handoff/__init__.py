"""Handoff: agents hand a task over to one another until one answers.

The first at `agents` begins. Each is lent a tool for each colleague to whom it may hand over (those named
under *Hands over to* of the *Team member*, or anybody), and one for each of *Others*, such as `user`. Who
calls one has ended its turn; the next sees the task, what was said, and what was handed on. Of several such
calls the first counts. After so many hand-overs whoever has the word keeps it.

It is over where somebody answers without handing over (`ended` is `answered`), where the task is handed over
to one of the others (`handed over`, and `handed_over` says to whom), or where the rule holds (`rule`; see
*Round robin*). Where a member fails the team does; or
it goes back to the one who handed over to it, and with nobody to go back to `ended` is `failed`.

To go on, such as with what a person said to whom it was handed over, wire the transcript of the first part to
`history`, what is new to `task`, and the name of who is to go on to `first`.

```json
{
  "settings": {"others": ["user"]},
  "inputs": {"task": "What sang?"},
  "agents": [{"name": "desk", "instructions": "You send people on."}],
  "chat": ["A wren, I believe."],
  "outputs": {"reply": "A wren, I believe.", "speaker": "desk", "ended": "answered", "path": ["desk"]}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from nodes.team.handoff.transfer import Passing, takers_of
from studio.building_blocks.agents.tool_loop import HANDED_OVER
from studio.building_blocks.settings.teams import EndsWhen, SharedInstructions, TeamTask
from studio.building_blocks.teams.termination import Ending
from studio.building_blocks.teams.transcript import (
    FAILED,
    AtFault,
    heard_or_failed,
    member_named,
    roster,
    taken_up,
    team_of,
)
from studio.sdk import Agent, Context, Effect, In, Message, Out, Setting, StepError, Turn, node


@dataclass(frozen=True, slots=True)
class PassedOn:
    """What a team gives that hands over: as other teams, and where it went."""

    reply: Annotated[str, Out("reply", "The last message")]
    messages: Annotated[list[Message], Out("messages", "The transcript, starting with the task")]
    speaker: Annotated[str, Out("speaker", "Who spoke last")]
    ended: Annotated[str, Out("ended", "Why it ended: answered, handed over, rule, failed", label="ended by")]
    handed_over: Annotated[str, Out("handed_over", "The outside target it was handed over to, if any")]
    path: Annotated[list[str], Out("path", "The agents in the order they spoke")]


@node(
    "team.handoff",
    title="Handoff",
    effect=Effect.PAID_READ,
    keywords=("swarm", "transfer", "triage", "hand over", "escalate"),
)
async def handoff(
    context: Context,
    task: TeamTask,
    agents: Annotated[Sequence[Agent], In("The agents; the first one starts")] = (),
    history: Annotated[list[Message], In("An earlier transcript to continue from")] = [],  # noqa: B006  # read
    first: Annotated[str, In("Name of the agent that starts; empty: the first")] = "",
    *,
    hand_overs: Annotated[int, Setting("Max. hand-overs", minimum=0, maximum=1000)] = 10,
    others: Annotated[
        tuple[str, ...],
        Setting("Outside targets", editor="list", help="Handover targets outside the team, such as user"),
    ] = (),
    ends_when: EndsWhen = "",
    instructions: SharedInstructions = "",
    at_fault: Annotated[
        AtFault, Setting("If a member fails", help="Fail, or return to the previous agent")
    ] = "fail",
) -> PassedOn:
    """Let each work until it hands over, and the last of them answer."""
    team = team_of(agents)
    outside = [one for one in others if all(one != member.name for member in team)]
    conversation = taken_up(task, history, [one.name for one in team])
    ending, came_from = Ending(context, ends_when).start(), list[Agent]()
    speaker = member_named(team, first) if first.strip() else team[0]
    if speaker is None:
        raise StepError(f"The team has no agent `{first}`.", hint=f"There are:\n{roster(team)}")
    while True:
        passing = Passing(takers_of(speaker, team, outside) if hand_overs else {})
        history, prompt = conversation.seen_by(speaker.name)
        turn = Turn(prompt, history, instructions, speaker.name, passing.tools(team), stops=passing)
        said = passing.words_of(await heard_or_failed(context, speaker, turn, at_fault=at_fault))
        conversation.add(speaker.name, said.reply)
        ending.rounds = (ending.turns + 1) // len(team)
        is_over = ending.after(speaker.name, said, handed_over=passing.taker)
        taker = next((one for one in team if one.name == passing.taker), None)
        if is_over or passing.taker in outside:
            break
        if said.ended == FAILED and came_from:
            speaker = came_from.pop()
        elif taker is not None:
            came_from.append(speaker)
            speaker = taker
        else:
            break
        hand_overs = max(0, hand_overs - 1)
    reason = "rule" if is_over else FAILED if said.ended == FAILED else HANDED_OVER
    over = conversation.concluded(reason if is_over or passing.taker or said.ended == FAILED else "answered")
    gone = passing.taker if passing.taker in outside else ""
    return PassedOn(over.reply, over.messages, over.speaker, over.ended, gone, ending.speakers)
