"""The names that a function brings: its parameters, and what it binds."""

import ast

from studio.export.python.pieces import FUNCTIONS


def locals_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that a function binds."""
    names = {one.arg for one in arguments_of(node.args)}
    outer: set[str] = set()
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, (*FUNCTIONS, ast.ClassDef)):
            names.add(one.name)
            continue
        if isinstance(one, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(one, ast.Global | ast.Nonlocal):
            outer.update(one.names)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        elif isinstance(one, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and one.name:
            names.add(one.name)
        elif isinstance(one, ast.MatchMapping) and one.rest:
            names.add(one.rest)
        waiting.extend(ast.iter_child_nodes(one))
    return frozenset(names - outer)


def arguments_of(given: ast.arguments) -> list[ast.arg]:
    """The parameters of a function, of every kind."""
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [*found, *(one for one in (given.vararg, given.kwarg) if one is not None)]


def by_name(given: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters that are given by name only, with their defaults."""
    return list(zip(given.kwonlyargs, given.kw_defaults, strict=True))
