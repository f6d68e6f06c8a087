"""How much each of a team contributed to what came of it: the agent importance score.

As DyLAN has it (Z. Liu et al., 2023, arXiv:2310.02170): what a member is worth in the last round is passed
back, round by round, to those whose answers it heard, in the shares in which it rated them.
"""

from collections.abc import Mapping, Sequence

Ratings = Mapping[str, Mapping[str, float]]
"""By who rates, and whom: marks of what these said in the round before, none below 0."""


def shares_of(marks: Mapping[str, float]) -> dict[str, float]:
    """The marks in parts of 1; where all are 0, each has as much."""
    total = sum(marks.values())
    return {name: mark / total if total else 1 / len(marks) for name, mark in marks.items()}


def importance(last: Mapping[str, float], ratings: Sequence[Ratings]) -> dict[str, float]:
    """What each is worth over all rounds, in parts of 1; `last` is what each is worth in the last round.

    `ratings` are those given in each round after the first, in turn.
    """
    worth, total = dict(last), dict(last)
    for given in reversed(ratings):
        earlier: dict[str, float] = {}
        for rater, marks in given.items():
            for name, share in shares_of(marks).items():
                earlier[name] = earlier.get(name, 0.0) + worth.get(rater, 0.0) * share
        for name, more in earlier.items():
            total[name] = total.get(name, 0.0) + more
        worth = earlier
    return {name: round(share, 6) for name, share in shares_of(total).items()} if total else {}


def means_of(ratings: Ratings) -> dict[str, float]:
    """The mean of the marks that each was given."""
    marks: dict[str, list[float]] = {}
    for given in ratings.values():
        for name, mark in given.items():
            marks.setdefault(name, []).append(mark)
    return {name: sum(each) / len(each) for name, each in marks.items()}


def weakest(team: Sequence[str], means: Mapping[str, float], count: int) -> list[str]:
    """Those with the lowest means, the lowest first; of equals the one that stands later in the team.

    Nobody is among them whom nobody rated.
    """
    rated = [name for name in team[::-1] if name in means]
    return sorted(rated, key=lambda name: means[name])[: max(0, count)]
