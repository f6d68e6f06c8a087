"""Regular expressions that are typed in flows: those of Python, which may take only so long.

They are matched by `regex`, which can be stopped, unlike `re`; what `re` would not take is refused.
"""

import re
from typing import Any

import regex

from studio.sdk import ToolError

SECONDS = 0.5
"""How long one pattern may take on one text."""

REPEATED_REPEAT = re.compile(r"\([^()]*[*+{|][^()]*\)[*+{]|\)\)+[*+{]")
"""A pattern that can make matching take exponential time (escapes and sets replaced beforehand)."""


class PatternError(ToolError):
    """A pattern that cannot be read, or that takes too long."""


def is_found(pattern: str, text: str, seconds: float = SECONDS) -> bool:
    """Tell whether `pattern` is found anywhere in `text`; raises `PatternError`."""
    return bool(matches_of(pattern, text, 1, seconds))


def matches_of(pattern: str, text: str, most: int, seconds: float = SECONDS) -> list[Any]:
    """Find `pattern` in `text`, at most `most` times; raises `PatternError`, also where it takes too long.

    A match is its text, or the list of its groups, or by name where groups have names.
    """
    found: list[Any] = []
    try:
        for match in checked(pattern).finditer(text, timeout=seconds, concurrent=True):
            found.append(match.groupdict() or list(match.groups()) or match.group())
            if len(found) == most:
                break
    except TimeoutError as error:
        message = f"The pattern takes longer than {seconds:g} s on this text."
        raise PatternError(message, hint="Repeat less in it, or look through a shorter text.") from error
    return found


def replacements_of(
    pattern: str, text: str, words: str | None, seconds: float = SECONDS
) -> list[tuple[int, int, str]]:
    """Find `pattern` in `text`: where each match that is not empty starts and ends, and what it becomes.

    `words` may name groups, as those of `re.sub`; None asks for the places alone. Raises `PatternError`.
    """
    try:
        return [
            (match.start(), match.end(), "" if words is None else match.expand(words))
            for match in checked(pattern).finditer(text, timeout=seconds, concurrent=True)
            if match.end() > match.start()
        ]
    except TimeoutError as error:
        raise PatternError(f"The pattern takes longer than {seconds:g} s on one text.") from error
    except (regex.error, IndexError) as error:
        raise PatternError(f"What is to stand instead cannot be read: {error}.") from error


def checked(pattern: str) -> Any:
    """Read a pattern; raises `PatternError`."""
    if REPEATED_REPEAT.search(re.sub(r"\\.|\[[^\]]*\]", "x", pattern)):
        message = "A repeated group may not itself repeat or choose: it could take for ever."
        raise PatternError(message)
    try:
        re.compile(pattern)
        return regex.compile(pattern)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        message = f"The pattern cannot be read: {error}."
        raise PatternError(message) from error
