"""Two conversations side by side: which messages are the same, and in what words others differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from studio.trace.conversations.messages import Spoken

MOST = 4_000_000
"""How many pairs of words are compared, at most; longer texts are compared by lines, then as wholes."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of text that both have, or that only the first (`gone`) or the second (`new`) has."""

    text: str
    change: Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class MessagePair:
    """A message of both conversations, or of one of them; `words` tell what differs where both have it."""

    first: Spoken | None
    second: Spoken | None
    words: tuple[Stretch, ...] = ()

    @property
    def change(self) -> Literal["same", "changed", "gone", "new"]:
        """What became of the message."""
        if self.first is None:
            return "new"
        if self.second is None:
            return "gone"
        return "changed" if self.words else "same"


def compare_messages(first: Sequence[Spoken], second: Sequence[Spoken]) -> list[MessagePair]:
    """Pair the messages of two conversations, in their order."""
    ours, others = [_key(one) for one in first], [_key(one) for one in second]
    pairs: list[MessagePair] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, others, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += [MessagePair(x, y) for x, y in zip(first[a:b], second[c:d], strict=True)]
        else:
            pairs += _replaced(first[a:b], second[c:d])
    return pairs


def compare_words(first: str, second: str) -> tuple[Stretch, ...]:
    """Tell what of `first` is gone in `second`, and what is new; neighbours of a kind are one stretch."""
    for pattern in (r"\s+|\w+|[^\w\s]", r"[^\n]*\n|[^\n]+"):
        ours, others = re.findall(pattern, first), re.findall(pattern, second)
        if len(ours) * len(others) <= MOST:
            return tuple(_stretches(ours, others))
    found: list[Stretch] = []
    found += [Stretch(first, "gone")] if first else []
    found += [Stretch(second, "new")] if second else []
    return tuple(found)


def text_of(spoken: Spoken) -> str:
    """What a message says, the calls that it asks for included."""
    calls = [f"{call.name}({call.arguments})" for call in spoken.tool_calls]
    pictures = [picture.path for picture in spoken.images]
    return "\n".join(one for one in (spoken.text, *calls, *pictures) if one)


def _stretches(ours: list[str], others: list[str]) -> Iterator[Stretch]:
    for kind, a, b, c, d in SequenceMatcher(None, ours, others, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Stretch("".join(ours[a:b]), "same")
            continue
        if b > a:
            yield Stretch("".join(ours[a:b]), "gone")
        if d > c:
            yield Stretch("".join(others[c:d]), "new")


def _replaced(first: Sequence[Spoken], second: Sequence[Spoken]) -> Iterator[MessagePair]:
    """Pair messages of the same speaker; those without one stand for themselves."""
    speakers = [_speaker(one) for one in first], [_speaker(one) for one in second]
    for kind, a, b, c, d in SequenceMatcher(None, *speakers, autojunk=False).get_opcodes():
        if kind == "equal":
            for ours, other in zip(first[a:b], second[c:d], strict=True):
                yield MessagePair(ours, other, compare_words(text_of(ours), text_of(other)))
            continue
        yield from (MessagePair(one, None) for one in first[a:b])
        yield from (MessagePair(None, one) for one in second[c:d])


def _speaker(spoken: Spoken) -> tuple[str, str, str]:
    return spoken.role, spoken.tool, spoken.speaker


def _key(spoken: Spoken) -> tuple[object, ...]:
    return *_speaker(spoken), spoken.is_error, text_of(spoken)
