"""Expressions of rules and formulas as Python: their names replaced by what stands for them in a script."""

import ast
from collections.abc import Iterable, Mapping

from studio.sdk.expressions import compile_expression

IN_WORDS = frozenset({"lower", "upper", "startswith", "endswith", "matches"})
"""Functions of the expression language that Python has only as methods, or in `re`."""

LONGEST = 200
"""Characters of an expression that stands in the midst of a script."""


def is_sayable(text: str) -> bool:
    """Whether a script says an expression as it stands, with nothing but Python's own functions."""
    if len(text) > LONGEST:
        return False
    names = {one.id for one in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(one, ast.Name)}
    return not names & IN_WORDS


def names_in(text: str, known: Iterable[str]) -> frozenset[str]:
    """The names that an expression reads, of those that it may."""
    return compile_expression(text, tuple(known)).names


def said(text: str, values: Mapping[str, str]) -> str:
    """Write an expression with an expression of Python in the place of each name."""
    tree = compile_expression(text, tuple(values)).tree
    return ast.unparse(
        _Said({name: ast.parse(value, mode="eval").body for name, value in values.items()}).visit(tree)
    )


class _Said(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Call(self, node: ast.Call) -> ast.AST:  # as `ast` wants it
        node.args = [self.visit(one) for one in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:  # as `ast` wants it
        return self._values.get(node.id, node)
