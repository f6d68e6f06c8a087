r"""Debate: agents answer, read one another's answers, and answer again, round after round.

In the first round each answers the task by itself, all at once. In each further round each is told what those
whom it hears answered last, after what it answered itself, and answers anew. One that hears nobody is asked
to look at its own answer again, so one agent alone refines its answer.

| who hears | whom |
|---|---|
| all | everybody else |
| ring | the two beside it, in the order of the wires |
| star | the first hears everybody, the others hear the first |
| sparse | so many *Neighbours* that come next, in a circle |
| given | whom the lines name: `ada: ben, cleo` |

What is wired to `edges` holds in the place of that, so that it can be computed while a run goes on: an
object of lists, `{"ada": ["ben", "cleo"]}`, or a list of edges, `{"from": "ben", "to": "ada"}` where Ada
hears Ben, each perhaps with the only `round` that it holds in (from 2). Whoever has no edge hears nobody. To
compute them anew from what was answered, let a *Loop* hold one round at a time, and hand the `rounds` of one
on to `so_far` of the next: the debate goes on from there, for *Max. rounds* more.

It ends after so many rounds, when enough of them agree, or where the rule holds, which is asked after each
round: an expression over `agreement` (which part of the answers is the most common one, from 0 to 1),
`rounds`, `turns`, `text`, `speaker`, `speakers`, `tokens` and `seconds`. What most say at last wins, or what
a judge chooses, who is not told who said what; a tie goes to the answer that was given first, or as the
setting says.

Agents of the same name are told apart: `expert`, `expert_2`. One that fails takes the step along, or stands
by what it said before, and is asked again; where all fail, so does the step. Each turn is a part of the step,
with those that it hears before it.

```json
{
  "agents": [{"name": "ada"}, {"name": "ben"}],
  "settings": {"rounds": 2, "answers_as": "text", "answer_after": "Answer:", "limit": 1},
  "inputs": {"task": "What sang in the hedge?", "edges": {"ada": ["ben"], "ben": ["ada"]}},
  "chat": ["Answer: a wren", "Brown. Answer: a dunnock", "True. Answer: a dunnock", "Answer: a dunnock"],
  "outputs": {"reply": "a dunnock", "share": 1.0, "ended": "agreed", "agreement": [0.5, 1.0]}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from studio.building_blocks.settings.teams import (
    AgentAtFault,
    AgreementToStop,
    AllMessages,
    AnswerMarker,
    AnswersAs,
    HearingEdges,
    JudgesProfile,
    MaxRounds,
    Parallel,
    RoundsTable,
    SameAnswer,
    TeamQuestion,
    TieRule,
)
from studio.building_blocks.teams.ballots import Ballot, break_tie, distinct, first_choices, share_of
from studio.building_blocks.teams.polls import choice_of_judge
from studio.building_blocks.teams.rounds import ANEW, Rounds
from studio.building_blocks.teams.team_answers import agreement, stated
from studio.building_blocks.teams.termination import FACTS, Ending
from studio.building_blocks.teams.topologies import Topology, heard_by
from studio.building_blocks.teams.transcript import team_of
from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, node
from studio.sdk.expressions import expression_over

JUDGE = "You are shown where a debate has ended up. Choose the best answer: the one that is right."


@dataclass(frozen=True, slots=True)
class Debated:
    """What came of a debate, and how it went."""

    reply: Annotated[str, Out("reply", "The winning answer")]
    share: Annotated[float, Out("share", "Share of agents that gave it in the end")]
    speaker: Annotated[str, Out("speaker", "Who gave it")]
    ended: Annotated[str, Out("ended", "agreed, rule or rounds")]
    agreement: Annotated[list[float], Out("agreement", "Agreement, round by round")]
    rounds: RoundsTable
    messages: AllMessages


@node(
    "team.debate",
    title="Debate",
    effect=Effect.PAID_READ,
    keywords=("discussion", "multi-agent debate", "refine", "argue", "topology", "consensus", "judge"),
)
async def debate(
    context: Context,
    task: TeamQuestion,
    agents: Annotated[Sequence[Agent], In("The debaters")] = (),
    edges: HearingEdges = None,
    so_far: Annotated[Json, In("The rounds of a debate to continue")] = None,
    *,
    rounds: MaxRounds = 3,
    topology: Annotated[Topology, Setting("Who hears whom")] = "all",
    neighbours: Annotated[
        int, Setting("Neighbours", minimum=1, maximum=100, help="For the sparse topology")
    ] = 1,
    lines: Annotated[
        tuple[str, ...],
        Setting(
            "Connections", editor="list", help="For the given topology, one agent per line: ada: ben, cleo"
        ),
    ] = (),
    agreed: AgreementToStop = 1,
    ends_when: Annotated[
        str,
        Setting(
            "Ends when",
            editor="expression",
            help=f"Expression over agreement, {', '.join(FACTS)}; empty: never",
        ),
        AfterValidator(expression_over("agreement", *FACTS, optional=True)),
    ] = "",
    request: Annotated[
        str, Setting("Revision prompt", editor="text", help="Added after the others' answers")
    ] = ANEW,
    answers_as: AnswersAs = "JSON",
    answer_after: AnswerMarker = "",
    same: SameAnswer = "words",
    decided_by: Annotated[
        Literal["vote", "judge"], Setting("Decided by", help="Majority of the last round, or a judge")
    ] = "vote",
    ties: TieRule = "first",
    instructions: Annotated[
        str, Setting("Judge's instructions", editor="text", help="If a judge decides")
    ] = JUDGE,
    profile: JudgesProfile = "",
    limit: Parallel = 8,
    at_fault: AgentAtFault = "fail",
) -> Debated:
    """Let `agents` answer `task` until they agree, or the rounds are over."""
    team = team_of(agents)
    names = [one.name for one in team]
    talk = Rounds(context, task, answers_as, answer_after, same, limit, at_fault)
    talk.take_up(so_far, names)
    ending, shares, ended = Ending(context, ends_when).start(), list[float](), "rounds"
    for number in range(talk.number + 1, talk.number + 1 + rounds):
        context.progress(len(shares), rounds, f"round {number}")
        hears = heard_by(names, topology, neighbours=neighbours, lines=lines, edges=edges, number=number)
        said = await talk.hold(team, hears, request=request)
        shares.append(agreement([*talk.latest.values()], same))
        ending.rounds = talk.number
        held = [ending.after(name, one, agreement=shares[-1]) for name, one in said.items()]
        if any(held) or 0 < agreed <= shares[-1]:
            ended = "agreed" if 0 < agreed <= shares[-1] else "rule"
            break
    answers = [talk.latest[one.name] for one in team if one.name in talk.latest]
    options, places = distinct([one.answer for one in answers], same)
    count = first_choices(
        len(options), [Ballot(one.speaker, [at]) for one, at in zip(answers, places, strict=True)]
    )
    if decided_by == "judge":
        shown = [stated(answers[places.index(place)]) for place in range(len(options))]
        winner = await choice_of_judge(context, task, shown, instructions, profile=profile)
    else:
        winner = break_tie(context, count.leaders, ties)
    return Debated(
        options[winner],
        share_of(count.votes, winner),
        answers[places.index(winner)].speaker,
        ended,
        shares,
        talk.table,
        talk.messages,
    )
