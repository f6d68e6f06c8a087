"""Modules read as text: what they define, what they import, where things stand. Nothing is executed."""

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from studio.errors import ExportError
from studio.export.python.joining import joined
from studio.export.python.pieces import FUNCTIONS, Origin

MARKS = frozenset({"studio.sdk.node"})
"""Modules whose decorators say what a function is to the studio; they are never lifted."""

ONLY_WITH = re.compile(r"[ \t]*# only with: ([\w\".{]+(?:, [\w\".{]+)*)$", re.MULTILINE)
"""Marks, behind its first line, a statement that is lifted only where the field of this name is given.

Or, in quotes, where there is an object with this key among what the script says itself; or, behind a dot,
where somebody reads an attribute of this name; `{{` stands for a text that has a placeholder. Of several, one
will do.
"""


COMMA = re.compile(r"\s*,(?:[ \t]*#[^\n]*)?")


class Module:
    """One module of the studio or of a node, as text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = joined(_text_of(name), _text_of)
        self._starts = _line_starts(self.text)
        self._lines = self.text.splitlines(keepends=True)
        self.tree = ast.parse(self.text)
        self.imports = dict(self._imported())
        self.nodes = dict(self._defined())

    def offset(self, line: int, column: int) -> int:
        """The offset of a place that `ast` gives: a line from 1, and a column in UTF-8 bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node of the tree begins and ends."""
        place: ast.expr = node  # pyright: ignore[reportAssignmentType]  # any node that has a place
        return (
            self.offset(place.lineno, place.col_offset),
            self.offset(place.end_lineno or place.lineno, place.end_col_offset or 0),
        )

    def listed_span(self, node: ast.AST) -> tuple[int, int]:
        """Where a part of a list begins and ends, with its comma if it has one."""
        start, end = self.span(node)
        comma = COMMA.match(self.text, end)
        return start, comma.end() if comma else end

    def line_start(self, offset: int) -> int:
        """Where the line of `offset` begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def mark_of(self, node: ast.stmt | ast.expr) -> re.Match[str] | None:
        """What is said behind the first line of a statement, or entry of an object, of where it is lifted."""
        start = self._starts[node.lineno - 1]
        return ONLY_WITH.search(self.text, start, start + len(self._lines[node.lineno - 1]))

    def above(self, start: int) -> int:
        """Where the comments begin that stand right above an offset."""
        while start > 0:
            line_start = self.line_start(start - 1)
            line = self.text[line_start : start - 1].strip()
            if not line.startswith("#") or line.startswith(("# -", "#!")):
                break
            start = line_start
        return start

    def _imported(self) -> Iterator[tuple[str, Origin]]:
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    yield alias.asname or alias.name, Origin(node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0], Origin(alias.name, "")

    def _defined(self) -> Iterator[tuple[str, tuple[ast.stmt, ast.stmt]]]:
        """Each top-level name with its statement, and the last statement that belongs to it."""
        for place, node in enumerate(self.tree.body):
            following = self.tree.body[place + 1 : place + 2]
            last = following[0] if following and is_text(following[0]) else node
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node.name, (node, node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, (node, last)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id, (node, last)


@cache
def read_module(name: str) -> Module:
    """Read a module once; raises `ExportError` where it has no source."""
    return Module(name)


def resolve(origin: Origin) -> Origin | None:
    """Follow a name to where it is defined; None for names of Python itself and unknown ones."""
    seen: set[Origin] = set()
    while origin.is_own and origin not in seen:
        seen.add(origin)
        module = read_module(origin.module)
        if origin.name in module.nodes:
            return origin
        if origin.name not in module.imports:
            return None
        origin = module.imports[origin.name]
    return origin


def is_mark(module: str, decorator: ast.expr) -> bool:
    """Tell whether a decorator only says what a function is to the studio."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    origin = resolve(Origin(module, name.id)) if isinstance(name, ast.Name) else None
    return origin is not None and origin.module in MARKS


def is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a text by itself, which says something of what stands above it."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _text_of(name: str) -> str:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        reason = f"The source of `{name}` cannot be found."
        raise ExportError(reason, hint="Install the package that brings it with its source.")
    return Path(found.origin).read_text("utf-8")


def _line_starts(text: str) -> Mapping[int, int]:
    starts = {0: 0}
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        offset += len(line)
        starts[number] = offset
    return starts
