"""Where, and for what, a run is held: one record for the window, the disk, the wire and the gate.

A place is a node's id (held before its steps) or a socket `node.port` (held before an input is read, or after
an output was given); `node#chat` and `node#tool` are the calls that its steps make (held before each), and
`node#chat.answer` what they are answered. In a called flow its name stands before it: `summary.json:critic`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

On: TypeAlias = Literal["step", "error", "tool", "policy", "budget", "text"]
"""`step` holds at its place; the others, wherever it happens in the run or at the node of their place."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """Holds, or with `log` writes a line instead, where `condition` is met (an empty one always is).

    Catches, those that are not on `step`, are for the whole run where `place` is empty, or for one node.
    """

    place: str = ""
    on: On = "step"
    condition: str = ""
    """In the language of `sdk.expressions`, over the names of `break_names`."""
    hits: int = 0
    """Hold from that time on that it would hold; 0 and 1: every time."""
    log: str = ""
    """Text with `{expressions}`."""
    text: str = ""
    """What a message contains, for `text`."""
    tool: str = ""
    """The name of the tool, with `*` for any part of it, for `tool`; empty for all."""
    is_pattern: bool = False
    """Whether `text` is a regular expression."""
    caught: bool = False
    """For `error`: also where a retry, an error policy, a catch or whoever called takes it in."""

    @property
    def key(self) -> str:
        """What tells it from others of its flow: its place, or for catches what they look for, and where."""
        if self.on == "step":
            return self.place
        looked_for = self.tool or self.text
        at = f"@{self.place}" if self.place else ""
        return f"{CATCH}{self.on}{at}" + (f" {looked_for}" if looked_for else "")

    @property
    def is_plain(self) -> bool:
        """Whether it always holds at its place, and is nothing but that."""
        return self == Breakpoint(self.place)

    @property
    def node_place(self) -> str:
        """The node that it belongs to, with its flow's name before it, as in its place; empty for none."""
        flow, inner = split_place(self.place)
        node = place_parts(inner)[0]
        return f"{flow}:{node}" if flow else node

    def moved_to(self, node: str) -> "Breakpoint":
        """The same at another node of the same flow."""
        flow, inner = split_place(self.place)
        place = node + inner[len(place_parts(inner)[0]) :]
        return replace(self, place=f"{flow}:{place}" if flow else place)

    def in_flow(self, flow: str) -> "Breakpoint":
        """The same, for where a run comes to it that has called the flow of this name."""
        return replace(self, place=f"{flow}:{self.place}")


CATCH: Final = "!"
"""Begins the key of a catch, and of no place."""


def place_parts(place: str) -> tuple[str, str, str]:
    """Split a place of one flow into node, kind of call (empty for the node itself) and port (or empty)."""
    before, _, port = place.partition(".")
    node, _, call = before.partition("#")
    return node, call, port


def split_place(place: str) -> tuple[str, str]:
    """Split a place into the name of the called flow (empty for the run's own) and the place in it."""
    flow, _, inner = place.rpartition(":")
    return flow, inner


def breakpoint_to_json(one: Breakpoint) -> dict[str, Any]:
    """Give what differs from a breakpoint that is nothing but that."""
    plain = Breakpoint()
    return {
        field.name: getattr(one, field.name)
        for field in fields(one)
        if getattr(one, field.name) != getattr(plain, field.name)
    }


def breakpoint_from_json(plain: Mapping[str, Any]) -> Breakpoint:
    """Read what `breakpoint_to_json` gave; raises `ValueError` for what is none."""
    try:
        return _adapter().validate_python(dict(plain))
    except ValidationError as error:
        raise ValueError(str(error)) from error


@cache
def _adapter() -> TypeAdapter[Breakpoint]:
    return TypeAdapter(Breakpoint)
