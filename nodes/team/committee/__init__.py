r"""Committee: agents answer in rounds and rate one another; the weakest are removed.

In the first round each answers by itself, all at once. In each further round each is told what the others
answered before, marks each of these answers from 1 to 5, and answers anew. After the round, so many *are let
go*, who neither answer nor vote any more: those whose answers were marked lowest, or those whom a ranker does
not choose, which is shown all answers at once, without names, before another round is held. It ends when
enough of those that are left agree, when the rule holds, or after so many rounds; what most of them say at
last wins. The rule is an expression over `agreement`, `members` (how many are left), `rounds`, `turns`,
`text`, `speaker`, `speakers`, `tokens` and `seconds`, asked after each round.

`importance` has what each contributed, in parts of 1: those who gave the answer that won share the worth of
the last round; each passes its worth back to those whom it heard, as it marked them. `ranking` has the names,
the most important first, so that a second committee can be made of the best: its `only` names those who take
part. That is how DyLAN chooses its team.

Who hears and marks whom can be wired to `edges`, as it was computed: an object of lists, `{"ada": ["ben"]}`,
or a list of `{"from": "ben", "to": "ada"}` where Ada hears Ben, each perhaps with the only `round` that it
holds in (from 2). Otherwise each hears all others. Whom nobody marks is not let go by marks.

Of equals the one that was wired later is let go, and the answer that was given first wins, or as the setting
says. One agent alone answers once. Agents of the same name are told apart: `expert`, `expert_2`. One that
fails takes the step along, or stands by what it said before, without marking anybody; where all fail, so does
the step. Each turn is a part of the step, with its marks; those that were let go are dropped.

```json
{
  "agents": [{"name": "ada"}, {"name": "ben"}, {"name": "cleo"}],
  "settings": {"rounds": 2, "limit": 1},
  "inputs": {"task": "What sang?", "only": ["ada", "ben"]},
  "chat": [
    "{\"reason\": \"It was loud.\", \"answer\": \"a wren\"}",
    "{\"reason\": \"It was brown.\", \"answer\": \"a dunnock\"}",
    "{\"reason\": \"True.\", \"answer\": \"a dunnock\", \"ratings\": [{\"agent\": \"ben\", \"score\": 5}]}",
    "{\"reason\": \"Hm.\", \"answer\": \"a dunnock\", \"ratings\": [{\"agent\": \"ada\", \"score\": 1}]}"
  ],
  "outputs": {"reply": "a dunnock", "ended": "agreed", "importance": {"ada": 0.5, "ben": 0.5}}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from nodes.team.committee.importance import Ratings, importance, means_of, weakest
from studio.bounds.schemas import mismatch
from studio.building_blocks.settings.teams import (
    AgentAtFault,
    AgreementToStop,
    AllMessages,
    HearingEdges,
    MaxRounds,
    Parallel,
    RoundsTable,
    SameAnswer,
    TeamQuestion,
    TieRule,
)
from studio.building_blocks.teams.ballots import Ballot, Ties, break_tie, distinct, first_choices, share_of
from studio.building_blocks.teams.polls import best_by_ranker
from studio.building_blocks.teams.rounds import Rounds
from studio.building_blocks.teams.team_answers import agreement, fields_in, stated
from studio.building_blocks.teams.termination import FACTS, Ending
from studio.building_blocks.teams.topologies import heard_by
from studio.building_blocks.teams.transcript import team_of
from studio.sdk import Agent, Context, Effect, In, Out, Said, Setting, StepError, node
from studio.sdk.expressions import expression_over

RATE = (
    "Mark each of these answers by how much it helps to find the right one, from 1 (misleads) to 5 (is "
    "right, for good reasons). Then answer the question anew."
)
RANK = (
    "You are shown the answers of several agents to one question. Think step by step, and choose the best "
    "ones."
)
MARKS = 5


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a committee came to, and what each of it contributed."""

    reply: Annotated[str, Out("reply", "The winning answer")]
    share: Annotated[float, Out("share", "Share of the remaining agents that gave it")]
    speaker: Annotated[str, Out("speaker", "Who gave it")]
    ended: Annotated[str, Out("ended", "agreed, rule or rounds")]
    importance: Annotated[dict[str, float], Out("importance", "Contribution of each, adding up to 1")]
    ranking: Annotated[list[str], Out("ranking", "Agents by contribution, highest first")]
    dropped: Annotated[list[str], Out("dropped", "Removed agents, in order")]
    rounds: RoundsTable
    messages: AllMessages


@node(
    "team.committee",
    title="Committee",
    effect=Effect.PAID_READ,
    keywords=("panel", "peer review", "importance", "prune", "dynamic team", "consensus", "rating", "dylan"),
)
async def committee(
    context: Context,
    task: TeamQuestion,
    agents: Annotated[Sequence[Agent], In("The agents")] = (),
    only: Annotated[list[str] | None, In("Names of those who take part; empty: all")] = None,
    edges: HearingEdges = None,
    *,
    rounds: MaxRounds = 4,
    lets_go: Annotated[
        int, Setting("Removed per round", minimum=0, maximum=100, help="Number of agents")
    ] = 1,
    removed_by: Annotated[
        Literal["marks", "ranker"],
        Setting("Removed by", help="The lowest mean mark, or a model that ranks all answers at once"),
    ] = "marks",
    lets_go_from: Annotated[int, Setting("Let go from round", minimum=2, maximum=100)] = 2,
    least: Annotated[int, Setting("Are left at least", minimum=1, maximum=100)] = 2,
    agreed: AgreementToStop = 0.67,
    ends_when: Annotated[
        str,
        Setting(
            "Ends when", editor="expression", help=f"Expression over agreement, members, {', '.join(FACTS)}"
        ),
        AfterValidator(expression_over("agreement", "members", *FACTS, optional=True)),
    ] = "",
    request: Annotated[
        str, Setting("Rating prompt", editor="text", help="Added after the others' answers")
    ] = RATE,
    ranking: Annotated[
        str,
        Setting("Ranking prompt", editor="text", help="Who goes on", matters_with="removed_by=ranker"),
    ] = RANK,
    profile: Annotated[
        str,
        Setting(
            "Ranker's profile",
            editor="profile",
            help="Empty: same as the run",
            matters_with="removed_by=ranker",
        ),
    ] = "",
    same: SameAnswer = "words",
    ties: TieRule = "first",
    limit: Parallel = 8,
    at_fault: AgentAtFault = "fail",
) -> Concluded:
    """Let `agents` answer `task` and rate one another, until enough of those that are left agree."""
    everybody = [one.name for one in team_of(agents)]
    team = chosen(team_of(agents), only)
    talk = Rounds(context, task, same=same, limit=limit, at_fault=at_fault)
    ending, rated, dropped, ended = Ending(context, ends_when).start(), list[Ratings](), list[str](), "rounds"
    while talk.number < rounds:
        context.progress(talk.number, rounds, f"round {talk.number + 1}")
        names = {one.name for one in team if one.name in talk.latest}
        heard = heard_by(everybody, edges=edges, number=talk.number + 1)
        hears = {one.name: [name for name in heard[one.name] if name in names] for one in team}
        asks = {name: {"ratings": marks_for(heard)} for name, heard in hears.items() if heard}
        said = await talk.hold(team, hears, request=request, asks=asks)
        if talk.number > 1:
            rated.append({name: marks_in(one, hears[name]) for name, one in said.items()})
            means = means_of(rated[-1])
            for name, mean in means.items():
                talk.retell(name, rated=round(mean, 6))
            if removed_by == "marks" and talk.number >= lets_go_from:
                gone = weakest([one.name for one in team], means, min(lets_go, len(team) - least))
                lowest = f"lowest of {len(team)} in round {talk.number}"
                team = without(talk, team, {name: f"marked {means[name]:.2f}, {lowest}" for name in gone})
                dropped += gone
        share = agreement([talk.latest[one.name] for one in team if one.name in talk.latest], same)
        ending.rounds = talk.number
        held = [ending.after(name, one, agreement=share, members=len(team)) for name, one in said.items()]
        if any(held) or 0 < agreed <= share or len(team) == 1:
            ended = "agreed" if 0 < agreed <= share or len(team) == 1 else "rule"
            break
        keep = max(least, len(team) - lets_go)
        if removed_by == "ranker" and lets_go_from <= talk.number < rounds and keep < len(team):
            answers = [talk.latest[one.name] for one in team if one.name in talk.latest]
            shown = [stated(one) for one in answers]
            places = await best_by_ranker(context, task, shown, ranking, keep, profile=profile)
            stay = {answers[place].speaker for place in places}
            gone = [one.name for one in team if one.name not in stay]
            why = f"not among the best {keep} of {len(team)} after round {talk.number}"
            team = without(talk, team, dict.fromkeys(gone, why))
            dropped += gone
    return concluded(context, talk, team, rated, dropped, ended, ties)


def concluded(
    context: Context,
    talk: Rounds,
    team: Sequence[Agent],
    rated: Sequence[Ratings],
    dropped: list[str],
    ended: str,
    ties: Ties,
) -> Concluded:
    """Let those that are left vote by what they said last, and say what each contributed."""
    answers = [talk.latest[one.name] for one in team if one.name in talk.latest]
    if not answers:
        raise StepError("No remaining agent has answered.", hint="Remove fewer, or fix those that fail.")
    options, places = distinct([one.answer for one in answers], talk.same)
    ballots = [Ballot(one.speaker, [place]) for one, place in zip(answers, places, strict=True)]
    count = first_choices(len(options), ballots)
    winner = break_tie(context, count.leaders, ties)
    right = [one.speaker for one, place in zip(answers, places, strict=True) if place == winner]
    worth = importance(dict.fromkeys(right, 1 / len(right)), rated)
    worth = {name: worth.get(name, 0.0) for name in talk.latest}
    for name, part in worth.items():
        talk.retell(name, importance=part)
    return Concluded(
        options[winner],
        share_of(count.votes, winner),
        right[0],
        ended,
        worth,
        sorted(worth, key=lambda name: -worth[name]),
        dropped,
        talk.table,
        talk.messages,
    )


def chosen(team: list[Agent], only: Sequence[str] | None) -> list[Agent]:
    """Those who take part, in the order of the team; raises `StepError` for a name that nobody has."""
    if only is None:
        return team
    unknown = [name for name in only if name not in {one.name for one in team}]
    if unknown or not only:
        message = f"Nobody is called `{unknown[0]}`." if unknown else "`only` names no agent."
        raise StepError(message, hint=f"There are {', '.join(one.name for one in team)}.")
    return [one for one in team if one.name in only]


def without(talk: Rounds, team: Sequence[Agent], reasons: Mapping[str, str]) -> list[Agent]:
    """Let go of those for whom there is a reason, and tell it; gives who still answers and votes."""
    for name, why in reasons.items():
        part = talk.last_of(name)
        talk.tell(replace(part, status="dropped", detail={**part.detail, "why": why}))
    return [one for one in team if one.name not in reasons]


def marks_for(names: Sequence[str]) -> dict[str, Any]:
    """The form of marks: one for each of the others."""
    mark = {"type": "integer", "minimum": 1, "maximum": MARKS}
    row = {
        "type": "object",
        "properties": {"agent": {"type": "string", "enum": [*names]}, "score": mark},
        "required": ["agent", "score"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": row, "description": f"A mark from 1 to {MARKS} for each of the others"}


def marks_in(said: Said, heard: Sequence[str]) -> Mapping[str, float]:
    """Read the marks that one gave: the last for each; whom it forgot gets the middle."""
    # A person who answers in somebody's place may leave the form.
    ratings: Any = fields_in(said).get("ratings")
    fits = not mismatch(ratings, marks_for(heard))
    given: dict[str, float] = {one["agent"]: float(one["score"]) for one in ratings} if fits else {}
    return {name: given.get(name, (1 + MARKS) / 2) for name in heard} if given else {}
