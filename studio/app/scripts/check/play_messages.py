"""What the process that executes a script is told, and what it tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson
from pydantic import TypeAdapter

from studio.trace.events import Entry


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that the script is to do again, and the folder of its project."""

    entries: Sequence[Entry]
    root: str


@dataclass(frozen=True, slots=True)
class Act:
    """What a script does past its steps: `does` is “writes” or the like, `what` what it does that to."""

    does: str
    what: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """What a script did.

    `lines` has the line of the script by step, and by place for steps of regions. `broken` says why it could
    not be executed, `line` where it failed; with `is_stuck` it waited for what never came.
    """

    entries: Sequence[Entry] = ()
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    broken: str = ""
    line: int = 0
    act: Act | None = None
    is_stuck: bool = False


def to_json(told: Recorded | Played) -> bytes:
    """Write what is told for the other process."""
    return orjson.dumps(told, option=orjson.OPT_NON_STR_KEYS)


def recorded_from_json(text: bytes) -> Recorded:
    """Read what `to_json` wrote."""
    return TypeAdapter(Recorded).validate_json(text)


def played_from_json(text: bytes) -> Played:
    """Read what `to_json` wrote; raises `pydantic.ValidationError`."""
    return TypeAdapter(Played).validate_json(text)
