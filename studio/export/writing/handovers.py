"""What the lanes of a function hand over: the variables that are set in one and read outside of it.

A lane is a local function. What it returns is known only when all is written that reads it, so that names
stand in its place until then, and `settle` puts in what they come to.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.export.python.lifter import Lifter
from studio.export.structure.assignments import surely_set
from studio.export.writing.marks import CLOSE
from studio.export.writing.statements import Lines, indented

NAME = re.compile(r"__lane(\d+)(_starts|_taken|_known|)__")
NONE = "_"
"""Takes what nobody reads."""
TASK = re.compile(r"( *)(\w+) = (together\.create_task\(.*)")
WORD = re.compile(r"\w+")
TOGETHER = "together"
"""The group that lanes run in: each function has its own, and hands none over."""


@dataclass(slots=True)
class Handover:
    """What stands for the variables of one lane until they are known."""

    number: int
    target: str | None = None
    """The variable, where the lane is no function but one call."""
    beside: frozenset[int] = frozenset()
    """The threads among which it is one."""

    @property
    def starts(self) -> str:
        """Stands at the beginning of its function."""
        return f"__lane{self.number}_starts__"

    @property
    def given(self) -> str:
        """Stands for its variables where it returns them, and where the function around it takes them."""
        return f"__lane{self.number}__"

    @property
    def taken(self) -> str:
        """Stands for its variables in a thread that waits for it."""
        return f"__lane{self.number}_taken__"

    @property
    def known(self) -> str:
        """Stands for its variables in a thread that begins after it anyway."""
        return f"__lane{self.number}_known__"


@dataclass(slots=True)
class _Seen:
    """Which names are read and set, in which lanes."""

    reads: dict[str, list[frozenset[int]]] = field(default_factory=dict[str, list[frozenset[int]]])
    """For each name the lanes around each place where it is read."""
    sets: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """For each lane what its function sets itself, in order."""
    functions: dict[int, ast.AsyncFunctionDef] = field(default_factory=dict[int, ast.AsyncFunctionDef])
    depths: dict[int, int] = field(default_factory=dict[int, int])


class Handovers:
    """Gives lanes their numbers, and puts in at last what they hand over."""

    def __init__(self) -> None:
        self._all: dict[int, Handover] = {}

    def new(self) -> Handover:
        """A lane."""
        made = self._all[len(self._all)] = Handover(len(self._all))
        return made

    def threads(self, number: int) -> list[Handover]:
        """So many lanes, each of which may wait for others of them."""
        made = [self.new() for _ in range(number)]
        for one in made:
            one.beside = frozenset(other.number for other in made)
        return made

    def settle(self, lines: Lines, lifter: Lifter) -> Lines:
        """Put in the variables; those that a lane may not set get a value that nobody reads."""
        if not self._all:
            return lines
        text = "\n".join(["async def flow():", *indented(lines)])
        seen = _Seen()
        _look(ast.parse(text), seen, frozenset(), None)
        given = self._given(seen)
        return _unnamed([line.removeprefix("    ") for line in self._written(text, seen, given, lifter)])

    def _given(self, seen: _Seen) -> dict[int, list[str]]:
        """What each lane hands over: what is set in it and read elsewhere."""
        given: dict[int, list[str]] = {}
        for number in sorted(self._all, key=lambda one: (-seen.depths.get(one, 99), one)):
            one = self._all[number]
            sets = [one.target or NONE] if one.target is not None else seen.sets.get(number, [])
            inner = [name for place in sets for name in _opened(place, given)]
            given[number] = [
                name
                for name in dict.fromkeys(inner)
                if name != NONE and any(number not in around for around in seen.reads.get(name, ()))
            ]
        return given

    def _written(self, text: str, seen: _Seen, given: Mapping[int, list[str]], lifter: Lifter) -> Lines:
        """The lines with the variables in their places."""
        around: list[tuple[int, int]] = []
        lines: Lines = []
        for line in text.split("\n")[1:]:
            bare = line.lstrip(" ")
            indent = line.removesuffix(bare)
            around = [one for one in around if one[1] <= len(indent) or not bare]
            found = NAME.fullmatch(bare.removeprefix("return "))
            if found and found[2] == "_starts":
                number = int(found[1])
                around.append((number, len(indent)))
                sure = surely_set(seen.functions[number].body[:-1], lambda name: _opened(name, given))
                lines += [f"{indent}{name} = {_unset(lifter)}" for name in given[number] if name not in sure]
            elif found:
                _return(lines, indent, given[int(found[1])])
            elif NAME.search(line):
                lines += _filled(line, [number for number, _ in around], self._all, seen, given)
            else:
                lines.append(line)
        return lines


def has_lanes(lines: Lines) -> bool:
    """Whether any lines stand in lanes, or take what these hand over."""
    return any(NAME.search(line) or line.endswith("_lane():") for line in lines)


def _opened(name: str, given: Mapping[int, list[str]]) -> list[str]:
    """The variables that a name stands for."""
    found = NAME.fullmatch(name)
    if found is None:
        return [name]
    return given.get(int(found[1]), []) if not found[2] else []


def _look(node: ast.AST, seen: _Seen, lanes: frozenset[int], scope: int | None) -> None:
    """Note what is read and set below a node; `scope` is the lane whose function it stands in itself."""
    match node:
        case ast.AsyncFunctionDef() if (number := _lane_of(node)) is not None:
            seen.functions[number] = node
            seen.depths[number] = len(lanes)
            lanes, scope = lanes | {number}, number
        case ast.AsyncFunctionDef() | ast.FunctionDef() | ast.Lambda():
            scope = None
        case ast.comprehension():
            _look(node.iter, seen, lanes, scope)
            for one in node.ifs:
                _look(one, seen, lanes, None)
            return
        case ast.Name(id=name, ctx=ast.Store()) if scope is not None and name != TOGETHER:
            seen.sets.setdefault(scope, []).append(name)
        case ast.Name() if not isinstance(node.ctx, ast.Store):
            seen.reads.setdefault(node.id, []).append(lanes)
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        _look(child, seen, lanes, scope)


def _lane_of(function: ast.AsyncFunctionDef) -> int | None:
    match function.body[0]:
        case ast.Expr(value=ast.Name(id=name)) if found := NAME.fullmatch(name):
            return int(found[1])
        case _:
            return None


def _filled(
    line: str,
    inside: Sequence[int],
    lanes: Mapping[int, Handover],
    seen: _Seen,
    given: Mapping[int, list[str]],
) -> list[str]:
    """An assignment from lanes, with their variables; nothing where it is needless."""
    places, _, value = line.lstrip(" ").partition(" = ")
    indent = line[: len(line) - len(line.lstrip(" "))]
    targets: list[str] = []
    is_needed = "await " in value
    for place in places.split(", "):
        found = NAME.fullmatch(place)
        if found is None:
            targets.append(place)
            continue
        one = lanes[int(found[1])]
        names = given[one.number]
        if found[2]:
            here = [number for number in inside if number in one.beside]
            names = [name if _is_read_in(name, here, seen) else NONE for name in names]
            is_needed = found[2] == "_taken"
        else:
            names = [name if _is_read_past(name, one.beside, seen) else NONE for name in names]
        if all(name == NONE for name in names):
            targets.append(NONE)
        else:
            targets.append(names[0] if len(names) == 1 else f"({', '.join(names)})")
    if all(target == NONE for target in targets):
        return [f"{indent}{value}"] if is_needed else []
    whole = targets[0].strip("()") if len(targets) == 1 else ", ".join(targets)
    return [f"{indent}{whole} = {value}"]


def _is_read_in(name: str, lanes: Sequence[int], seen: _Seen) -> bool:
    return any(not around.isdisjoint(lanes) for around in seen.reads.get(name, ()))


def _is_read_past(name: str, threads: frozenset[int], seen: _Seen) -> bool:
    return any(around.isdisjoint(threads) for around in seen.reads.get(name, ()))


def _return(lines: Lines, indent: str, names: Sequence[str]) -> None:
    """Let lines end by giving names back; what is set last need not get its name first."""
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].strip() != CLOSE), 0)
    if len(names) == 1 and lines[last].startswith(f"{indent}{names[0]} = "):
        lines[last] = f"{indent}return {lines[last].partition(' = ')[2]}"
    elif names:
        lines.append(f"{indent}return {', '.join(names)}")


def _unnamed(lines: Lines) -> Lines:
    """The lines, in which tasks that nobody asks for have no names; their group holds on to them."""
    tasks = {found[2] for line in lines if (found := TASK.match(line))}
    unread = tasks - {name for line in lines if not TASK.match(line) for name in WORD.findall(line)}
    return [
        found[1] + found[3] if (found := TASK.match(line)) and found[2] in unread else line for line in lines
    ]


def _unset(lifter: Lifter) -> str:
    return f"{lifter.use('typing', 'cast')}({lifter.use('typing', 'Any')}, None)"
