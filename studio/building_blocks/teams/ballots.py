"""Votes and how they are counted: which answers are the same, and who wins by which rule.

Candidates are told by their place; a ballot has the places in the voter's order, the first choice first.
Borda gives as many points as candidates stand behind one (J.-C. de Borda, 1781); those whom a ballot leaves
out share what is left. Instant run-off strikes out whoever has the fewest first choices, round by round.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from studio.sdk import Context, StepError

Same = Literal["words", "exactly"]
"""Which answers count as one: those with the same words, or number; or only those that are written alike."""

Ties = Literal["first", "chance", "fail"]
"""Who wins of several with as many votes: whose answer was given first, one by chance, or nobody."""

NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,20})(?:\.\d{1,20})?|[-+]?\.\d{1,20}")
BEFORE = " \t\n\"'`*$([“«"
BEHIND = " \t\n\"'`*)].,;:!?”»"
NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Ballot:
    """What somebody wants: places of candidates, the best first, and how much that counts."""

    voter: str
    order: Sequence[int]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Count:
    """What each candidate has at last, who leads, and what was struck out on the way, in turn."""

    votes: list[float]
    leaders: list[int]
    struck: list[int]


def key_of(answer: str, same: Same = "words") -> str:
    """What answers have in common that count as one: their words without case and marks, a number's value."""
    if same == "exactly":
        return answer.strip()
    words = " ".join(answer.split()).lstrip(BEFORE).rstrip(BEHIND).casefold()
    if NUMBER.fullmatch(words):
        number = f"{Decimal(words.replace(',', '')):f}"
        words = (number.rstrip("0").rstrip(".") if "." in number else number).removeprefix("+")
        return "0" if words in {"-0", ""} else words
    return words


def distinct(answers: Sequence[str], same: Same = "words") -> tuple[list[str], list[int]]:
    """Each answer once, as it was first written, and the place of the one that each is."""
    keys = [key_of(one, same) for one in answers]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return [answers[keys.index(key)] for key in places], [places[key] for key in keys]


def first_choices(candidates: int, ballots: Sequence[Ballot]) -> Count:
    """Count the first choice of each ballot."""
    votes = _firsts(candidates, ballots, range(candidates))
    return Count(votes, leaders_of(votes), [])


def borda(candidates: int, ballots: Sequence[Ballot]) -> Count:
    """Count, for each candidate, how many stand behind it on each ballot."""
    votes = [0.0] * candidates
    for one in ballots:
        order = list(dict.fromkeys(one.order))
        left = [place for place in range(candidates) if place not in order]
        for rank, place in enumerate(order):
            votes[place] += one.weight * (candidates - 1 - rank)
        for place in left:
            votes[place] += one.weight * (len(left) - 1) / 2
    return Count(votes, leaders_of(votes), [])


def run_off(candidates: int, ballots: Sequence[Ballot]) -> Count:
    """Strike out whoever has the fewest first choices, until one has more than half of what is left.

    Of several with the fewest, the one that was given last goes first. Where all that are left have as many,
    they lead together.
    """
    standing, struck = list(range(candidates)), list[int]()
    while True:
        votes = _firsts(candidates, ballots, standing)
        most = max(votes[one] for one in standing)
        fewest = min(votes[one] for one in standing)
        if most - fewest < NEARLY or most > sum(votes) / 2 + NEARLY:
            leaders = [one for one in standing if votes[one] > most - NEARLY]
            return Count(votes, leaders, struck)
        gone = next(one for one in reversed(standing) if votes[one] < fewest + NEARLY)
        standing.remove(gone)
        struck.append(gone)


def leaders_of(votes: Sequence[float]) -> list[int]:
    """The places of those with the most votes, the first first."""
    return [place for place, one in enumerate(votes) if one > max(votes) - NEARLY]


def break_tie(context: Context, leaders: Sequence[int], ties: Ties) -> int:
    """Who wins of those that lead; raises `StepError` where nobody may."""
    if len(leaders) > 1 and ties == "fail":
        message = f"{len(leaders)} answers have the same number of votes."
        raise StepError(message, hint="Add voters, or choose how ties are decided.")
    return context.random().choice(leaders) if len(leaders) > 1 and ties == "chance" else leaders[0]


def share_of(votes: Sequence[float], place: int) -> float:
    """Which part of all votes one candidate has."""
    return round(votes[place] / sum(votes), 6) if sum(votes) > NEARLY else 0.0


def _firsts(candidates: int, ballots: Sequence[Ballot], standing: Collection[int]) -> list[float]:
    votes = [0.0] * candidates
    for one in ballots:
        first = next((place for place in one.order if place in standing), None)
        if first is not None:
            votes[first] += one.weight
    return votes
