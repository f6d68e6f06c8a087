"""Who hears whom in a team, as a setting says it or as the edges do that a run has computed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Json, StepError

Topology = Literal["all", "ring", "star", "sparse", "given"]
"""Everybody; those beside one; the first, who hears everybody; so many that come next; as lines say."""

Heard = Mapping[str, Sequence[str]]
"""By who hears: those who are heard, in the order of the team."""


def heard_by(
    names: Sequence[str],
    topology: Topology = "all",
    *,
    neighbours: int = 1,
    lines: Sequence[str] = (),
    edges: Json = None,
    number: int = 1,
) -> Heard:
    """Whom each hears in round `number`, in the order of the team, nobody itself.

    `lines` are such as `ada: ben, cleo`. `edges`, where there are any, hold instead of all else: an object of
    lists, `{"ada": ["ben", "cleo"]}`, or a list of `{"from": "ben", "to": "ada"}`, each perhaps with the one
    `round` that it holds in. Raises `StepError` for what cannot be read, or names somebody who is not there.
    """
    count = len(names)
    around: Mapping[str, set[str]]
    match topology if edges is None else "edges":
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
        case "edges":
            around = along(names, edges, number)
    return {one: [other for other in names if other != one and other in around[one]] for one in names}


def hearers(speaker: str, names: Sequence[str], edges: Json, turn: int) -> list[str]:
    """Those who hear somebody in a team that speaks in turn; a round is as many turns as it has members."""
    heard = heard_by(names, edges=edges, number=turn // len(names) + 1)
    return [one for one, others in heard.items() if speaker in others]


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


def along(names: Sequence[str], edges: Json, number: int) -> dict[str, set[str]]:
    """Read whom each hears in a round; whoever has no edge hears nobody."""
    around: dict[str, set[str]] = {one: set() for one in names}
    pairs = [*pairs_in(edges)]
    named = [*(edges if is_object(edges) else ()), *(one for pair in pairs for one in pair[:2])]
    for one in named:
        if one not in around:
            raise StepError(
                f"`edges` names `{one}`, who is not in the team.", hint=f"There are {', '.join(names)}."
            )
    for speaker, listener, when in pairs:
        if when in {None, number}:
            around[listener].add(speaker)
    return around


def pairs_in(edges: Json) -> Iterator[tuple[str, str, int | None]]:
    """Read edges: who is heard, who hears, and in which round alone, if that is said."""
    if is_object(edges):
        for listener, heard in edges.items():
            if not is_list(heard):
                raise unreadable(f"whom `{listener}` hears is no list")
            for speaker in heard:
                yield str(speaker), listener, None
    elif is_list(edges):
        for place, one in enumerate(edges, 1):
            speaker, listener = (one.get("from"), one.get("to")) if is_object(one) else (None, None)
            if not is_object(one) or not isinstance(speaker, str) or not isinstance(listener, str):
                raise unreadable(f"entry {place} does not have `from` and `to`")
            when = one.get("round")
            if when is not None and (not isinstance(when, int) or isinstance(when, bool) or when < 1):
                raise unreadable(f"the `round` of entry {place} is not a number from 1")
            yield speaker, listener, when
    else:
        raise unreadable("it is neither an object nor a list")


def unreadable(why: str) -> StepError:
    """The error for edges that cannot be read."""
    hint = 'Give {"ada": ["ben"]}, or [{"from": "ben", "to": "ada"}]: Ada hears Ben in both.'
    return StepError(f"`edges` does not say who hears whom: {why}.", hint=hint)
