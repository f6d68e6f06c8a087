"""Regular expressions that are typed in flows: those of Python, which may take only so long.

They are matched by `regex`, which can be stopped, unlike `re`; what `re` would not take is refused.
"""

import re
from itertools import islice
from typing import Any

from studio.errors import ToolError

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
    return [
        match.groupdict() or list(match.groups()) or match.group()
        for match in all_matches(checked(pattern), text, most, seconds)
    ]


def replacements_of(
    pattern: str, text: str, words: str | None, seconds: float = SECONDS
) -> list[tuple[int, int, str]]:
    """Find `pattern` in `text`: where each match that is not empty starts and ends, and what it becomes.

    `words` may name groups, as those of `re.sub`; None asks for the places alone. Raises `PatternError`.
    """
    import regex  # late, as in `readable`

    try:
        return [
            (match.start(), match.end(), "" if words is None else match.expand(words))
            for match in all_matches(checked(pattern), text, None, seconds)
            if match.end() > match.start()
        ]
    except (regex.error, IndexError) as error:
        raise PatternError(f"What is to stand instead cannot be read: {error}.") from error


def checked(pattern: str) -> Any:
    """Read a pattern; raises `PatternError`."""
    if REPEATED_REPEAT.search(re.sub(r"\\.|\[[^\]]*\]", "x", pattern)):
        message = "A repeated group may not itself repeat or choose: it could take for ever."
        raise PatternError(message)
    return readable(pattern)


def readable(pattern: str, flags: int = 0) -> Any:
    """Read a pattern of which only the time is bounded; raises `PatternError`."""
    # Late: it takes a hundredth of a second, and hardly any run has patterns.
    import regex

    try:
        re.compile(pattern, flags)
        return regex.compile(pattern, flags)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        message = f"The pattern cannot be read: {error}."
        raise PatternError(message) from error


def first_match(pattern: Any, text: str, seconds: float = SECONDS) -> Any:
    """Find what `readable` read: the match or None; raises `PatternError` where it takes too long."""
    return next(iter(all_matches(pattern, text, 1, seconds)), None)


def all_matches(pattern: Any, text: str, most: int | None = None, seconds: float = SECONDS) -> list[Any]:
    """Find what `readable` read everywhere; raises `PatternError` where that takes too long."""
    try:
        return list(islice(pattern.finditer(text, timeout=seconds, concurrent=True), most))
    except TimeoutError as error:
        message = f"The pattern takes longer than {seconds:g} s on this text."
        raise PatternError(message, hint="Repeat less in it, or look through a shorter text.") from error
