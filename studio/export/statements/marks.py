"""Marks between the lines of a function: which statements belong to which nodes, formatted or not."""

import ast
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from studio.errors import ExportError
from studio.export.statements.block import Lines
from studio.ids import NodeId

MARK = "#\x1f"
OPEN, CLOSE = f"{MARK}(", f"{MARK})"
"""Begin and end of what belongs to nodes. No text of a flow has such a character: literals escape it."""


@dataclass(frozen=True, slots=True)
class Owned:
    """Whose a statement is, from the outermost to the innermost, each with how much of it."""

    nodes: tuple[NodeId, ...]
    is_whole: bool
    """Whether all of the statement is theirs, and not only its head."""


Owners = tuple[Owned, ...]


def marked(nodes: Sequence[NodeId], lines: Lines) -> Lines:
    """Say of lines to which nodes they belong."""
    names = ",".join(node.encode().hex() for node in nodes)
    return [f"{OPEN}{names}", *lines, CLOSE] if lines and nodes else lines


@contextmanager
def in_flow(name: str) -> Generator[None]:
    """Have an `ExportError` that names a node name the flow that it is in."""
    try:
        yield
    except ExportError as error:
        error.flow = error.flow or name
        raise


def read_marks(text: str) -> tuple[str, list[Owners]]:
    """Take the marks out of Python code; tells whose each statement is, in the order of `statements_of`."""
    kept: list[str] = []
    stacks: list[dict[int, tuple[NodeId, ...]]] = [{}]
    opened: dict[int, tuple[NodeId, ...]] = {}
    for number, line in enumerate(text.split("\n")):
        found = line.lstrip(" ")
        if found.startswith(OPEN):
            names = found.removeprefix(OPEN).split(",")
            opened[number] = tuple(NodeId(bytes.fromhex(one).decode()) for one in names)
        elif found == CLOSE:
            opened.popitem()
        else:
            kept.append(line)
            stacks.append(dict(opened))
    plain = "\n".join(kept)
    owners = [
        tuple(
            Owned(nodes, at in stacks[one.end_lineno or one.lineno])
            for at, nodes in stacks[one.lineno].items()
        )
        for one in statements_of(ast.parse(plain))
    ]
    return plain, owners


def statements_of(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements below a part of a syntax tree, each before what stands in it; layout changes nothing."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt):
            yield child
        yield from statements_of(child)
