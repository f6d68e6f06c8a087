"""Whether a reader who knows no ways, such as a type checker, may think that a variable is not set yet."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from studio.export.python.pieces import FUNCTIONS
from studio.export.python.scopes import arguments_of, locals_of

Bound = frozenset[str] | None
"""What is certainly set at a place; None where nothing ever comes."""


def may_be_unbound(tree: ast.AST) -> bool:
    """Tell whether any function reads a variable that is not set on all of the ways that lead there."""
    found = [one for one in ast.walk(tree) if isinstance(one, FUNCTIONS)]
    return any(_Ways(one).has_gap for one in found)


class _Ways:
    """Follows the ways through a function, each `if` and `except` taken or not."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._own = locals_of(function)
        self._left: list[list[Bound]] = []
        """What is set where each loop around is left."""
        self.has_gap = False
        self._block(function.body, frozenset(one.arg for one in arguments_of(function.args)))

    def _block(self, statements: Sequence[ast.stmt], bound: Bound) -> Bound:
        for one in statements:
            if bound is None:
                break
            bound = self._after(one, bound)
        return bound

    def _after(self, one: ast.stmt, bound: frozenset[str]) -> Bound:
        if isinstance(one, (*FUNCTIONS, ast.ClassDef)):
            self._read([*one.decorator_list, *_defaults(one)], bound)
            return bound | {one.name}
        match one:
            case ast.If(test=test, body=body, orelse=other):
                self._read([test], bound)
                return _both(self._block(body, bound), self._block(other, bound))
            case ast.For(iter=many) | ast.AsyncFor(iter=many):
                self._read([many], bound)
                return self._loop(one, bound, _set_in(one.target), is_endless=False)
            case ast.While(test=test):
                self._read([test], bound)
                return self._loop(one, bound, frozenset(), is_endless=ast.unparse(test) == "True")
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                self._read([item.context_expr for item in items], bound)
                names = {name for item in items if item.optional_vars for name in _set_in(item.optional_vars)}
                done = self._block(body, bound | names)
                is_swallowed = any("suppress(" in ast.unparse(item.context_expr) for item in items)
                return _both(done, bound) if is_swallowed else done
            case ast.Try():
                return self._tried(one, bound)
            case ast.Return() | ast.Raise():
                self._read(ast.iter_child_nodes(one), bound)
                return None
            case ast.Break():
                self._left[-1].append(bound)
                return None
            case ast.Continue():
                return None
            case _:
                self._read(ast.iter_child_nodes(one), bound)
                is_empty = isinstance(one, ast.AnnAssign) and one.value is None
                return bound if is_empty else bound | _set_in(one)

    def _loop(
        self,
        one: ast.For | ast.AsyncFor | ast.While,
        bound: frozenset[str],
        names: frozenset[str],
        *,
        is_endless: bool,
    ) -> Bound:
        self._left.append([])
        self._block(one.body, bound | names)
        after = None if is_endless else self._block(one.orelse, bound)
        for left in self._left.pop():
            after = _both(after, left)
        return after

    def _tried(self, one: ast.Try, bound: frozenset[str]) -> Bound:
        done = self._block(one.body, bound)
        if done is not None:
            done = self._block(one.orelse, done)
        for caught in one.handlers:
            done = _both(done, self._block(caught.body, bound | frozenset([caught.name or ""])))
        last = self._block(one.finalbody, bound)
        return None if last is None or done is None else done | last

    def _read(self, nodes: Iterable[ast.AST], bound: frozenset[str]) -> None:
        for name in _names_read(nodes):
            if name in self._own and name not in bound:
                self.has_gap = True


def _both(one: Bound, other: Bound) -> Bound:
    """What is set where two ways come together."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _set_in(node: ast.AST) -> frozenset[str]:
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )


def _defaults(one: ast.stmt) -> list[ast.expr]:
    if not isinstance(one, FUNCTIONS):
        return []
    return [value for value in (*one.args.defaults, *one.args.kw_defaults) if value is not None]


def _names_read(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that are read right there, but for those that a comprehension brings itself."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            own = frozenset(name for one in node.generators for name in _set_in(one.target))
            yield from (one for one in _names_read(ast.iter_child_nodes(node)) if one not in own)
        elif not isinstance(node, ast.Lambda):
            yield from _names_read(ast.iter_child_nodes(node))
