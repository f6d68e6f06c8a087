"""What a region's body does, statement by statement, before it is put in order."""

import ast
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

from studio.export.python.constants import Constants
from studio.export.python.lifter import Lifter
from studio.export.python.literals import literal
from studio.export.structure.chart import Chart
from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.outputs import STEPS
from studio.export.structure.readings import Readings
from studio.flow.records import Socket
from studio.flow.regions import Region
from studio.ids import NodeId, PortName

Lines: TypeAlias = list[str]


@dataclass(slots=True)
class Call:
    """A call with what stands before it, and the name that takes its result (empty: nobody asks)."""

    before: Lines
    expression: str
    target: str
    is_async: bool


@dataclass(slots=True)
class Statement:
    """Something that a region's body does, when it does it, and after what."""

    key: str
    condition: Condition
    waits: set[str]
    write: Callable[[Condition], Lines]
    call: Callable[[Condition], Call] | None = None
    """Set for a step that is waited for, and could be waited for beside others."""
    lenders: Sequence[NodeId] = ()
    node: str = ""
    """The step, loop or map that it belongs to."""
    also: set[str] = field(default_factory=set[str])
    """Statements of the same node that it comes after."""


@dataclass(slots=True)
class Outline:
    """What a body turned out to need."""

    functions: list[str] = field(default_factory=list[str])
    """Functions of its own, such as the rules of a branch."""
    depth: int = 0
    """In how many calls the function stands at most."""
    depth_known: int | None = None
    """The same, where it is always that many."""


Inside: TypeAlias = Callable[[Region], list[Statement]]
"""Gives what the body of a region does, in no order yet."""


class Room:
    """A part of the writer of a body; each knows the flow, and what its sockets are in Python."""

    def __init__(self, readings: Readings, outline: Outline) -> None:
        self._readings = readings
        self._outline = outline
        self._chart: Chart = readings.chart
        self._lifter: Lifter = readings.lifter
        self._constants: Constants = readings.constants
        self._variables = readings.variables


class Area(Room):
    """What loops and maps have in common: how failures leave them."""

    def travels(self, region: Region) -> str:
        """What a failure is raised as on its way out; empty where it is raised as it is."""
        return self._lifter.use(STEPS, "Travelling") if self._readings.is_mixed(region) else ""

    def raises(self, region: Region, error: str) -> str:
        """The statement that makes a loop or map fail with an error."""
        travels = self.travels(region)
        return f"raise {travels}({error})" if travels else f"raise {error}"

    def limited(self, region: Region, lines: Lines) -> Lines:
        """Stop a loop or map after the time that it is given."""
        seconds = self._chart.record(owner_of(region)).run.time_limit
        if seconds is None:
            return lines
        travels = self.travels(region)
        given = f"{literal(seconds)}, {travels}" if travels else literal(seconds)
        limit = f"{self._lifter.use(STEPS, 'no_longer_than')}({given})"
        return [f"async with {limit}:", *indented(lines)]

    def mended(self, node: NodeId, lines: Lines) -> Lines:
        """Let the error policy of a loop or collect stand in for what it would have given."""
        readings = self._readings
        if readings.policy(node) == "fail":
            return lines
        way = readings.failure(node)
        caught: Lines = []
        if way is not None:
            caught.append(f"{way.name} = {self._lifter.use(STEPS, 'told')}(error)")
        for port, value in readings.stand_ins(node).items():
            if readings.is_used(node, port):
                default = self._constants.value(f"{node}_default_{port}", value)
                caught.append(f"{readings.read(Socket(node, PortName(port)))} = {default}")
        before = [f"{way.name} = None"] if way is not None else []
        if not caught:
            return [f"with {self._lifter.use('contextlib', 'suppress')}(Exception):", *indented(lines)]
        head = "except Exception as error:" if way is not None else "except Exception:"
        return [*before, "try:", *indented(lines), f"{head}  # noqa: BLE001", *indented(caught)]

    def guarded(self, region: Region, lines: Lines) -> Lines:
        """Keep the failure of a loop or map in its variable, where it has one."""
        owner = owner_of(region)
        kept = self._readings.kept(owner)
        if kept is None or not self._readings.breaks(owner):
            return lines
        start = [] if self._readings.stuck(owner) != NEVER else [f"{kept.name} = None"]
        return [*start, *tried(lines, kept.name, self.travels(region))]


def owner_of(region: Region) -> NodeId:
    """The loop or for-each of a region that is not the whole flow."""
    if region.owner is None:
        message = "the root is no loop and no map"
        raise AssertionError(message)
    return region.owner


def under(condition: Condition, lines: Lines) -> Lines:
    """Write lines under an `if`, where they need one."""
    if condition == NEVER:
        return []
    return lines if condition == ALWAYS else [f"if {condition.test()}:", *indented(lines)]


def tried(lines: Lines, failure: str, travelling: str = "") -> Lines:
    """Keep the failure of lines in a variable; only what is raised as `travelling`, if that is given."""
    if travelling:
        caught = [f"except {travelling} as error:", f"    {failure} = error.error"]
    else:
        caught = ["except Exception as error:  # noqa: BLE001", f"    {failure} = error"]
    return ["try:", *indented(lines), *caught]


def names_in(lines: Lines, use: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """The names that lines of a function use so."""
    tree = ast.parse("\n".join(["async def one():", *indented(lines or ["pass"])]))
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, use)}


def binds_late(lines: Lines, changing: AbstractSet[str]) -> bool:
    """Whether a function that is made in a loop's body reads what it sets anew, or `changing`."""
    tree = ast.parse("\n".join(["async def one():", *indented(lines or ["pass"])])).body[0]
    functions: list[ast.AST] = []
    changed = {*changing}
    left = list(ast.iter_child_nodes(tree))
    while left:
        node = left.pop()
        if isinstance(node, (ast.AsyncFunctionDef, ast.FunctionDef, ast.Lambda)):
            functions.append(node)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            changed.add(node.id)
        left += ast.iter_child_nodes(node)
    return any(_free_in(function) & changed for function in functions)


def _free_in(function: ast.AST) -> set[str]:
    """What a function reads, and neither takes nor sets."""
    nodes = list(ast.walk(function))
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - own


def indented(lines: Lines) -> Lines:
    """Write lines one level further in."""
    return [f"    {line}" if line else line for line in lines]
