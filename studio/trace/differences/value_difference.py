"""Where two values differ: the places in them, what stands there in either, and the words of texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TypeAlias, cast

import orjson

from studio.trace.events.values import Plain

MOST_ELEMENTS = 1_000
"""Elements of a list above which they are compared one by one, by their place."""
MOST_WORDS = 3_000
"""Words of a text above which its lines are compared."""

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead to a value."""


class Kind(StrEnum):
    """What became of a value."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """One place where two values differ. `place` leads to it in the first, what was added in the second."""

    kind: Kind
    place: Place
    first: Plain = None
    second: Plain = None

    @property
    def path(self) -> str:
        """The place as people write it: `items[2].title`; empty for the whole value."""
        return path_of(self.place)


def path_of(place: Place) -> str:
    """Write a place as people do: `items[2].title`."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def value_differences(first: Plain, second: Plain) -> list[ValueDifference]:
    """Give every place where two values differ, as far in as it goes; none where they are the same."""
    return list(_within(first, second, (), ()))


def is_same(first: Plain, second: Plain) -> bool:
    """Whether two values are the same; `1` and `True` are equal, and are not."""
    if isinstance(first, dict) and isinstance(second, dict):
        one, other = cast("Mapping[str, Plain]", first), cast("Mapping[str, Plain]", second)
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(first, list) and isinstance(second, list):
        items, others = cast("list[Plain]", first), cast("list[Plain]", second)
        return len(items) == len(others) and all(map(is_same, items, others))
    return first == second and isinstance(first, bool) == isinstance(second, bool)


def _within(first: Plain, second: Plain, here: Place, there: Place) -> Iterator[ValueDifference]:
    if isinstance(first, dict) and isinstance(second, dict):
        one, other = cast("Mapping[str, Plain]", first), cast("Mapping[str, Plain]", second)
        for key in dict.fromkeys((*one, *other)):
            if key not in other:
                yield ValueDifference(Kind.REMOVED, (*here, key), one[key])
            elif key not in one:
                yield ValueDifference(Kind.ADDED, (*there, key), second=other[key])
            else:
                yield from _within(one[key], other[key], (*here, key), (*there, key))
    elif isinstance(first, list) and isinstance(second, list):
        items, others = cast("Sequence[Plain]", first), cast("Sequence[Plain]", second)
        yield from _of_lists(items, others, here, there)
    elif not is_same(first, second):
        yield ValueDifference(Kind.CHANGED, here, first, second)


def _of_lists(
    items: Sequence[Plain], others: Sequence[Plain], here: Place, there: Place
) -> Iterator[ValueDifference]:
    """Elements that are the same keep each other's company, wherever they stand."""
    for start, end, other, other_end in _unlike(items, others):
        many = min(end - start, other_end - other)
        for step in range(many):
            yield from _within(
                items[start + step], others[other + step], (*here, start + step), (*there, other + step)
            )
        for place in range(start + many, end):
            yield ValueDifference(Kind.REMOVED, (*here, place), items[place])
        for place in range(other + many, other_end):
            yield ValueDifference(Kind.ADDED, (*there, place), second=others[place])


def _unlike(items: Sequence[Plain], others: Sequence[Plain]) -> Iterator[tuple[int, int, int, int]]:
    if max(len(items), len(others)) > MOST_ELEMENTS:
        yield 0, len(items), 0, len(others)
        return
    for kind, *span in SequenceMatcher(None, _texts(items), _texts(others), False).get_opcodes():
        if kind != "equal":
            yield span[0], span[1], span[2], span[3]


def _texts(items: Sequence[Plain]) -> list[bytes]:
    return [orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in items]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether the other text has it too."""

    text: str
    is_same: bool


def marked_words(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Take two texts apart into what both have and what only one has, by words, or by lines where long."""
    one, other = _words(first), _words(second)
    if max(len(one), len(other)) > MOST_WORDS:
        one, other = first.splitlines(keepends=True), second.splitlines(keepends=True)
    sides: tuple[list[Piece], list[Piece]] = ([], [])
    for kind, start, end, begin, stop in SequenceMatcher(None, one, other, False).get_opcodes():
        for side, words in zip(sides, (one[start:end], other[begin:stop]), strict=True):
            if words:
                side.append(Piece("".join(words), kind == "equal"))
    return sides


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)
