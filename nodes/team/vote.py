r"""Vote: ask several agents the same question, and take the majority answer.

Each agent answers the task by itself, all at once, as often as *Times each* says, and each answer is a vote.
With `candidates` there is no question to be answered: the agents choose among them; and without agents each
candidate is itself a vote, so that answers can be counted that came from elsewhere. Answers that differ in
capitals, marks and blanks only, and numbers of one value, are the same.

| counted by | who wins |
|---|---|
| majority | the answer with the most votes |
| weights | the same, where each vote counts as much as `weights` says for its voter (otherwise 1) |
| confidence | the same, where each vote counts as much as the voter says that it is sure, from 0 to 1 |
| Borda | agents rank all answers; each gets as many points as it has behind it |
| run-off | agents rank; the one with the fewest first choices is struck out, until one has more than half |
| judge | nobody votes: a language model is shown the answers without names, and chooses |

With as many votes for several, the one that was given first wins, or one by chance, or the step fails. A vote
that is short of *Share needed* wins nothing: `reply` is absent then, and `ended` says so. One agent alone
wins; without any, and without candidates, the step fails. Agents of the same name are told apart: `expert`,
`expert_2`. One that fails takes the step along, or abstains; where all fail, so does the step.

```json
{
  "agents": [{"name": "ada"}, {"name": "ben"}, {"name": "cleo"}],
  "settings": {"answers_as": "text", "answer_after": "Answer:"},
  "inputs": {"task": "What sang in the hedge?"},
  "chat": ["Small and brown. Answer: a dunnock", "It was loud. Answer: a wren", "Answer: A dunnock."],
  "outputs": {"share": 0.666667, "ended": "decided"}
}
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from studio.building_blocks.settings.teams import (
    AllMessages,
    AnswerMarker,
    AnswersAs,
    JudgesProfile,
    Parallel,
    SameAnswer,
    TeamQuestion,
    TieRule,
)
from studio.building_blocks.teams.ballots import Ballot, Count, break_tie, distinct, share_of
from studio.building_blocks.teams.polls import (
    candidates_as_answers,
    choice_of_judge,
    counted_by,
    polled,
    ranked,
)
from studio.building_blocks.teams.team_answers import Answer, remarks, rows, stated, sureness_in
from studio.building_blocks.teams.transcript import AtFault, team_of
from studio.sdk import Agent, Context, Effect, In, Json, Message, Out, Setting, StepError, node

By = Literal["majority", "weights", "confidence", "Borda", "run-off", "judge"]
JUDGE = "You are shown several answers to one question. Choose the best: the one that is right."


@dataclass(frozen=True, slots=True)
class Voted:
    """Which answer won, by how much, and how everybody voted."""

    reply: Annotated[str | None, Out("reply", "The winning answer; absent if none has the required share")]
    share: Annotated[float, Out("share", "Its share of the votes, from 0 to 1")]
    speaker: Annotated[str, Out("speaker", "Who gave it first")]
    tally: Annotated[list[Json], Out("tally", "Each answer: votes, share, voters", type="json[]")]
    answers: Annotated[list[Json], Out("answers", "Who said what: speaker, answer, reason", type="json[]")]
    messages: AllMessages
    ended: Annotated[str, Out("ended", "decided, tie (broken by the rule), or short (of the share needed)")]


@node(
    "team.vote",
    title="Vote",
    effect=Effect.PAID_READ,
    keywords=("majority", "ensemble", "self-consistency", "ranked choice", "borda", "poll", "election"),
)
async def vote(
    context: Context,
    task: TeamQuestion = "",
    agents: Annotated[Sequence[Agent], In("The voters")] = (),
    candidates: Annotated[list[str], In("Answers to vote on, instead of asking for answers")] = [],  # noqa: B006
    weights: Annotated[dict[str, float], In("Weight of each vote, by name", type="json")] = {},  # noqa: B006
    *,
    by: Annotated[By, Setting("Method", help="How the winner is determined")] = "majority",
    times: Annotated[
        int, Setting("Samples per agent", minimum=1, maximum=100, help="How often each agent is asked")
    ] = 1,
    answers_as: AnswersAs = "JSON",
    answer_after: AnswerMarker = "",
    same: SameAnswer = "words",
    ties: TieRule = "first",
    needed: Annotated[
        float, Setting("Required share", minimum=0, maximum=1, help="Share of the votes; 0: most votes win")
    ] = 0,
    instructions: Annotated[
        str, Setting("Judge's instructions", editor="text", help="If a judge chooses")
    ] = JUDGE,
    profile: JudgesProfile = "",
    limit: Parallel = 8,
    at_fault: Annotated[
        AtFault, Setting("If an agent fails", help="Fail, or continue without its vote")
    ] = "fail",
) -> Voted:
    """Ask `agents`, count what they say, and give what won."""
    if not agents and not candidates:
        raise StepError("There are no voters.", hint="Wire agents to it, or answers to `candidates`.")
    team = team_of([one for one in agents for _ in range(times)]) if agents else []
    if candidates:
        answers = candidates_as_answers(candidates)
    else:
        answers = await polled(
            context, task, team, form=answers_as, after=answer_after, limit=limit,
            asks_confidence=by == "confidence", at_fault=at_fault,
        )  # fmt: skip
    options, places = distinct([one.answer for one in answers], same)
    if by == "judge":
        shown = [stated(answers[places.index(place)]) for place in range(len(options))]
        chosen = await choice_of_judge(context, task, shown, instructions, profile=profile)
        ballots = [Ballot("judge", [chosen])]
    elif team and len(options) > 1 and (candidates or by in {"Borda", "run-off"}):
        ballots = await ranked(
            context, task, team, options, whole=by in {"Borda", "run-off"}, limit=limit,
            asks_confidence=by == "confidence", at_fault=at_fault,
        )  # fmt: skip
    else:
        ballots = [
            Ballot(one.speaker, [place], sureness_in(one.more) if by == "confidence" else 1)
            for one, place in zip(answers, places, strict=True)
        ]
    if by == "weights":
        ballots = [Ballot(one.voter, one.order, weights.get(one.voter, 1.0)) for one in ballots]
    count = counted_by(by, len(options), ballots)
    winner = break_tie(context, count.leaders, ties)
    messages = [Message("user", task)] if task.strip() else []
    speaker = answers[places.index(winner)].speaker
    return outcome(answers, options, winner, count, ballots, needed, [*messages, *remarks(answers)], speaker)


def outcome(
    answers: Sequence[Answer],
    options: Sequence[str],
    winner: int,
    count: Count,
    ballots: Sequence[Ballot],
    needed: float,
    messages: list[Message],
    speaker: str,
) -> Voted:
    """Say who won, and whether that is enough."""
    share = share_of(count.votes, winner)
    is_short = share < needed
    ended = "short" if is_short else "tie" if len(count.leaders) > 1 else "decided"
    table: list[Mapping[str, Json]] = [
        {
            "answer": option,
            "votes": round(count.votes[place], 6),
            "share": share_of(count.votes, place),
            "by": [one.voter for one in ballots if one.order and one.order[0] == place],
        }
        for place, option in enumerate(options)
    ]
    tally: list[Json] = [dict(one) for one in table]
    reply = None if is_short else options[winner]
    return Voted(reply, share, speaker, tally, rows(answers), messages, ended)
