"""Agents that vote: each is asked by itself, and what it says becomes a ballot."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.sdk import Agent, Context, Json, Turn
from studio.sdk.prelude.answering import (
    Answer,
    Form,
    answer_of,
    answer_schema,
    asked_at_once,
    fields_in,
    reasoned,
)
from studio.sdk.prelude.ballots import Ballot, Count, borda, first_choices, run_off
from studio.sdk.prelude.conversing import FAILED, AtFault
from studio.sdk.prelude.judging import asked_of_all, judging_request

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
    number: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": len(options)}
    every = {"type": "array", "items": number, "minItems": 1, "description": "All numbers, the best first"}
    form: dict[str, Mapping[str, Any]] = {"ranking": every} if whole else {"choice": number}
    schema = reasoned(**form, **({"confidence": SURE} if asks_confidence else {}))
    wanted = "Rank all of them by their numbers, the best first." if whole else "Choose one by its number."
    given = f"These answers were given:\n{numbered(options)}"
    prompt = "\n\n".join(one for one in (task, given, wanted) if one.strip())
    turns = [(one, Turn(prompt, speaker=one.name, answer_schema=schema)) for one in team]
    said = await asked_at_once(context, turns, limit=limit, at_fault=at_fault)
    ballots: list[Ballot] = []
    for one, heard in zip(team, said, strict=True):
        data = fields_in(heard)
        order = data.get("ranking") or [data[name] for name in ("choice",) if name in data]
        if heard.ended != FAILED and order:
            places = [int(place) - 1 for place in dict.fromkeys(order) if 0 < int(place) <= len(options)]
            ballots.append(Ballot(one.name, places, float(data.get("confidence", 1.0))))
    return ballots


async def choice_of_judge(
    context: Context, task: str, options: Sequence[str], instructions: str, *, profile: str = ""
) -> int:
    """Let a language model choose, which is not told who gave which answer; one alone needs no judge."""
    if len(options) == 1:
        return 0
    best: Json = {"type": "integer", "minimum": 1, "maximum": len(options)}
    material: dict[str, Json] = {"question": task or None, "answers": numbered(options)}
    request = judging_request(instructions, material, {"best": best})
    [verdict] = await asked_of_all(context, [(request, profile)])
    return int(verdict["best"]) - 1


def counted_by(rule: str, candidates: int, ballots: Sequence[Ballot]) -> Count:
    """Count ballots by a rule, by its name."""
    match rule:
        case "Borda":
            return borda(candidates, ballots)
        case "run-off":
            return run_off(candidates, ballots)
        case _:
            return first_choices(candidates, ballots)


def numbered(options: Sequence[str]) -> str:
    """The options, each on a line with its number; line breaks in them stay apart."""
    return "\n".join(
        f"{number}. {one if chr(10) not in one else json.dumps(one, ensure_ascii=False)}"
        for number, one in enumerate(options, 1)
    )
