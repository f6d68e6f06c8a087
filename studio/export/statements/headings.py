"""What the canvas says of steps beside their names, as comments: titles, frames, and notes in these."""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from studio.export.statements.marks import Owners, statements_of
from studio.export.structure.chart import Chart
from studio.flow.ports import Structure
from studio.flow.records import Frame, Layout, Note, Point
from studio.ids import NodeId, slug

WIDTH = 76

ORDERS = re.compile(
    r"\b(fmt|yapf|type|pyright|basedpyright|mypy|pyre|ruff|noqa|isort|flake8|pylint|pragma|autopep8|nosec)\b",
    re.IGNORECASE,
)
"""Words by which tools are told what to do; a comment of a flow's that has one could be taken for that."""


class Headings:
    """Comments for the statements of a flow's function."""

    def __init__(self, chart: Chart, variables: Mapping[NodeId, str], functions: Mapping[str, str]) -> None:
        """Make them; `functions` are what flows that are called have become, by name."""
        self._chart = chart
        self._variables = variables
        self._functions = functions
        self._layout = chart.flow.layout

    def put(self, text: str, owners: Sequence[Owners]) -> str:
        """Head the statements of a function, given whose each is in the order of `statements_of`."""
        has_titles = any(self._title(node) for node in self._chart.flow.nodes)
        if not self._layout.frames and not has_titles:
            return text
        tree = ast.parse(text)
        self._owners = dict(zip(statements_of(tree), owners, strict=True))
        self._above: dict[int, list[str]] = {}
        self._titled: set[NodeId] = set()
        for block in _blocks(tree):
            self._head(block, frozenset())
        lines: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}{one}" if one else one for one in self._above.get(number, [])]
            lines.append(line)
        return "\n".join(lines)

    def _head(self, block: Sequence[ast.stmt], around: frozenset[str]) -> None:
        """Head the stretches of a block, and what stands in its statements."""
        before = ""
        for place, one in enumerate(block):
            said_by = [self._nodes(one)] if self._nodes(one) else list(self._inner(one))
            frame = self._frame(said_by) if said_by else before
            frame = "" if frame in around else frame
            said = self._above.setdefault(_line(one), [])
            if frame != before:
                said += [""] if place else []
                said += self._said_of_frame(frame) if frame else []
            nodes = self._nodes(one)
            if nodes and nodes[0] not in self._titled and (nodes[1:] == () or nodes[0] in self._chart.owned):
                self._titled.add(nodes[0])
                said += comment(self._title(nodes[0]))
            for inner in _blocks(one):
                self._head(inner, around | {frame} if frame else around)
            before = frame

    def _said_of_frame(self, name: str) -> list[str]:
        frame = self._layout.frames[name]
        notes = [one for key, one in notes_of(self._layout) if _frame_of_note(self._layout, key) == name]
        title = comment(frame.title)
        return [
            *(f"# --- {line[2:]} ---" for line in title),
            *(line for one in notes for line in comment(one.text)),
        ]

    def _nodes(self, one: ast.stmt) -> tuple[NodeId, ...]:
        """Whose a statement is, all of it."""
        whole = [owned.nodes for owned in self._owners.get(one, ()) if owned.is_whole]
        return whole[-1] if whole else ()

    def _inner(self, one: ast.stmt) -> Iterator[tuple[NodeId, ...]]:
        return (nodes for inner in statements_of(one) if (nodes := self._nodes(inner)))

    def _frame(self, said_by: Sequence[Sequence[NodeId]]) -> str:
        """The frame in which all of some nodes stand; empty where there is none."""
        places = {node: self._layout.nodes.get(node) for nodes in said_by for node in nodes}
        found = {frame_around(self._layout, node, place) for node, place in places.items()}
        return found.pop() or "" if len(found) == 1 else ""

    def _title(self, node: NodeId) -> str:
        """What a node was called, where neither its variable nor its function is called so."""
        title = self._chart.record(node).title
        function = self._functions.get(self._chart.registry.called_name(self._chart.record(node)), "")
        plain = slug(title) if title else ""
        if self._chart.structure(node) in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}:
            return ""
        return "" if plain in {str(node), self._variables.get(node, ""), function} else title


def notes_of(layout: Layout) -> list[tuple[str, Note]]:
    """The notes with their ids, from above to below."""
    return sorted(layout.notes.items(), key=lambda one: (one[1].y, one[1].x, one[1].text))


def frame_around(layout: Layout, thing: str, place: Point | Note | None) -> str | None:
    """The smallest frame that something stands in, by its name in `Frame.holds`.

    A collapsed frame has what it hides, wherever that stands, and nothing else.
    """
    if place is None:
        return None
    hiding = [one for one in layout.frames.values() if thing in one.holds]

    def has(name: str, frame: Frame) -> bool:
        if frame.holds:
            return thing in frame.holds
        is_hidden_too = any(f"frames.{name}" in one.holds for one in hiding)
        return _holds(frame, place) and (is_hidden_too or not hiding)

    found = [(one.width * one.height, name) for name, one in layout.frames.items() if has(name, one)]
    return min(found)[1] if found else None


def comment(text: str) -> list[str]:
    """Write a text as a comment; nothing where a tool could take it for an order."""
    plain = "".join(one if one.isprintable() else " " for one in text)
    if ORDERS.search(plain) or not plain.strip():
        return []
    return [f"# {line}" for line in textwrap.wrap(plain.replace("#", ""), WIDTH)]


def _frame_of_note(layout: Layout, key: str) -> str | None:
    return frame_around(layout, f"notes.{key}", layout.notes[key])


def _holds(frame: Frame, place: Point | Note) -> bool:
    return frame.x <= place.x < frame.x + frame.width and frame.y <= place.y < frame.y + frame.height


def _blocks(tree: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """The statements that stand in another, block by block."""
    for name in ("body", "orelse", "finalbody"):
        block: Sequence[ast.stmt] = getattr(tree, name, [])
        if block:
            yield block
    for handler in getattr(tree, "handlers", []):
        yield from _blocks(handler)


def _line(one: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(one, "decorator_list", [])
    return min([one.lineno, *(decorator.lineno for decorator in decorators)])
