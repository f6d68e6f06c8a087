"""Who lives in a population: what each perceives, decides, says and does, and who hears it."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Json, StepError, Tool
from studio.sdk.templates import as_text

Hearing: TypeAlias = Literal["everyone", "neighbours", "place"]

NOTHING = "nothing"
"""What somebody does who does not act."""


@dataclass
class Person:
    """One who lives there: the row of the table, where they are, and what they have yet to hear."""

    name: str
    traits: Mapping[str, Json]
    place: str = ""
    heard: list[str] = field(default_factory=list[str])
    came_of_it: str = ""
    """What became of the last that they did."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody says, to whom (nobody: to all who can hear), and does, and with what."""

    say: str = ""
    to: tuple[str, ...] = ()
    do: str = NOTHING
    arguments: Json = None


def listed(value: Json, what: str) -> list[Json]:
    """The list that somebody gave, or nothing; raises `StepError` for anything else."""
    if value is None:
        return []
    if not is_list(value):
        raise StepError(f"`{what}` is not a list.")
    return value


def people_of(rows: Sequence[Json], name_field: str) -> list[Person]:
    """Those of a table; raises `StepError` for a row without a name, and for two of one name."""
    people: dict[str, Person] = {}
    for number, row in enumerate(rows, 1):
        name = as_text(row.get(name_field)).strip() if is_object(row) else ""
        if not is_object(row) or not name:
            raise StepError(f"Row {number} of the people has no `{name_field}`.")
        if name in people:
            raise StepError(f"Two people are named `{name}`.", hint="Give them different names.")
        people[name] = Person(name, row, as_text(row.get("place")))
    return list(people.values())


def hears(listener: Person, speaker: Person, to: Sequence[str], hearing: Hearing) -> bool:
    """Whether somebody hears what another says: who is not meant does not, and who is too far away."""
    if listener is speaker or (to and listener.name not in to):
        return False
    if hearing == "place":
        return listener.place == speaker.place
    known = speaker.traits.get("neighbours")
    names = known if is_list(known) else [one.strip() for one in as_text(known).split(",")]
    return hearing == "everyone" or listener.name in names


def happened_to(person: Person, events: Sequence[Json], tick: int) -> list[str]:
    """What happens to somebody now: to all, to those who are named, or to those at a place."""
    found: list[str] = []
    for one in events:
        if not is_object(one) or one.get("tick") != tick:
            continue
        to, place = one.get("to"), as_text(one.get("place"))
        meant = to if is_list(to) else [as_text(to)] if to else [person.name]
        if person.name in meant and place in {"", person.place}:
            found.append(as_text(one.get("text")))
    return found


def decision_schema(actions: Sequence[Tool]) -> dict[str, Json]:
    """How somebody answers who is asked what they say and do."""
    fields: dict[str, Json] = {
        "say": {"type": "string", "description": "What you say aloud now; empty: nothing"},
        "to": {
            "type": "array",
            "items": {"type": "string"},
            "description": "To whom, by name; nobody: to all who can hear",
        },
    }
    if actions:
        names: list[Json] = [NOTHING, *(one.name for one in actions)]
        given = "With what: the arguments as a JSON object, or the one thing that it wants"
        fields |= {
            "do": {"type": "string", "enum": names, "description": "What you do now"},
            "using": {"type": "string", "description": given},
        }
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


def decided(text: str) -> Decision:
    """Read what somebody decided: an object as it was asked for, or else all of it is said."""
    given: Any = None
    with suppress(ValueError, RecursionError):
        given = json.loads(text)
    if not is_object(given) or not {"say", "do"} & given.keys():
        return Decision(text.strip())
    to, arguments = given.get("to"), given.get("using")
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            read: Any = json.loads(arguments)
            arguments = read if is_object(read) else arguments
    names = [as_text(one) for one in to] if is_list(to) else [as_text(to)] if to else []
    say, do = as_text(given.get("say")).strip(), as_text(given.get("do")).strip()
    return Decision(say, tuple(one for one in names if one), do or NOTHING, arguments)
