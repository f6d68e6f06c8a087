"""Orchestrator: plan a task, assign work turn by turn, and replan when it stalls.

As in Magentic-One: the lead first surveys the task (known, to look up, to work out, guessed) and makes a plan
of steps for the team, which everybody reads: the task ledger. Before each turn it looks at the progress:
whether the task is solved, whether the work runs in a circle or gets nowhere, which steps are done, and who
does what next. Whoever is named is given that as its task, and sees what was said since the plan was made.

**Stuck.** A look that finds a circle or no progress is a stall; one that finds progress makes up for one.
With so many stalls the survey is put right, a new plan is made, and all begin anew with these two. A member
that fails does not end the work: its failure is what it said. After so many new plans, or turns, or where the
rule holds (see *Round robin*; besides `stalls` and `plans`), the lead answers from what there is. `ended` is
`satisfied`, `stalled`, `turns` or `rule`.

**The team** is whoever is wired to it: nothing is to be said about them elsewhere. An answer of the lead that
names somebody else, or is not in its form, is sent back; after the last repair the next member goes on, which
is a stall. A survey or plan that never fits fails the step.

```json
{
  "inputs": {"task": "What does a wren weigh?"},
  "agents": [{"name": "reader", "instructions": "You read books.", "description": "Reads books."}],
  "chat": [
    {"reason": "-", "given": [], "look_up": ["its weight"], "derive": [], "guesses": ["10 g"]},
    {"reason": "-", "steps": [{"title": "Look up the weight", "who": "reader"}]},
    {
      "reason": "Nothing yet.", "satisfied": false, "in_loop": false, "progressing": true, "done": [],
      "step": 1, "next_speaker": "reader", "instruction": "Look up the weight."
    },
    "9 grams, says the handbook.",
    {
      "reason": "Found.", "satisfied": true, "in_loop": false, "progressing": true, "done": [1],
      "step": 0, "next_speaker": "reader", "instruction": ""
    },
    "A wren weighs 9 grams."
  ],
  "outputs": {
    "reply": "A wren weighs 9 grams.",
    "ended": "satisfied",
    "plan": [{"step": "Look up the weight", "who": "reader", "status": "done"}],
    "plans": 1
  }
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from nodes.team.orchestrator.ledgers import ANSWER_ASKED, LEAD
from nodes.team.orchestrator.orchestration import Work
from studio.building_blocks.settings.models import Repairs
from studio.building_blocks.settings.teams import MaxTurns, MemberAtFault, TeamTask
from studio.building_blocks.teams.termination import ENDS_HELP, FACTS, Ending
from studio.building_blocks.teams.transcript import team_of
from studio.sdk import Agent, Context, Effect, In, Json, Message, Out, Setting, node
from studio.sdk.expressions import expression_over


@dataclass(frozen=True, slots=True)
class Orchestrated:
    """What a team that is led gives: as other teams, and both ledgers as they were at the end."""

    reply: Annotated[str, Out("reply", "The answer to the task")]
    messages: Annotated[list[Message], Out("messages", "The transcript, grouped by plan")]
    speaker: Annotated[str, Out("speaker", "The last speaker")]
    ended: Annotated[str, Out("ended", "Why it ended: satisfied, stalled, turns or rule", label="ended by")]
    facts: Annotated[Json, Out("facts", "The last survey: given, look_up, derive, guesses")]
    plan: Annotated[list[Json], Out("plan", "The last plan: step, who, status")]
    plans: Annotated[int, Out("plans", "Number of plans made")]


@node(
    "team.orchestrator",
    title="Orchestrator",
    effect=Effect.PAID_READ,
    keywords=("magentic", "lead", "manager", "ledger", "delegate", "supervisor", "replan"),
)
async def orchestrator(
    context: Context,
    task: TeamTask,
    agents: Annotated[Sequence[Agent], In("Agents that can be assigned work")] = (),
    *,
    turns: MaxTurns = 20,
    stalls: Annotated[
        int, Setting("Stalls", minimum=1, maximum=100, help="Stalled turns before replanning")
    ] = 3,
    replans: Annotated[int, Setting("Max. new plans", minimum=0, maximum=100)] = 2,
    instructions: Annotated[
        str, Setting("Instructions", editor="text", help="Who the lead is; the team is added automatically")
    ] = LEAD,
    answer_as: Annotated[
        str, Setting("Final prompt", editor="text", help="How the lead should answer")
    ] = ANSWER_ASKED,
    ends_when: Annotated[
        str,
        Setting("Ends when", editor="expression", help=ENDS_HELP.replace("Over ", "Over stalls, plans, ")),
        AfterValidator(expression_over(*FACTS, "stalls", "plans", optional=True)),
    ] = "",
    profile: Annotated[
        str, Setting("Chat profile", editor="profile", help="For the lead; empty: same as the run")
    ] = "",
    repairs: Repairs = 2,
    at_fault: MemberAtFault = "go on",
) -> Orchestrated:
    """Plan, and let members work on the plan until the task is solved or the work may not go on."""
    team = team_of(agents)
    work = Work(
        context, task, team, instructions, lead_of(team), profile=profile, repairs=repairs, at_fault=at_fault
    )
    ending, speaker, ended = Ending(context, ends_when).start(), "", "turns"
    await work.plan()
    while work.turns < turns:
        context.progress(work.turns, turns, speaker)
        progress = await work.look(speaker)
        if progress.satisfied:
            ended = "satisfied"
            break
        if work.stalls >= stalls and work.plans > replans:
            ended = "stalled"
            break
        if work.stalls >= stalls:
            await work.plan()
            continue
        speaker = progress.speaker
        said = await work.delegate(progress)
        ending.rounds = work.turns // len(team)
        if ending.after(speaker, said, stalls=work.stalls, plans=work.plans):
            ended = "rule"
            break
    work.finish(satisfied=ended == "satisfied")
    reply = await work.answer(answer_as)
    messages = [*work.transcript, *work.talk.messages]
    return Orchestrated(reply, messages, speaker, ended, work.survey.plain, work.plain_plan(), work.plans)


def lead_of(team: Sequence[Agent]) -> str:
    """What the lead is called in the transcript; no member is called so."""
    name = "orchestrator"
    while any(one.name == name for one in team):
        name += "_"
    return name
