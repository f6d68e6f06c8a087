"""What a script says as constants, read from its syntax: nothing of it is executed."""

import ast
import inspect
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, TypeGuard, cast, get_args

from studio.app.scripts.edits.names import Names
from studio.flow.records import Json
from studio.script.nodes import kinds_by_name
from studio.script.schemas import fields as schema_of_fields
from studio.workspace.catalog import builtin_files

TEXT_FUNCTIONS: Final[Mapping[str, Callable[[str], str]]] = {
    "textwrap.dedent": textwrap.dedent,
    "inspect.cleandoc": inspect.cleandoc,
    "pathlib.Path": str,
}
"""Functions of one text that are as good as the text that they give; a file is said by its path."""
TEXT_METHODS: Final[frozenset[str]] = frozenset({"strip", "lstrip", "rstrip"})
"""Methods of a text, without arguments, that are so too."""
MOST_NESTED: Final = 100
"""How deep constants may be nested; deeper ones count as computed."""
MOST_READ: Final = 1 << 24
"""How long a constant may become, in characters and parts, where names stand for it again and again."""


@dataclass(frozen=True, slots=True)
class Written:
    """A value in a script: a constant, or what Python computes, which has no `value` here."""

    line: int
    value: Json = None
    is_constant: bool = True


class ComputedError(Exception):
    """An expression is no constant."""


class Constants:
    """Reads expressions of one script; names of its constants count as what they stand for."""

    def __init__(self, module: ast.Module, names: Names) -> None:
        self._names = names
        self._assigned = dict(_assigned_once(module))
        self._left = MOST_READ

    def read(self, expression: ast.expr, hidden: Collection[str] = ()) -> Written:
        """Give the constant that an expression is, with the line of its text.

        `hidden` has the names that mean something else where it stands.
        """
        line = expression.lineno
        if isinstance(expression, ast.Name) and expression.id not in hidden:
            line = getattr(self._assigned.get(expression.id), "lineno", line)
        self._left = MOST_READ
        try:
            return Written(line, self._value(expression, hidden, 0))
        except ComputedError:
            return Written(line, is_constant=False)

    def _value(self, node: ast.expr, hidden: Collection[str], depth: int) -> Any:
        self._left -= 1 + (len(node.value) if isinstance(node, ast.Constant) and _is_long(node.value) else 0)
        if depth > MOST_NESTED or self._left < 0:
            raise ComputedError
        inner = depth + 1
        match node:
            case ast.Constant(value=value):
                return _plain(value)
            case ast.Name(id=name) if name in self._assigned and name not in hidden:
                return self._value(self._assigned[name], (), inner)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return self._elements(elements, hidden, inner)
            case ast.Dict():
                return self._members(node, hidden, inner)
            case ast.JoinedStr(values=parts):
                return "".join(_text(self._value(part, hidden, inner)) for part in parts)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                return _signed(sign, self._value(operand, hidden, inner))
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return _joined(self._value(left, hidden, inner), self._value(right, hidden, inner))
            case ast.Call():
                return self._made(node, hidden, inner)
            case _:
                raise ComputedError

    def _elements(self, elements: Sequence[ast.expr], hidden: Collection[str], depth: int) -> list[Any]:
        found: list[Any] = []
        for one in elements:
            if isinstance(one, ast.Starred):
                more = self._value(one.value, hidden, depth)
                if not isinstance(more, list):
                    raise ComputedError
                found += cast("list[Any]", more)
            else:
                found.append(self._value(one, hidden, depth))
        return found

    def _members(self, node: ast.Dict, hidden: Collection[str], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, one in zip(node.keys, node.values, strict=True):
            value = self._value(one, hidden, depth)
            if key is None:
                if not isinstance(value, dict):
                    raise ComputedError
                found |= cast("dict[str, Any]", value)
                continue
            name = self._value(key, hidden, depth)
            if not isinstance(name, str):
                raise ComputedError
            found[name] = value
        return found

    def _made(self, node: ast.Call, hidden: Collection[str], depth: int) -> Any:
        """What a call gives that only writes a constant down: a record of a setting, a text moved or cut."""
        if self._names.word_of(node.func, hidden) == "fields" and not node.args:
            words = ast.Dict(
                [None if one.arg is None else ast.Constant(one.arg) for one in node.keywords],
                [one.value for one in node.keywords],
            )
            return schema_of_fields(**self._members(words, hidden, depth))
        path = self._names.path_of(node.func, hidden) or ""
        parts = record_fields().get(path.rpartition(".")[2])
        if parts is not None:
            given = dict(zip(parts, self._elements(node.args, hidden, depth), strict=False))
            if len(node.args) > len(parts) or any(one.arg not in parts for one in node.keywords):
                raise ComputedError
            return given | {str(one.arg): self._value(one.value, hidden, depth) for one in node.keywords}
        if path in TEXT_FUNCTIONS and len(node.args) == 1 and not node.keywords:
            return TEXT_FUNCTIONS[path](_text(self._value(node.args[0], hidden, depth)))
        if isinstance(node.func, ast.Attribute) and node.func.attr in TEXT_METHODS:
            if node.args or node.keywords:
                raise ComputedError
            return getattr(_text(self._value(node.func.value, hidden, depth)), node.func.attr)()
        raise ComputedError


def bound_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function gives a meaning of its own: its parameters and what it assigns."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    found = {one.arg for one in named}
    if not isinstance(function, ast.Lambda):
        found |= {
            one.id
            for statement in function.body
            for one in ast.walk(statement)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
    return frozenset(found)


@cache
def record_fields() -> Mapping[str, tuple[str, ...]]:
    """The records that settings are made of, such as `Case`: their fields, by the name of their class."""
    types = builtin_files()
    found: dict[str, tuple[str, ...]] = {}
    for kind in kinds_by_name().values():
        for spec in types[kind].settings:
            for one in _records_in(spec.annotation):
                found[one.__name__] = tuple(part.name for part in fields(one))
    return found


def _records_in(annotation: object) -> Iterator[Any]:
    if isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__"):
        yield annotation
    for one in get_args(annotation):
        yield from _records_in(one)


def _assigned_once(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that a module gives one value, once and for all."""
    changed = {name for one in ast.walk(module) if isinstance(one, ast.Global) for name in one.names}
    at_top = Counter[str]()
    values: dict[str, ast.expr] = {}
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                at_top[name] += 1
                values[name] = value
            case _:
                for one in _stored_outside_functions(statement):
                    at_top[one] += 1
    for name, value in values.items():
        if at_top[name] == 1 and name not in changed:
            yield name, value


def _stored_outside_functions(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds there, be it in an `if` or a loop."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        else:
            waiting += ast.iter_child_nodes(one)


def _is_long(value: object) -> TypeGuard[str | bytes]:
    return isinstance(value, str | bytes)


def _plain(value: object) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        raise ComputedError
    if value is None or isinstance(value, str | int | float):
        return value
    raise ComputedError


def _signed(sign: ast.unaryop, number: object) -> Any:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ComputedError
    return -number if isinstance(sign, ast.USub) else number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ComputedError
    return value


def _joined(left: object, right: object) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return [*cast("list[Any]", left), *cast("list[Any]", right)]
    raise ComputedError
