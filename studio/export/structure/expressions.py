"""Expressions of rules and formulas as Python: their names replaced by what stands for them in a script."""

import ast
import math
from collections.abc import Iterable, Mapping

from studio.sdk.expressions import compile_expression, free_names

IN_WORDS = frozenset({"lower", "upper", "startswith", "endswith", "matches"})
"""Functions of the expression language that Python has only as methods, or in `re`."""

LONGEST = 200
"""Characters of an expression that stands in the midst of a script."""


_IN_BOUNDS = (ast.Add, ast.Sub, ast.Div, ast.FloorDiv)
"""Arithmetic that gives little more than it is given; where it may give far more, the engine has bounds."""


def is_sayable(text: str, variables: Iterable[str] = ()) -> bool:
    """Whether Python alone does with an expression what the engine does, beside these names of variables."""
    if len(text) > LONGEST:
        return False
    tree = compile_expression(text, free_names(text)).tree
    calls = [one.func for one in ast.walk(tree) if isinstance(one, ast.Call)]
    called = {one.id for one in calls if isinstance(one, ast.Name)}
    return not called & {*IN_WORDS, *variables} and all(map(_is_alike, ast.walk(tree)))


def _is_alike(one: ast.AST) -> bool:
    """Whether a part of an expression has no bound, and gives nothing, that Python does not know."""
    match one:
        case ast.Constant(float(value)):
            return math.isfinite(value)
        case ast.BinOp(op=operator):
            return isinstance(operator, _IN_BOUNDS)
        case ast.Dict(keys=keys):
            return all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)
        case ast.Tuple():
            return False
        case _:
            return True


def names_in(text: str, known: Iterable[str]) -> frozenset[str]:
    """The names that an expression reads, of those that it may."""
    return compile_expression(text, tuple(known)).names


def said(text: str, values: Mapping[str, str]) -> str:
    """Write an expression with an expression of Python in the place of each name."""
    tree = compile_expression(text, tuple(values)).tree
    return ast.unparse(
        _Said({name: ast.parse(value, mode="eval").body for name, value in values.items()}).visit(tree)
    )


def all_of(tests: Iterable[str]) -> str:
    """Write that some expressions hold, each asked where those before it do."""
    return ast.unparse(ast.BoolOp(ast.And(), [ast.parse(one, mode="eval").body for one in tests]))


class _Said(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Call(self, node: ast.Call) -> ast.AST:  # as `ast` wants it
        node.args = [self.visit(one) for one in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:  # as `ast` wants it
        return self._values.get(node.id, node)
