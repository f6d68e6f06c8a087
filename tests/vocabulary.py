"""Words that no text says which a user reads, and what it says instead."""

import re
from collections.abc import Iterable

RETIRED = {
    r"\bheld\b|\bhold(?:s|ing)? (?:at|here|the run|when|it there)\b|^hold\b": "pause, paused",
    r"\blen(?:d|ds|t)\b": "attached, provides",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\bmeasur(?:e|es|ed|ing)\b": "evaluate",
    r"\bbought\b|\bdollars at most\b|\bmoney\b": "cost",
    r"\bcases? file": "dataset",
    r"\bwhat (?:it|was|is|were|are) (?:gave|given|read)\b|\bwas given\b": "input, output",
    r"\bgo(?:es)? on with\b": "resume",
    r"\bNobody could\b": "none",
    r"\b(?:as|answers? (?:come )?from) a script\b|\bproject's (?:own )?scripts\b": "scripted answers",
    r"`": "quotes, or nothing",
}
"""Each retired word, as a pattern, and what the field says."""


def offences(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Which texts say a retired word, each with where it stands and what to say instead."""
    return [
        f"{place}: {text!r} says {found.group()!r}; write: {instead}"
        for place, text in texts
        for pattern, instead in RETIRED.items()
        if (found := re.search(pattern, text, re.IGNORECASE)) is not None
    ]
