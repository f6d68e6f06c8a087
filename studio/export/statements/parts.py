"""A script as a value: its head, and its parts in order, each with where it comes from."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from studio.export.python.black_format import formatted
from studio.export.python.literals import doc_literal
from studio.export.statements.marks import Owners
from studio.ids import NodeId

NAMED = re.compile(r"\w+(: [^=\n]+)? = ")

SAID, FLOW, CALLED, COMMAND_LINE = (
    "The flow's texts and values",
    "The flow",
    "The flows that it calls",
    "The command line",
)
"""The sections of what is written for a flow."""


@dataclass(frozen=True, slots=True)
class Part:
    """A statement at the top of a script, or a few that belong together, formatted."""

    section: str
    text: str
    flow: str | None = None
    """The flow that it is written for, by the name by which it is called (empty: the exported one)."""

    @property
    def is_plain(self) -> bool:
        """Whether it gives a name to a value; such parts stand closer together."""
        return NAMED.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class SaidFlow:
    """The function that a flow has become, with what is known of its statements."""

    name: str
    """The name by which the flow is called; that of the exported one is empty."""
    function: str
    inputs: Mapping[NodeId, str]
    """The parameters that flow inputs are."""
    owners: Sequence[Owners]
    """Whose each statement is, in the order of `statements_of`."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a script says of itself before its first part."""

    about: str
    kit: Mapping[str, str]
    """What is imported of the kit, each with what it is called."""
    nodes: Mapping[str, str]
    """The functions of node types, likewise."""
    standard: Sequence[str] = ()
    """Lines that import what comes with Python."""
    binds_late: bool = False
    """Whether functions stand in loops, which linters take for called when the loop is over."""

    @property
    def text(self) -> str:
        """All of it."""
        imports = [*self.standard, "", *imported("stepwire_kit", self.kit)]
        imports += imported("stepwire_kit.nodes", self.nodes)
        orders = ["# ruff: noqa: B023"] if self.binds_late else []
        return formatted("\n".join([doc_literal(self.about), "", *orders, "", *imports, ""]))


def imported(module: str, names: Mapping[str, str]) -> list[str]:
    """The lines that import names of a module: constants first, then classes, then others."""
    ordered = sorted(names.items(), key=_order)
    plain = ", ".join(name for name, called in ordered if name == called)
    others = [f"from {module} import {name} as {called}" for name, called in ordered if name != called]
    return [*([f"from {module} import {plain}"] if plain else []), *others]


def _order(one: tuple[str, str]) -> tuple[bool, bool, str]:
    name = one[0]
    return not name.isupper(), not name[0].isupper(), name


@dataclass(frozen=True, slots=True)
class LeftAsDrawn:
    """A part of a flow that is left as it is drawn, and run by `region`."""

    flow: str
    """The name by which the flow is called; that of the exported one is empty."""
    node: NodeId
    """The node for whose sake it is left."""
    title: str
    why: str

    @property
    def sentence(self) -> str:
        """All of it in words."""
        place = f" in {self.flow}" if self.flow else ""
        return f"“{self.title}”{place} is left as it is drawn, and run by `region`: {self.why}."


@dataclass(frozen=True, slots=True)
class Document:
    """A constant that has nodes as JSON: of a flow that is called by its name, or of a part of one."""

    flow: str
    """The flow whose nodes they are, by the name by which it is called."""
    nodes: frozenset[NodeId]
    is_whole: bool
    """Whether these nodes stand nowhere else in the script."""


@dataclass(frozen=True, slots=True)
class Script:
    """A flow as a script. Parts of one section follow one another."""

    head: Head
    parts: Sequence[Part]
    flows: Sequence[SaidFlow] = ()
    """What the flows have become, the exported one first."""
    drawn: tuple[LeftAsDrawn, ...] = ()
    """What is left as it is drawn, and why."""
    documents: Mapping[str, Document] = field(default_factory=dict[str, Document])
    """The constants that have nodes as JSON, by name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left as it is drawn, and why, a sentence each."""
        return tuple(one.sentence for one in self.drawn)

    @property
    def text(self) -> str:
        """The one file."""
        return "".join(text for text, _ in self.pieces())

    def pieces(self) -> Iterator[tuple[str, Part | None]]:
        """The text in order, each part with what stands between it and the one before."""
        yield self.head.text, None
        gap = "\n"
        for section, parts in groupby(self.parts, key=lambda one: one.section):
            # Functions stand two lines apart from all else.
            yield f"{gap}{heading(section)}\n" + ("\n" if section == CALLED else ""), None
            yield from spaced(parts)
            gap = "\n\n"


def spaced(parts: Iterable[Part]) -> Iterator[tuple[str, Part | None]]:
    """Parts below one another, with what stands between them."""
    before: Part | None = None
    for part in parts:
        if before is not None:
            is_close = before.is_plain and part.is_plain
            is_one_line = before.text.count("\n") == part.text.count("\n") == 1
            yield ("" if is_one_line else "\n") if is_close else "\n\n", None
        yield part.text, part
        before = part


def heading(section: str) -> str:
    """The line above the parts of a section."""
    return f"# --- {section} ---\n"
