"""What a script is played against: all that a run was told from outside, and how it ended.

It goes to the process that plays as JSON, and what was found there comes back so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import TypeAdapter

Sort: TypeAlias = Literal["chat", "embed", "tool", "ask", "code", "step", "read", "write"]


@dataclass(frozen=True, slots=True)
class Broken:
    """An error: its class, one sentence, and what to do."""

    error: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that a run asked for, or did outside, and what came of it.

    Neither `answer` nor `broken` means that nothing ever came. A `step` is one whose node reads or changes
    files: its request is what it was given. To `read` and `write` is done in memories.
    """

    sort: Sort
    step: str
    title: str
    request: Any
    answer: Any = None
    broken: Broken | None = None
    is_answered: bool = False
    is_inside: bool = False
    """Whether the tool made calls of its own, so that it is run, and these are answered."""
    is_owed: bool = True
    """Whether a script that never asks for it does something else than the run."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Function:
    """The function of a node type that reads or changes files: where it is lifted from."""

    kind: str
    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Draw:
    """A time or a seed that a run was given, within which call of a tool (empty: none), and by which node.

    What is under way at once draws in any order, but each what it drew then. What lends has no `node`.
    """

    value: Any
    call: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Playbook:
    """Everything that playing a script takes; `images` has pictures as base64, by their path."""

    arguments: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    functions: tuple[Function, ...] = ()
    clock: tuple[Draw, ...] = ()
    seeds: tuple[Draw, ...] = ()
    images: Mapping[str, str] = field(default_factory=dict[str, str])
    outputs: Mapping[str, Any] | None = None
    broken: Broken | None = None


@dataclass(frozen=True, slots=True)
class Unlike:
    """The first thing that a script does otherwise than the run, in words.

    `what` is `request`, `extra`, `missing`, `output`, `failure`, `outside` or `stuck`; `place` is where in
    it the two differ.
    """

    what: str
    sentence: str
    step: str = ""
    title: str = ""
    place: str = ""
    script: Any = None
    recording: Any = None


@dataclass(frozen=True, slots=True)
class Played:
    """What came of playing a script; `used` is how many of the recorded requests it made."""

    used: int = 0
    unlike: Unlike | None = None


def playbook_to_json(playbook: Playbook) -> bytes:
    """Write a playbook for the process that plays."""
    return orjson.dumps(playbook, option=orjson.OPT_NON_STR_KEYS)


def playbook_from_json(text: bytes) -> Playbook:
    """Read what `playbook_to_json` wrote."""
    return TypeAdapter(Playbook).validate_json(text)


def played_to_json(played: Played) -> bytes:
    """Write what was found."""
    return orjson.dumps(played, option=orjson.OPT_NON_STR_KEYS, default=repr)


def played_from_json(text: bytes) -> Played:
    """Read what `played_to_json` wrote; raises `pydantic.ValidationError`."""
    return TypeAdapter(Played).validate_json(text)
