"""What else was edited in a script: lines of Python that are no text and no setting of its flow.

A script is held against what was exported and against what its flow would be exported as with its edits; a
statement that neither has is a person's own.
"""

import ast
import io
import json
import tokenize
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from studio.app.scripts.edits.constants import Constants
from studio.app.scripts.edits.edits import Remark
from studio.app.scripts.edits.names import Names
from studio.flow.plain_text import on_one_line

MOST: Final = 20
"""How many such lines are named."""
LONGEST: Final = 80
"""Characters of a line that are shown."""
ELSEWHERE: Final = {
    "limits": "limits of a run are set in the project",
    "node_limits": "limits of a node are set on the node",
    "chat": "the chat profile is set in the project",
    "flows": "flows that are called by name are files of the project",
}
"""Where that is kept of a flow which a script says in `Flow(…)`."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A statement, without what stands in it, or a comment; equal ones have the same `said`."""

    said: str
    first: int
    last: int
    is_comment: bool = False


def leftovers(script: str, exported: str, taken: str, told: Sequence[Remark]) -> list[Remark]:
    """Name the lines of a script that are neither in what was `exported` nor in what it would be now.

    `taken` is what the flow would be exported as with all edits of the script, `told` what has been said
    already. Raises `SyntaxError` for what is no Python.
    """
    mine, before, after = _Reading(script), _Reading(exported), _Reading(taken)
    lines = {one.line for one in told}
    known = Counter(one.said for one in before.lines) | Counter(one.said for one in after.lines)
    found = [
        Remark(f"`{name}=` of `Flow(…)` is not applied: {ELSEWHERE[name]}.", mine.made_on)
        for name in ELSEWHERE
        if mine.made.get(name) != before.made.get(name)
    ]
    own: list[_Line] = []
    for one in mine.lines:
        if known[one.said]:
            known[one.said] -= 1
        elif lines.isdisjoint(range(one.first, one.last + 1)):
            own.append(one)
    for one in own[:MOST]:
        what = "This comment" if one.is_comment else "This Python"
        found.append(Remark(f"{what} is no part of the flow: {mine.shown(one)}", one.first))
    if len(own) > MOST:
        found.append(Remark(f"{len(own) - MOST} more lines are no part of the flow.", own[MOST].first))
    return found


class _Reading:
    """A script, statement by statement; constants count as what they stand for."""

    def __init__(self, text: str) -> None:
        module = ast.parse(text)
        self._text = text.splitlines()
        names = Names(module)
        self._plain = _Plain(Constants(module, names))
        self._names = names
        self.made: dict[str, str] = {}
        """What is given to `Flow(…)`."""
        self.made_on = 0
        start = module.body[0].end_lineno or 0 if module.body and _is_text(module.body[0]) else 0
        self.lines = [*self._statements(module.body), *_comments(text, start)]

    def shown(self, one: _Line) -> str:
        """The first line of a statement, as it stands in the script."""
        text = on_one_line(self._text[one.first - 1].strip())
        return f"`{text[:LONGEST]}{'…' if len(text) > LONGEST else ''}`"

    def _statements(self, body: Sequence[ast.stmt]) -> Iterator[_Line]:
        for one in body:
            if _is_text(one) or isinstance(one, ast.Import | ast.ImportFrom):
                continue  # what is imported follows from what is used
            made = self._made(one)
            if made is not None:
                self.made_on = one.lineno
                self.made |= {
                    str(word.arg): ast.unparse(self._plain.visit(word.value)) for word in made.keywords
                }
                continue
            if self._plain.is_constant(one):
                continue  # seen where it is used
            inner = [part for name in ("body", "orelse", "finalbody") for part in _part(one, name)]
            handlers = getattr(one, "handlers", [])
            yield _Line(
                ast.unparse(self._plain.visit(_without_parts(one))),
                one.lineno,
                (inner[0].lineno - 1) if inner else (one.end_lineno or one.lineno),
            )
            yield from self._statements(inner)
            for handler in handlers:
                yield from self._statements(handler.body)

    def _made(self, one: ast.stmt) -> ast.Call | None:
        """The call that makes the flow, where a statement is that."""
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            return one.value if self._names.word_of(one.value.func) == "Flow" else None
        return None


class _Plain(ast.NodeTransformer):
    """Writes constants out, and what is given by name in the order of the names."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants

    def is_constant(self, one: ast.stmt) -> bool:
        """Whether a statement gives a name to a constant."""
        value = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        return value is not None and self._constants.read(value).is_constant

    def visit(self, node: ast.AST) -> ast.AST:
        """Write one node out."""
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, ast.expr) and is_read:
            said = self._constants.read(node)
            if said.is_constant:
                return ast.Constant(json.dumps(said.value, sort_keys=True))
        node = self.generic_visit(node)
        if isinstance(node, ast.Call):
            node.keywords.sort(key=lambda one: one.arg or "")
        return node


def _without_parts(one: ast.stmt) -> ast.stmt:
    """A copy of a statement without those that stand in it."""
    copy = ast.parse(ast.unparse(one)).body[0]
    for name, inner in (("body", [ast.Pass()]), ("orelse", []), ("finalbody", [])):
        if hasattr(copy, name):
            setattr(copy, name, inner)
    for handler in getattr(copy, "handlers", []):
        handler.body = [ast.Pass()]
    return copy


def _part(one: ast.stmt, name: str) -> Collection[ast.stmt]:
    return cast("Collection[ast.stmt]", getattr(one, name, ()))


def _is_text(one: ast.stmt) -> bool:
    return (
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    )


def _comments(text: str, start: int) -> Iterator[_Line]:
    """The comments below the head."""
    for one in tokenize.generate_tokens(io.StringIO(text).readline):
        if one.type == tokenize.COMMENT and one.start[0] > start:
            yield _Line(one.string, one.start[0], one.start[0], is_comment=True)
