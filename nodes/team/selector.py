"""Selector: a model chooses who speaks next.

It reads what was said so far and who is there, and answers with a name. Nobody speaks twice in a row unless
*Twice in a row* says so; after a member that *hands over to* some, one of these speaks, where any is there.
Where one alone is left to choose, nobody is asked. An answer that names somebody else is sent back, as often
as *Repairs at most* says; after that the next in the order of the wires speaks, or the step fails.

It ends after so many turns, where the rule holds (see *Round robin*; a round is as many turns as there are
members), or where the one who chooses says that the task is done, if that is allowed. `ended` says which:
`turns`, `rule` or `done`. Who hears whom can be wired to `edges`, as at *Round robin*; the one who chooses
reads all.

```json
{
  "settings": {"turns": 3, "instructions": "Let the doubtful speak last."},
  "inputs": {"task": "What sang?"},
  "agents": [
    {"name": "ada", "description": "Knows birds."},
    {"name": "ben", "description": "Doubts."},
    {"name": "cy", "description": "Decides."}
  ],
  "chat": [
    {"reason": "It is about a bird.", "next": "ada"},
    "A wren.",
    {"reason": "Somebody else.", "next": "dan"},
    {"reason": "Doubt it.", "next": "ben"},
    "Was it not a dunnock?",
    {"reason": "Decide.", "next": "cy"},
    "It was a wren."
  ],
  "outputs": {"reply": "It was a wren.", "speaker": "cy", "ended": "turns"}
}
```
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from studio.building_blocks.settings.models import Repairs
from studio.building_blocks.settings.teams import EndsWhen, HearingEdges, MaxTurns, MemberAtFault, TeamTask
from studio.building_blocks.teams.speaker_selection import Choice, choose_speaker
from studio.building_blocks.teams.termination import Ending
from studio.building_blocks.teams.topologies import hearers
from studio.building_blocks.teams.transcript import (
    Concluded,
    Conversation,
    let_speak,
    roster,
    team_of,
)
from studio.sdk import Agent, Context, Effect, In, Setting, StepError, node

CHOOSE = "You lead a team that works on a task, and choose who speaks next."


@node(
    "team.selector",
    title="Selector",
    effect=Effect.PAID_READ,
    keywords=("group chat", "manager", "next speaker", "moderator", "route"),
)
async def selector(
    context: Context,
    task: TeamTask,
    agents: Annotated[Sequence[Agent], In("The agents")] = (),
    edges: HearingEdges = None,
    *,
    turns: MaxTurns = 10,
    instructions: Annotated[
        str, Setting("Selection instructions", editor="text", help="The team is added automatically")
    ] = CHOOSE,
    ends_when: EndsWhen = "",
    may_end: Annotated[
        bool, Setting("Can end the conversation", help="Whether the selector can say that the task is done")
    ] = False,
    again: Annotated[
        bool, Setting("Repeat speaker", help="Whether an agent can speak twice in a row")
    ] = False,
    told_to_all: Annotated[
        str, Setting("Shared instructions", editor="text", help="Added to every member's instructions")
    ] = "",
    profile: Annotated[
        str, Setting("Chat profile", editor="profile", help="For the selector; empty: same as the run")
    ] = "",
    repairs: Repairs = 2,
    without: Annotated[
        Literal["next in turn", "fail"], Setting("If nobody is chosen", help="After the last repair")
    ] = "next in turn",
    at_fault: MemberAtFault = "fail",
) -> Concluded:
    """Let one after the other speak, as they are chosen."""
    team, speaker = team_of(agents), None
    conversation, ending = Conversation(task), Ending(context, ends_when).start()
    chooser = f"{instructions}\n\nThe team:\n{roster(team)}"
    for turn in range(turns):
        context.progress(turn, turns)
        candidates = able_to_follow(speaker, team, again=again)
        choice = Choice(candidates[0])
        if len(candidates) > 1 or may_end:
            choice = await choose_speaker(
                context,
                candidates,
                conversation.messages,
                instructions=chooser,
                may_end=may_end,
                profile=profile,
                repairs=repairs,
            )
        if choice.who is None and without == "fail":
            raise StepError("No speaker was chosen.", hint="Name the agents in the instructions.")
        if choice.done:
            return conversation.concluded("done")
        speaker = choice.who or next_in_turn(speaker, candidates, team)
        to = hearers(speaker.name, [one.name for one in team], edges, turn)
        said = await let_speak(context, speaker, conversation, role=told_to_all, to=to, at_fault=at_fault)
        ending.rounds = (turn + 1) // len(team)
        if ending.after(speaker.name, said):
            return conversation.concluded("rule")
    return conversation.concluded("turns")


def able_to_follow(speaker: Agent | None, team: Sequence[Agent], *, again: bool) -> list[Agent]:
    """Who may speak after somebody; a team of one speaks to itself."""
    if speaker is None:
        return [*team]
    named = [one for one in team if one.name in speaker.passes_to]
    others = [one for one in named or team if one is not speaker or again]
    return others or [speaker]


def next_in_turn(speaker: Agent | None, candidates: Sequence[Agent], team: Sequence[Agent]) -> Agent:
    """Who of the candidates comes next in the order of the team."""
    names = [one.name for one in team]
    place = names.index(speaker.name) + 1 if speaker is not None else 0
    order = [*names[place:], *names[:place]]
    return min(candidates, key=lambda one: order.index(one.name))
