"""The functions of the expression language that Python has only as methods or in `re`."""

import re


def lower(text: str) -> str:
    """The text in small letters."""
    return text.lower()


def upper(text: str) -> str:
    """The text in capitals."""
    return text.upper()


def startswith(text: str, start: str) -> bool:
    """Whether the text begins with `start`."""
    return text.startswith(start)


def endswith(text: str, end: str) -> bool:
    """Whether the text ends with `end`."""
    return text.endswith(end)


def matches(text: str, pattern: str) -> bool:
    """Whether the regular expression is found anywhere in the text."""
    return re.search(pattern, text) is not None
