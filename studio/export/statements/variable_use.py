"""What is seen of a function once it is whole: variables that nobody reads, and of what type others are."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from studio.export.statements.block import Lines

_SET = re.compile(r"( *)(\w+) = (.*)", re.DOTALL)
_ANNOTATED = re.compile(r"( *)(\w+): [\w\[\], ]+ = (.*)", re.DOTALL)
_CALLED = re.compile(r"await |\w+\.\w+\(")
_COUNTED = re.compile(r"( *for )(\w+)( in .*)", re.DOTALL)
_TEXT = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*\1""")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def tidy(lines: Lines, begun: Collection[str]) -> Lines:
    """Leave out what sets variables that nobody reads; say of others that they are lists or objects.

    Those that have `begun` as `nothing` are neither, and of those that lanes share Python lets none be said.
    """
    kept = _read_alone(lines)
    shared = {word for line in kept if line.lstrip().startswith("nonlocal ") for word in _WORD.findall(line)}
    return [_untyped(_typed(line, {*begun, *shared}), shared) for line in kept]


def _read_alone(lines: Lines) -> Lines:
    while True:
        read = Counter(word for line in lines for word in _read_in(line))
        lines = [_uncounted(line, read) for line in lines]
        # One at a time, for of two that fill a block one has to stay.
        unread = (at for at, line in enumerate(lines) if _is_unread(line, read) and _may_go(lines, at))
        at = next(unread, None)
        if at is None:
            return lines
        lines = [*lines[:at], *_without_name(lines[at]), *lines[at + 1 :]]


def _read_in(line: str) -> Iterator[str]:
    found = _SET.fullmatch(line) or _COUNTED.fullmatch(line)
    return (one[0] for one in _WORD.finditer(_TEXT.sub("", found[3] if found else line)))


def _uncounted(line: str, read: Counter[str]) -> str:
    found = _COUNTED.fullmatch(line)
    return f"{found[1]}_{found[3]}" if found is not None and not read[found[2]] else line


def _is_unread(line: str, read: Counter[str]) -> bool:
    found = _SET.fullmatch(line)
    return found is not None and found[2] != "_" and not read[found[2]]


def _without_name(line: str) -> Lines:
    """What is left of a statement: what is called, or nothing."""
    found = _SET.fullmatch(line)
    return [f"{found[1]}{found[3]}"] if found is not None and _CALLED.match(found[3]) else []


def _may_go(lines: Lines, at: int) -> bool:
    """Whether something is left of a line, or of the block in which it stands."""
    if _without_name(lines[at]):
        return True
    indent = len(lines[at]) - len(lines[at].lstrip())
    before = next(_near(reversed(lines[:at])), "")
    after = next(_near(lines[at + 1 :]), "")
    return not before.endswith(":") or len(after) - len(after.lstrip()) >= indent


def _near(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _typed(line: str, begun: Collection[str]) -> str:
    found = _SET.fullmatch(line)
    if found is None or found[3][0] not in "{[":
        return line
    value = ast.parse(found[3], mode="eval").body
    if found[2] in begun:
        told = _Empty()
        value = told.visit(value)
        return f"{found[1]}{found[2]} = {ast.unparse(value)}" if told.has_any else line
    kind = (
        "dict[str, Any]"
        if isinstance(value, ast.Dict)
        else "list[Any]"
        if isinstance(value, ast.List)
        else ""
    )
    return f"{found[1]}{found[2]}: {kind} = {found[3]}" if kind else line


class _Empty(ast.NodeTransformer):
    """Has empty lists and objects say what they may hold, where no annotation of a variable does."""

    has_any = False

    def visit_List(self, node: ast.List) -> ast.AST:  # as `ast` wants it
        return self._typed("list[Any]()") if not node.elts else self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # as `ast` wants it
        return self._typed("dict[str, Any]()") if not node.keys else self.generic_visit(node)

    def _typed(self, said: str) -> ast.AST:
        self.has_any = True
        return ast.parse(said, mode="eval").body


def _untyped(line: str, shared: Collection[str]) -> str:
    found = _ANNOTATED.fullmatch(line)
    return f"{found[1]}{found[2]} = {found[3]}" if found is not None and found[2] in shared else line
