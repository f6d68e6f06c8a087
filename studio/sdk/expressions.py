"""The expression language of branch rules, stop rules, formulas and breakpoint conditions.

Python's grammar cut down to literals, the names that the place lists, indexing, arithmetic, comparisons,
`and or not in`, `if else` and a closed list of functions. It means what it means in Python, and is
interpreted, so that a file from elsewhere can neither reach out nor run away: no attributes, no loops, and
bounds on every size.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from studio.bounds.weights import Room
from studio.errors import ExpressionError
from studio.sdk.expression_steps import FUNCTIONS, OPERATORS, Step, step_of

MAX_LENGTH: Final = 2_000
"""Characters of an expression; with no loops in the language, this bounds the steps too."""

MAX_DEPTH: Final = 40
"""How deep an expression is nested."""

KEPT: Final = 500
"""Characters of expressions that stay in memory once they were read; who types longer ones waits for each."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over `names` that was read and found to be within the language."""

    names: frozenset[str]
    _text: str = field(repr=False)
    _step: Step = field(repr=False, compare=False)

    @property
    def tree(self) -> ast.expr:
        """The expression as Python's grammar has it, made anew for whoever asks, who may change it."""
        return _parsed(self._text)

    def evaluate(self, values: Mapping[str, object]) -> Any:
        """Compute the expression with `values` for its names; raises `ExpressionError` when it cannot."""
        return self._step(values, Room())


def compile_expression(text: str, names: Sequence[str] | frozenset[str]) -> Expression:
    """Read `text`, in which `names` may stand; raises `ExpressionError` with the column, from 1."""
    read = _read if len(text) <= KEPT else _read.__wrapped__
    return read(text, frozenset(names))


@lru_cache(2_000)
def _read(text: str, names: frozenset[str]) -> Expression:
    tree = _parsed(text)
    reader = _Reader(names)
    reader.read(tree, 0)
    return Expression(frozenset(reader.used), text, step_of(tree))


def holds(rule: str, facts: Mapping[str, object]) -> bool:
    """Tell whether a rule over the names of `facts` holds; none never does. Raises `ExpressionError`."""
    return bool(rule.strip()) and bool(compile_expression(rule, frozenset(facts)).evaluate(facts))


def free_names(text: str) -> tuple[str, ...]:
    """Tell which names `text` wants to be given, in order of appearance; raises as `compile_expression`."""
    return (_free if len(text) <= KEPT else _free.__wrapped__)(text)


@lru_cache(2_000)
def _free(text: str) -> tuple[str, ...]:
    tree = _parsed(text)
    called = {id(one.func) for one in ast.walk(tree) if isinstance(one, ast.Call)}
    found = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and id(one) not in called]
    found.sort(key=lambda one: one.col_offset)
    names = tuple(dict.fromkeys(one.id for one in found))
    compile_expression(text, names)
    return names


def _parsed(text: str) -> ast.expr:
    """Read `text` as one line of Python; the places in the tree are characters of `text` from 0."""
    source = " ".join(text.splitlines()).strip()
    before = len(text) - len(text.lstrip())
    if not source:
        raise ExpressionError("The expression is empty.")
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"The expression is longer than {MAX_LENGTH} characters.")
    try:
        tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        reason = (error.msg or "it cannot be read").removesuffix(".")
        column = before + max(1, error.offset or 1)
        raise ExpressionError(f"This is not an expression: {reason}.", column) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError("This is not an expression.") from error
    encoded = source.encode()
    for one in ast.walk(tree):
        if isinstance(one, ast.expr):  # Python counts bytes
            one.col_offset = before + len(encoded[: one.col_offset].decode())
    return tree


class _Reader:
    """Walks a tree, refuses what is outside the language, and collects names."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self.used: set[str] = set()

    def read(self, node: ast.expr, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise _error("The expression is nested too deep.", node)
        for child in self._parts(node):
            self.read(child, depth + 1)

    def _parts(self, node: ast.expr) -> list[ast.expr]:  # noqa: C901  # an arm for each kind of expression
        """The expressions that `node` is made of."""
        match node:
            case ast.Constant(value=str() | int() | float() | None):
                return []
            case ast.Name(id=name):
                self._use(name, node)
                return []
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
                return parts
            case ast.Dict(keys=keys, values=values) if None not in keys:
                return [*(key for key in keys if key is not None), *values]
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() | ast.Not(), operand=operand):
                return [operand]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return [left, right]
            case ast.Compare(left=left, comparators=others, ops=ops):
                _check_identity(ops, others)
                return [left, *others]
            case ast.IfExp(test=test, body=body, orelse=other):
                return [test, body, other]
            case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
                return [value, *(part for part in (low, high) if part is not None)]
            case ast.Subscript(value=value, slice=index):
                return [value, index]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                _check_function(name, node)
                return args
            case _:
                raise _error(_refusal(node), node)

    def _use(self, name: str, node: ast.expr) -> None:
        if name not in self._names:
            known = ", ".join(f"`{one}`" for one in sorted(self._names)) or "none"
            raise _error(f"There is no `{name}` here; the names are {known}.", node)
        self.used.add(name)


def _check_function(name: str, node: ast.expr) -> None:
    if name not in FUNCTIONS:
        raise _error(f"There is no function `{name}`; there are {', '.join(FUNCTIONS)}.", node)


def _check_identity(ops: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> None:
    for op, other in zip(ops, others, strict=True):
        is_none = isinstance(other, ast.Constant) and other.value is None
        if isinstance(op, ast.Is | ast.IsNot) and not is_none:
            raise _error("`is` compares with None only; use `==`.", other)


def _refusal(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name):
            return f'There are no attributes here; a field is `["{name}"]`.'
        case ast.Call(func=ast.Name(id=name)):
            return f"`{name}` takes plain arguments only."
        case ast.Call():
            return "Only the listed functions can be called."
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return "There are no loops and no functions of one's own here."
        case _:
            return f"{type(node).__name__} is not part of the expression language."


def _error(message: str, node: ast.expr) -> ExpressionError:
    return ExpressionError(message, node.col_offset + 1)


def expression_over(*names: str, optional: bool = False) -> Callable[[str], str]:
    """Make a validator for settings that hold an expression over `names`."""

    def check(text: str) -> str:
        if text.strip() or not optional:
            try:
                compile_expression(text, names)
            except ExpressionError as error:
                raise ValueError(str(error)) from error
        return text

    return check


@dataclass(frozen=True, slots=True)
class Completion:
    """What may stand where somebody types: `text` takes the place of what stands from column `start` on."""

    text: str
    kind: Literal["name", "function", "word"]
    help: str
    start: int


SAYINGS: Final[Mapping[str, str]] = {
    "len": "len(value): how many characters, elements or fields",
    "min": "min(a, b) or min(list): the smallest",
    "max": "max(a, b) or max(list): the largest",
    "sum": "sum(list): numbers added up",
    "abs": "abs(number): without its sign",
    "round": "round(number, digits): to so many digits",
    "lower": "lower(text): in small letters",
    "upper": "upper(text): in capitals",
    "startswith": "startswith(text, start): whether the text begins so",
    "endswith": "endswith(text, end): whether the text ends so",
    "matches": "matches(text, pattern): whether the regular expression is found in the text",
    "any": "any(list): whether one of them holds",
    "all": "all(list): whether all of them hold",
}
"""Each function in words for people."""

WORDS: Final = ("and", "or", "not", "in", "is", "if", "else", "True", "False", "None")


def completions(text: str, column: int, names: Sequence[str]) -> list[Completion]:
    """Tell what may be completed before `column` of `text`, from 1: names first, then functions, words.

    Nothing is told inside of quotes, after a dot and after a number.
    """
    before = text[: max(0, column - 1)]
    begun = _BEGUN.search(before)
    prefix = begun[0] if begun else ""
    rest = before[: len(before) - len(prefix)]
    is_quoted = bool(set("\"'") & set(_QUOTED.sub("", rest)))
    if prefix[:1].isdigit() or rest.endswith(".") or is_quoted:
        return []
    start = len(rest) + 1
    found = [Completion(name, "name", "", start) for name in names]
    found += [Completion(f"{name}(", "function", SAYINGS[name], start) for name in FUNCTIONS]
    found += [Completion(word, "word", "", start) for word in WORDS]
    return [one for one in found if one.text.startswith(prefix) and one.text != prefix]


_BEGUN: Final = re.compile(r"\w+$")
_QUOTED: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)
"""A whole text between quotes."""
