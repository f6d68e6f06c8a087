"""Texts that match a regular expression, as far as a few rules can make one."""

import importlib
import re
from collections.abc import Callable
from typing import Any

LONGEST = 2_000
"""Characters of a made text; what repeats more often than that is not made."""

PRINTED = [chr(code) for code in range(0x21, 0x7F)]
CLASSES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyz0123456789_",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_DIGIT": "abcdefghijklmnopqrstuvwxyz -",
    "CATEGORY_NOT_WORD": " -.",
    "CATEGORY_NOT_SPACE": "abcdefghijklmnopqrstuvwxyz0123456789",
}
"""What stands for a class of characters, its plainest first."""

Draw = Callable[[int], int]
"""Gives a number from 0 up to, and without, the given one."""


class NoTextError(ValueError):
    """No text was made for a pattern."""


def text_for(pattern: str, draw: Draw) -> str:
    r"""Make a text that `pattern` is likely to match; raises `NoTextError` where it is too much to ask.

    What stands around a place (`(?=…)`, `\b`) is passed over: whoever wants a text compares it.
    """
    parser: Any = importlib.import_module("re._parser")  # what `re` itself reads patterns with
    try:
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise NoTextError(f"the pattern `{pattern}` cannot be read: {error}") from error
    return _Making(draw).of(parsed)


class _Making:
    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._groups: dict[int, str] = {}

    def of(self, parsed: Any) -> str:
        text = ""
        for operation, given in parsed:
            text += self._part(str(operation), given)
            if len(text) > LONGEST:
                raise NoTextError("a text for it would be too long")
        return text

    def _part(self, operation: str, given: Any) -> str:
        match operation:
            case "LITERAL":
                return chr(given)
            case "NOT_LITERAL":
                return next(one for one in "abc" if ord(one) != given)
            case "ANY":
                return "abcdefghij"[self._draw(10)]
            case "IN":
                return self._one_of(given)
            case _:
                return self._group(operation, given)

    def _group(self, operation: str, given: Any) -> str:
        match operation:
            case "BRANCH":
                branches = given[1]
                return self.of(branches[self._draw(len(branches))])
            case "SUBPATTERN":
                text = self.of(given[-1])
                if given[0] is not None:
                    self._groups[given[0]] = text
                return text
            case "GROUPREF":
                return self._groups.get(given, "")
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = given
                times = least + self._draw(min(int(most) - least, 3) + 1) if int(most) > least else least
                if times > LONGEST:
                    raise NoTextError("a text for it would be too long")
                return "".join(self.of(inner) for _ in range(times))
            case "ATOMIC_GROUP":
                return self.of(given)
            case _:
                return ""  # a place, and no character

    def _one_of(self, given: Any) -> str:
        allowed: list[str] = []
        is_negated = False
        for operation, one in given:
            match str(operation):
                case "NEGATE":
                    is_negated = True
                case "LITERAL":
                    allowed.append(chr(one))
                case "RANGE":
                    first, last = one
                    allowed += [chr(code) for code in range(first, min(last, first + 200) + 1)]
                case _:
                    allowed += CLASSES.get(str(one), "a")
        if is_negated:
            allowed = [one for one in ["a", "b", "c", *PRINTED, " "] if one not in allowed] or ["é"]
        return allowed[self._draw(len(allowed))]
