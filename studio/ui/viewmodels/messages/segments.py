"""The code blocks of a text, apart from what is said around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})[ ]*([\w+#.-]*)[^\n`]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text; `language` is what its code block names (`text` for none), empty for prose."""

    text: str
    language: str = ""


def segments_of(text: str) -> list[Segment]:
    """Take a text apart; a block that is not closed reaches to the end. Fences themselves are left out."""
    return list(_segments(text)) or [Segment(text)]


def _segments(text: str) -> Iterator[Segment]:
    at, opened, language = 0, "", ""
    for fence in _FENCE.finditer(text):
        if opened:
            if fence[1][0] != opened[0] or len(fence[1]) < len(opened) or fence[2]:
                continue
            yield Segment(text[at : max(fence.start() - 1, at)], language)
            opened = ""
        else:
            said = text[at : fence.start()].strip("\n")
            if said:
                yield Segment(said)
            opened, language = fence[1], fence[2].casefold() or "text"
        at = min(fence.end() + 1, len(text))
    rest = text[at:] if opened else text[at:].strip("\n") if at else text
    if rest or opened:
        yield Segment(rest, language if opened else "")
