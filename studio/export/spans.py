"""Which lines of a script are a node's: its statements, and what only they use; and whose a line is."""

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from studio.export.statements.marks import Owners, statements_of
from studio.export.statements.parts import Document, Part, SaidFlow, Script
from studio.ids import NodeId

NODE = re.compile(r'    "([^"\\]+)": \{')
"""How a node begins in a constant that has a flow as JSON: on one line, or with its parts further in."""
CLOSED = re.compile(r'    }|    ".*},?$')
"""How it ends there."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A node of a flow, named as those that call it name it; the exported flow has no name."""

    flow: str
    node: NodeId


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a script that belong together, from 1 on, the last one included."""

    first: int
    last: int
    places: frozenset[Place]
    is_own: bool
    """Whether they are statements of the nodes, and not texts and functions that these use."""

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last


NOBODY: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Spans:
    """The stretches of a script: what nodes use first, then their statements, outer before inner ones."""

    stretches: tuple[Stretch, ...] = ()

    def of(self, places: Iterable[Place]) -> list[Stretch]:
        """What belongs to any of these nodes."""
        asked = frozenset(places)
        return [one for one in self.stretches if one.places & asked]

    def at(self, line: int) -> frozenset[Place]:
        """Whose a line is: that of the innermost statement."""
        return next((one.places for one in reversed(self.stretches) if line in one), NOBODY)


def find_spans(script: Script) -> Spans:
    """Look in the one file for what belongs to each node."""
    return _Finder(script).spans()


@dataclass(frozen=True, slots=True)
class _Definition:
    """Something at the top of a script that has a name."""

    part: Part
    made: ast.stmt
    above: int
    """How many lines stand above its part."""

    def stretch(self, places: Iterable[Place], *, is_own: bool, of: ast.AST | None = None) -> Stretch:
        """The lines of the whole, or of something in it."""
        first, last = _lines_of(of or self.made)
        return Stretch(self.above + first, self.above + last, frozenset(places), is_own)


class _Finder:
    def __init__(self, script: Script) -> None:
        self._flows = {one.function: one for one in script.flows}
        self._defined: dict[str, _Definition] = {}
        self._own: list[Stretch] = []
        self._heads: list[Stretch] = []
        """Conditions and functions that stand around statements of several nodes."""
        self._noted: list[Stretch] = []
        """Nodes as JSON."""
        self._used: dict[str, set[Place]] = {}
        """Who uses what stands at the top of the script, by its name."""
        line = 0
        for text, part in script.pieces():
            if part is not None:
                for made in ast.parse(text).body:
                    self._defined.update(dict.fromkeys(_names_of(made), _Definition(part, made, line)))
                    for name in _names_of(made):
                        self._find_nodes(script.documents.get(name), text, line, made)
            line += text.count("\n")

    def spans(self) -> Spans:
        """Everything that belongs to somebody."""
        for name, flow in self._flows.items():
            found = self._defined[name]
            self._find_inputs(flow, found)
            self._find_statements(flow, found)
        used = [self._stretch(name, places) for name, places in self._used.items()]
        return Spans((*used, *self._noted, *self._heads, *self._own))

    def _find_nodes(self, document: Document | None, text: str, above: int, made: ast.stmt) -> None:
        """Find the lines of each node that a constant has as JSON."""
        if document is None:
            return
        first, last = _lines_of(made)
        node, begun = None, 0
        for line, said in enumerate(text.split("\n")[first - 1 : last], above + first):
            if found := NODE.match(said):
                node, begun = NodeId(found[1]), line
            if node is not None and CLOSED.match(said):
                if node in document.nodes:
                    place = frozenset({Place(document.flow, node)})
                    self._noted.append(Stretch(begun, line, place, document.is_whole))
                node = None

    def _find_statements(self, flow: SaidFlow, found: _Definition) -> None:
        whole = list(zip(flow.owners, statements_of(ast.Module([found.made], [])), strict=True))
        for at, (owners, made) in enumerate(whole):
            if not owners:
                self._find_head(flow, found, whole[at:] if at else [])
                continue
            places = [Place(flow.name, node) for node in owners[-1].nodes]
            head = _head_of(made)
            stretch = found.stretch(places, is_own=True, of=made)
            if not owners[-1].is_whole and head is not None:
                stretch = replace(stretch, last=found.above + max(head, _lines_of(made)[0]))
            last = self._own[-1] if self._own else None
            if last is None or last.places != stretch.places or stretch.last not in last:
                self._own.append(stretch)
            self._share(made, owners[-1].nodes, flow, found)

    def _find_head(
        self, flow: SaidFlow, found: _Definition, whole: Sequence[tuple[Owners, ast.stmt]]
    ) -> None:
        """Give the head of a statement that nobody owns to all whose statements stand in it."""
        made = whole[0][1] if whole else None
        head = _head_of(made) if made is not None else None
        if made is not None and head is not None:
            inside = whole[1 : 1 + len(list(statements_of(made)))]
            places = {
                Place(flow.name, node) for owners, _ in inside for one in owners[-1:] for node in one.nodes
            }
            stretch = found.stretch(places, is_own=False, of=made)
            self._heads.append(replace(stretch, last=found.above + max(head, _lines_of(made)[0])))

    def _share(self, made: ast.stmt, nodes: Sequence[NodeId], flow: SaidFlow, found: _Definition) -> None:
        """Give of a statement that says several nodes each the lines that say it."""
        pieces = _pieces_of(made, nodes)
        lines = [line for _, piece in pieces for line in range(piece.lineno, (piece.end_lineno or 0) + 1)]
        for node, piece in pieces:
            place = Place(flow.name, node)
            if len(lines) == len(set(lines)):
                self._own.append(found.stretch([place], is_own=True, of=piece))
            self._use(_own_names(piece), [place])
        told = {node for node, _ in pieces}
        places = [Place(flow.name, node) for node in nodes if node not in told]
        if places:
            self._use(_own_names(made), places)

    def _find_inputs(self, flow: SaidFlow, found: _Definition) -> None:
        if not isinstance(found.made, ast.AsyncFunctionDef):
            return
        arguments = found.made.args
        given = [*[None] * (len(arguments.args) - len(arguments.defaults)), *arguments.defaults]
        nodes = {variable: node for node, variable in flow.inputs.items()}
        for one, default in zip(arguments.args, given, strict=True):
            if one.arg in nodes:
                place = Place(flow.name, nodes[one.arg])
                self._own.append(found.stretch([place], is_own=True, of=one))
                self._use(_names_in(default) if default is not None else (), [place])

    def _use(self, names: Iterable[str], places: Sequence[Place]) -> None:
        """Note what is used, and what that uses; of what all kinds of steps share, nothing."""
        for name in names:
            found = self._defined.get(name)
            if found is None or not _is_told(found.part) or set(places) <= self._used.get(name, set()):
                continue
            self._used.setdefault(name, set()).update(places)
            if name not in self._flows:
                self._use(_names_in(found.made), places)

    def _stretch(self, name: str, places: set[Place]) -> Stretch:
        found = self._defined[name]
        stretch = found.stretch(places, is_own=False)
        head = _head_of(found.made) if name in self._flows else None
        return stretch if head is None else replace(stretch, last=found.above + head)


def _is_told(part: Part) -> bool:
    """Whether a part is the flow's."""
    return part.flow is not None


def _names_of(made: ast.stmt) -> list[str]:
    """What a statement at the top of a script gives a name to."""
    if isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [made.name]
    targets = made.targets if isinstance(made, ast.Assign) else [getattr(made, "target", None)]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def _pieces_of(made: ast.stmt, nodes: Sequence[NodeId]) -> list[tuple[NodeId, ast.expr]]:
    """The parts of one statement that are each a node's: calls side by side, the values that are returned."""
    if len(nodes) < 2 or next(statements_of(made), None) is not None:
        return []
    for one in ast.walk(made):
        if isinstance(one, ast.Dict):
            keys = {
                key.value: value
                for key, value in zip(one.keys, one.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            return [(node, keys[node]) for node in nodes if node in keys]
        if isinstance(one, ast.Call) and one.args:
            racing = nodes[1:] if isinstance(one.args[0], ast.Lambda) else nodes
            return list(zip(racing, one.args, strict=True)) if len(racing) == len(one.args) else []
    return []


def _names_in(tree: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(tree) if isinstance(one, ast.Name)]


def _own_names(made: ast.AST) -> list[str]:
    """The names in a statement, without those in the statements in it."""
    found = [made.id] if isinstance(made, ast.Name) else []
    for child in ast.iter_child_nodes(made):
        if not isinstance(child, ast.stmt):
            found += _own_names(child)
    return found


def _lines_of(made: ast.AST) -> tuple[int, int]:
    decorators: list[ast.expr] = getattr(made, "decorator_list", [])
    places = [made, *decorators]
    return min(getattr(one, "lineno", 1) for one in places), getattr(made, "end_lineno", None) or 1


def _head_of(made: ast.stmt) -> int | None:
    """The last line before what stands in a statement; None where nothing does."""
    inside = next(statements_of(made), None)
    return None if inside is None else _lines_of(inside)[0] - 1
