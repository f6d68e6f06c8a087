"""Who hears whom in a team that speaks at once."""

from collections.abc import Mapping, Sequence
from typing import Literal

from studio.sdk import StepError

Topology = Literal["all", "ring", "star", "sparse", "given"]
"""Everybody; those beside one; the first, who hears everybody; so many that come next; as lines say."""


def heard_by(
    names: Sequence[str], topology: Topology, *, neighbours: int = 1, lines: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Whom each hears, in the order of the team, nobody itself; `lines` are such as `ada: ben, cleo`.

    Raises `StepError` for lines that cannot be read, or that name somebody who is not there.
    """
    count = len(names)
    around: Mapping[str, set[str]]
    match topology:
        case "all":
            around = {one: {*names} for one in names}
        case "ring":
            around = {one: {names[place - 1], names[(place + 1) % count]} for place, one in enumerate(names)}
        case "star":
            around = {one: {names[0]} if place else {*names} for place, one in enumerate(names)}
        case "sparse":
            around = {
                one: {names[(place + step) % count] for step in range(1, neighbours + 1)}
                for place, one in enumerate(names)
            }
        case "given":
            around = wired(names, lines)
    return {one: [other for other in names if other != one and other in around[one]] for one in names}


def wired(names: Sequence[str], lines: Sequence[str]) -> dict[str, set[str]]:
    """Read whom each hears; whoever has no line hears nobody."""
    around: dict[str, set[str]] = {one: set() for one in names}
    for line in lines:
        name, colon, heard = line.partition(":")
        others = [one.strip() for one in heard.split(",") if one.strip()]
        unknown = [one for one in (name.strip(), *others) if one not in around]
        if not colon or unknown:
            message = f"`{line}` does not say who hears whom."
            raise StepError(message, hint=f"Write `ada: ben, cleo`, using {', '.join(names)}.")
        around[name.strip()] |= {*others}
    return around
