"""Agents that vote: each is asked by itself, and what it says becomes a ballot."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from studio.building_blocks.answers.rubrics import asked_of_all, judging_request
from studio.building_blocks.teams.ballots import Ballot, Count, borda, first_choices, run_off
from studio.building_blocks.teams.team_answers import (
    Answer,
    Form,
    answer_of,
    answer_schema,
    asked_at_once,
    fields_in,
    reasoned,
    sureness_in,
)
from studio.building_blocks.teams.transcript import FAILED, AtFault
from studio.sdk import Agent, Context, Json, Turn

SURE = {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are, from 0 to 1"}


async def polled(
    context: Context,
    task: str,
    team: Sequence[Agent],
    *,
    form: Form = "JSON",
    after: str = "",
    limit: int = 8,
    asks_confidence: bool = False,
    at_fault: AtFault = "fail",
) -> list[Answer]:
    """Ask all the same at once; gives the answers of those that did not fail, in the team's order."""
    more = {"confidence": SURE} if asks_confidence else {}
    schema = answer_schema(**more) if form == "JSON" or more else None
    turns = [(one, Turn(task, speaker=one.name, answer_schema=schema)) for one in team]
    said = await asked_at_once(context, turns, limit=limit, at_fault=at_fault)
    read = [answer_of(one.name, heard, after=after) for one, heard in zip(team, said, strict=True)]
    return [one for one in read if one is not None]


def candidates_as_answers(candidates: Sequence[str]) -> list[Answer]:
    """Take answers from elsewhere; whoever gave them is told by their number."""
    return [Answer(f"candidate {number}", text, text.strip()) for number, text in enumerate(candidates, 1)]


async def ranked(
    context: Context,
    task: str,
    team: Sequence[Agent],
    options: Sequence[str],
    *,
    whole: bool = True,
    limit: int = 8,
    asks_confidence: bool = False,
    at_fault: AtFault = "fail",
) -> list[Ballot]:
    """Let all choose among the options at once, or rank the whole of them; who fails abstains."""
    labels = labels_of(options)
    one_of: dict[str, Any] = {"type": "string", "enum": labels}
    every = {"type": "array", "items": one_of, "minItems": 1, "description": "All labels, the best first"}
    form: dict[str, Mapping[str, Any]] = {"ranking": every} if whole else {"choice": one_of}
    schema = reasoned(**form, **({"confidence": SURE} if asks_confidence else {}))
    wanted = "Rank all of them by their labels, the best first." if whole else "Choose one by its label."
    given = f"These answers were given:\n{labelled(options)}"
    prompt = "\n\n".join(one for one in (task, given, wanted) if one.strip())
    turns = [(one, Turn(prompt, speaker=one.name, answer_schema=schema)) for one in team]
    said = await asked_at_once(context, turns, limit=limit, at_fault=at_fault)
    ballots: list[Ballot] = []
    for one, heard in zip(team, said, strict=True):
        data = fields_in(heard)
        order = [str(label) for label in data.get("ranking") or [data.get("choice", "")]]
        places = [labels.index(label) for label in dict.fromkeys(order) if label in labels]
        if heard.ended != FAILED and places:
            ballots.append(Ballot(one.name, places, sureness_in(data)))
    return ballots


async def choice_of_judge(
    context: Context, task: str, options: Sequence[str], instructions: str, *, profile: str = ""
) -> int:
    """Let a language model choose, which is not told who gave which answer; one alone needs no judge."""
    if len(options) == 1:
        return 0
    labels = labels_of(options)
    best: Json = {"type": "string", "enum": [*labels]}
    material: dict[str, Json] = {"question": task or None, "answers": labelled(options)}
    request = judging_request(instructions, material, {"best": best})
    [verdict] = await asked_of_all(context, [(request, profile)])
    return labels.index(verdict["best"])


async def best_by_ranker(
    context: Context, task: str, options: Sequence[str], instructions: str, count: int, *, profile: str = ""
) -> list[int]:
    """Let a language model choose the `count` best, listwise: all stand in one request.

    Gives places of `options`, the best first. Who gave which is not told, not even by the order, which hangs
    on the words alone; where it names too few, the first ones make up the number.
    """
    shown = sorted(range(len(options)), key=lambda place: sha256(options[place].encode()).digest())
    labels = labels_of(options)
    one_of: Json = {"type": "string", "enum": [*labels]}
    best: Json = {
        "type": "array",
        "items": one_of,
        "minItems": count,
        "description": f"The labels of the best {count}, the best first",
    }
    material: dict[str, Json] = {"question": task, "answers": labelled([options[one] for one in shown])}
    [verdict] = await asked_of_all(
        context, [(judging_request(instructions, material, {"best": best}), profile)]
    )
    named = [shown[labels.index(label)] for label in verdict["best"]]
    return [*dict.fromkeys([*named, *range(len(options))])][:count]


def counted_by(rule: str, candidates: int, ballots: Sequence[Ballot]) -> Count:
    """Count ballots by a rule, by its name."""
    match rule:
        case "Borda":
            return borda(candidates, ballots)
        case "run-off":
            return run_off(candidates, ballots)
        case _:
            return first_choices(candidates, ballots)


def labels_of(options: Sequence[str]) -> list[str]:
    """What each option is called where one is chosen: a word that no answer is."""
    return [f"answer_{number}" for number in range(1, len(options) + 1)]


def labelled(options: Sequence[str]) -> str:
    """The options behind their labels, each in a paragraph."""
    named = zip(labels_of(options), options, strict=True)
    return "\n\n".join(f"{label}: {option}" for label, option in named)
