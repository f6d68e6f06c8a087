"""A script as it is written: its functions that are flows, and the calls of nodes in each."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.app.scripts.edits.constants import Written
from studio.ids import NodeId
from studio.script.head import Head

Said = Literal["node", "rounds", "each", "collected", "call", "drawn"]
"""How a script says a node: by its function, by a word of the kit, or in a flow that is given as JSON."""


@dataclass(frozen=True, slots=True)
class NodeCall:
    """One place in a script that says what a node is to do."""

    said: Said
    kind: str
    node: NodeId
    line: int
    scope: tuple[NodeId, ...] = ()
    """The loops and maps around it, outer ones first."""
    arguments: tuple[Written, ...] = ()
    keywords: Mapping[str, Written] = field(default_factory=dict[str, Written])
    has_more: bool = False
    """Whether it is given more than can be read: `*some`, `**others`."""
    run: Mapping[str, Written] | None = None
    """Its run settings that are not the usual ones; None where it says nothing of them."""


@dataclass(frozen=True, slots=True)
class Untold:
    """Something that could not be followed, in words, and its line."""

    line: int
    words: str


@dataclass(slots=True)
class FlowFunction:
    """A function that is a flow."""

    name: str
    line: int
    docstring: Written | None = None
    parameters: dict[str, Written | None] = field(default_factory=dict[str, Written | None])
    """What each takes where nothing is given; None where something has to be."""
    calls: list[NodeCall] = field(default_factory=list[NodeCall])
    flows: dict[NodeId, str] = field(default_factory=dict[NodeId, str])
    """The function that each node calls that calls another flow."""
    untold: list[Untold] = field(default_factory=list[Untold])


@dataclass(frozen=True, slots=True)
class Script:
    """A script that was read."""

    head: Head | None
    title: Written | None
    about: Written | None
    """The description in its docstring, before where it is from."""
    main: FlowFunction
    functions: Mapping[str, FlowFunction]
    """The functions that it calls as flows."""


def named(expression: ast.expr) -> str:
    """The name that an expression is, or the one of the function of which it is a part."""
    if isinstance(expression, ast.Call) and expression.args:  # partial(look_up, at=place)
        return named(expression.args[0])
    return expression.id if isinstance(expression, ast.Name) else ""
