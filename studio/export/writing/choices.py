"""Rules of branches with two ways, as expressions that stand where the branch does."""

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.export.python.lifter import Lifter
from studio.export.python.literals import text_literal
from studio.export.structure.rules import FACTS, expression_of, has_one_rule, is_question
from studio.sdk.cases import Case, case_ports
from studio.sdk.expressions import compile_expression

LONGEST = 70
"""Characters of a rule that still reads well in the midst of a flow."""

OF_TEXTS = frozenset({"len", "lower", "upper", "startswith", "endswith", "matches", "str"})
"""Functions that take texts."""


@dataclass(frozen=True, slots=True)
class Given:
    """What stands for a name in a rule, and the base of its type; `json` and `any` may be anything."""

    source: str
    base: str


def choice_in_place(cases: Sequence[Case], given: Mapping[str, Given], lifter: Lifter) -> str:
    """Write which way a branch goes as an expression; empty where a function reads better."""
    if not has_one_rule(cases):
        return ""
    rule = compile_expression(cases[0].when, FACTS)
    filled = _Filled(given)
    tree: ast.expr = filled.visit(copy.deepcopy(rule.tree))  # pyright: ignore[reportAssignmentType]
    if not rule.names or not filled.is_typed or not rule.source.isascii():
        return ""
    said = ast.unparse(tree)
    if len(said) > LONGEST:
        return ""
    expression_of(rule, lifter)  # for the functions that are called in it
    if not is_question(cases):
        first, other = (text_literal(port) for port in case_ports(cases))
        return f"{first} if {said} else {other}"
    return said if _is_flag(tree) else f"bool({said})"


def _is_flag(tree: ast.expr) -> bool:
    """Whether nothing but true or false comes out of an expression."""
    match tree:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(_is_flag(one) for one in values)
        case ast.Call(func=ast.Name(id=called)):
            return called in {"startswith", "endswith", "matches"}
        case _:
            return False


class _Filled(ast.NodeTransformer):
    """Puts what is given in the place of the names of a rule; notes whether a type checker agrees to it."""

    def __init__(self, given: Mapping[str, Given]) -> None:
        self._given = given
        self._around: list[ast.AST] = []
        self.is_typed = True

    def visit(self, node: ast.AST) -> ast.AST:
        self._around.append(node)
        try:
            return super().visit(node)
        finally:
            self._around.pop()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        around = self._around[-2] if len(self._around) > 1 else None
        if node.id not in self._given or (isinstance(around, ast.Call) and around.func is node):
            return node
        given = self._given[node.id]
        tree = ast.parse(given.source, mode="eval").body
        self.is_typed &= _is_plain(tree) and _agrees(given.base, node, around)
        return tree


def _is_plain(tree: ast.expr) -> bool:
    """Whether an expression is read as easily as a name."""
    match tree:
        case ast.Name():
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value, slice=ast.Constant()):
            return _is_plain(value)
        case _:
            return False


def _agrees(base: str, node: ast.Name, around: ast.AST | None) -> bool:
    """Whether a value of a type may stand where a name does in a rule, which knows no types."""
    match around:
        case _ if base in {"json", "any"}:
            return True
        case ast.Call(func=ast.Name(id=called)):
            return base == "text" and called in OF_TEXTS
        case ast.Compare(left=left, comparators=[other]) if base in {"text", "number"}:
            beside = other if left is node else left
            kind = str if base == "text" else (int, float)
            return isinstance(beside, ast.Constant) and isinstance(beside.value, kind)
        case _:
            return False
