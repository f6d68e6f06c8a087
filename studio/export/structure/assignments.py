"""Which variables are set for certain when some statements are over."""

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import TypeAlias

Opened: TypeAlias = Callable[[str], Iterable[str]]
"""Gives the variables that a name stands for."""
Sure: TypeAlias = frozenset[str] | None
"""What is set for certain; None where nobody ever comes."""


def surely_set(body: Sequence[ast.stmt], opened: Opened) -> frozenset[str]:
    """Name the variables that are set for certain after some statements."""
    return _Reader(opened).after(body, frozenset()) or frozenset()


class _Reader:
    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._breaks: list[list[Sure]] = []

    def after(self, body: Sequence[ast.stmt], known: Sure) -> Sure:
        """What is set after statements, of which the first finds `known` set."""
        for one in body:
            if known is None:
                return None
            known = self._after_one(one, known)
        return known

    def _after_one(self, one: ast.stmt, known: frozenset[str]) -> Sure:
        match one:
            case ast.Assign(targets=targets):
                return known.union(*(self._names(target) for target in targets))
            case ast.AnnAssign(target=target) if one.value is not None:
                return known | self._names(target)
            case ast.If():
                return _either(self.after(one.body, known), self.after(one.orelse, known))
            case ast.AsyncWith():
                return self.after(one.body, known)
            case ast.Try():
                ends = [self.after(handler.body, known) for handler in one.handlers]
                return reduce(_either, ends, self.after(one.body, known))
            case ast.For():
                return self._after_loop(one, known)
            case ast.Break():
                self._breaks[-1].append(known)
                return None
            case ast.Return() | ast.Raise() | ast.Continue():
                return None
            case _:
                return known

    def _after_loop(self, one: ast.For, known: frozenset[str]) -> Sure:
        self._breaks.append([])
        self.after(one.body, known | self._names(one.target))
        return reduce(_either, self._breaks.pop(), self.after(one.orelse, known))

    def _names(self, target: ast.AST) -> frozenset[str]:
        names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]
        return frozenset(found for name in names for found in self._opened(name))


def _either(one: Sure, other: Sure) -> Sure:
    return other if one is None else one if other is None else one & other
