"""Statements of a flow's function, and the room that all who write them share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.export.python.constants import Constants
from studio.export.statements.places import Places
from studio.export.structure.facts import Facts, Way
from studio.export.structure.overlap import Weave
from studio.ids import NodeId

Lines = list[str]


@dataclass(slots=True)
class Statement:
    """What one vertex becomes: what it waits for, in which arms it stands, how it is written."""

    key: str
    nodes: tuple[NodeId, ...]
    """Whose it is."""
    waits: set[str]
    way: Way
    write: Callable[[], Lines]
    call: Callable[[], tuple[str, str]] | None = None
    """What the result is assigned to, and the coroutine, where it is no more than one that is awaited."""
    is_slow: bool = False


@dataclass(frozen=True, slots=True)
class CalledFlow:
    """A flow that becomes a function of the script, by the name by which it is called."""

    name: str
    function: str
    facts: Facts
    variables: Mapping[NodeId, str]
    constants: Constants


@dataclass(frozen=True, slots=True)
class Imports:
    """What names of the kit and functions of node types are called in a script."""

    kit: Mapping[str, str]
    functions: Mapping[str, str]
    """By kind of node."""


@dataclass(slots=True)
class Outline:
    """What the statements of a function need of the script around it."""

    flow: CalledFlow
    flows: Mapping[str, CalledFlow]
    """Those that are called, by name."""
    imports: Imports
    places: Places = field(default_factory=Places)
    kit: set[str] = field(default_factory=set[str])
    """Names that it uses of `stepwire_kit`."""
    kinds: set[str] = field(default_factory=set[str])
    """The node types whose functions it calls."""
    called: set[str] = field(default_factory=set[str])
    """Flows whose functions it calls."""
    drawn: dict[NodeId, str] = field(default_factory=dict[NodeId, str])
    """Nodes for whose sake something is left as it is drawn, each with why."""
    documents: dict[str, frozenset[NodeId]] = field(default_factory=dict[str, frozenset[NodeId]])
    """The constants of such parts, each with its nodes."""
    lends: set[str] = field(default_factory=set[str])
    """Flows that are called by their name: by tools, and where parts are left as they are drawn."""

    def use(self, name: str) -> str:
        """Use a name of the kit."""
        self.kit.add(name)
        return self.imports.kit[name]

    def function_of(self, kind: str) -> str:
        """Use the function of a node type."""
        self.kinds.add(kind)
        return self.imports.functions[kind]


def indented(lines: Lines) -> Lines:
    """The lines one level further in."""
    return [f"    {line}" if line else line for line in lines]


def merge_of(statement: Statement) -> str:
    """The key of a statement; of one arm of a merge, whose variable all its arms set, that of the merge."""
    return statement.key.partition("#")[0]


def weave_of(statements: Sequence[Statement], facts: Facts) -> Weave:
    """Which statements take place at the same time, by their keys."""
    known = {one.key: one for one in statements}
    return Weave(
        {key: frozenset(one.waits & known.keys()) for key, one in known.items()},
        frozenset(key for key, one in known.items() if one.is_slow),
        lambda one, other: facts.excludes(known[one].way, known[other].way),
    )
