"""The line that a breakpoint writes: text with `{expressions}`; `{{` and `}}` are braces."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from studio.errors import ExpressionError
from studio.sdk.expressions import Expression, compile_expression, free_names

LONGEST_VALUE: Final = 500
"""Characters of a value in a line."""


class Piece(NamedTuple):
    """A part of a line: words as they are, or an expression; `start` is its place in the text, from 0."""

    text: str
    is_expression: bool
    start: int


def pieces(text: str) -> list[Piece]:
    """Take a line apart; an expression that is never closed goes on to the end."""
    found: list[Piece] = []
    words, begun, at = "", 0, 0
    while at < len(text):
        if text[at : at + 2] in {"{{", "}}"}:
            words, at = words + text[at], at + 2
        elif text[at] == "{":
            if words:
                found.append(Piece(words, False, begun))
            end = _end(text, at + 1)
            found.append(Piece(text[at + 1 : end], True, at + 1))
            words, begun, at = "", end + 1, end + 1
        else:
            words, at = words + text[at], at + 1
    return [*found, Piece(words, False, begun)] if words else found


def line_of(text: str, values: Mapping[str, object]) -> str:
    """Write the line; what cannot be computed says why, in its place."""
    return "".join(_written(one.text, values) if one.is_expression else one.text for one in pieces(text))


def read_expression(text: str) -> Expression:
    """Read an expression, whatever names it wants; raises `ExpressionError`."""
    return compile_expression(text, free_names(text))


def names_in(text: str) -> frozenset[str]:
    """The names that its expressions use; those that cannot be read use none."""
    found: set[str] = set()
    for one in pieces(text):
        if one.is_expression:
            with suppress(ExpressionError):
                found.update(read_expression(one.text).names)
    return frozenset(found)


def _end(text: str, start: int) -> int:
    """Where the brace that was opened is closed, quotes and inner braces left alone."""
    depth, quote, at = 0, "", start
    while at < len(text):
        sign = text[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "}" and not depth:
            return at
        else:
            depth += (sign == "{") - (sign == "}")
        at += 1
    return at


def _written(text: str, values: Mapping[str, object]) -> str:
    try:
        value = read_expression(text).evaluate(values)
    except ExpressionError as error:
        return f"{{{error.message}}}"
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return said if len(said) <= LONGEST_VALUE else f"{said[:LONGEST_VALUE]}…"
