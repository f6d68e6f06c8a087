"""Finding by words: which of many items say what is looked for, the best first.

A word is found where one begins with it; of words with a common ending what stands before that counts, so
that `singing` finds `sings`. Rare words count for more. Score 1 is an item that says all of them.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter

from studio.building_blocks.memories.context_window import tokens_of
from studio.sdk import Item, Recalled

IGNORED = (
    "a about an and any are as at be but by can could did do does for from had has have how i if in into is "
    "it its me my no not of on or our out should so some than that the their them then there these they this "
    "those to up us was we were what when where which who whom whose why will with would you your"
)
"""What questions are made of, and what says nothing about their subject."""

ENDINGS = ("ing", "ed", "es", "s")
SHORTEST = 3
"""Letters that are left of a word without its ending."""

MOST_WORDS = 7
"""Words of a query that are looked for; each takes about a millisecond in ten thousand texts."""

BYTES_PER_TOKEN = 4
"""About as many are a token, as `tokens_of` guesses."""


def words_of(text: str) -> list[str]:
    """The words of a query that say something, each once, without endings; all words where none does.

    Of a long query, such as a whole prompt, the longest words: these tend to be the rare ones.
    """
    said = re.findall(r"\w+", text.casefold())
    ignored = IGNORED.split()
    wanted = [word for word in said if word not in ignored and (len(word) > 1 or not word.isascii())] or said
    stems = list(dict.fromkeys(map(stem, wanted)))
    longest = set(sorted(stems, key=len, reverse=True)[:MOST_WORDS])
    return [word for word in stems if word in longest]


def stem(word: str) -> str:
    """The word without its ending, where enough is left."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word[: -len(ending)]
    return word


def found_by_words(items: Sequence[Item], query: str) -> Iterator[Recalled]:
    """Rank the items that say a word of `query` in their id or text; ties by age."""
    for place, score, words in ranked_by_words([f"{one.id} {one.text}" for one in items], query):
        yield Recalled(items[place], score, f"says {', '.join(words)}")


def latest(items: Sequence[Item], why: str) -> Iterator[Recalled]:
    """The items, those first that were written last."""
    for one in sorted(items, key=attrgetter("at"))[::-1]:
        yield Recalled(one, 0.0, why)


def ranked_by_words(texts: Sequence[str], query: str) -> Iterator[tuple[int, float, list[str]]]:
    """Rank the texts that say a word of `query`: which, how much of it, and which words."""
    small, words = [f" {one}".casefold() for one in texts], words_of(query)
    scores, together = [0.0] * len(small), 0.0
    for word in words:
        places = places_of(word, small)
        weight = math.log(1 + len(small) / max(1, len(places)))
        together += weight
        for place in places:
            scores[place] += weight
    found = [place for place, score in enumerate(scores) if score]
    for place in sorted(found, key=scores.__getitem__, reverse=True):
        said = [word for word in words if places_of(word, [small[place]])]
        yield place, round(scores[place] / together, 4), said


def places_of(word: str, texts: Sequence[str]) -> list[int]:
    """Which of the texts, each with a space before it, have a word that begins so."""
    having = [place for place, text in enumerate(texts) if word in text]
    if not word.isascii():
        return having  # in writing without spaces words begin anywhere
    spaced = f" {word}"
    begins = re.compile(rf"(?<![^\W_]){word}")
    return [place for place in having if spaced in texts[place] or begins.search(texts[place])]


def within(found: Iterable[Recalled], most: int, tokens: int) -> list[Recalled]:
    """The first `most` that have about as many `tokens` together at most (0: no bound); larger ones are cut.

    Of one that is cut the beginning is left, and said to be.
    """
    if not tokens:
        return [*islice(found, most or None)]
    kept: list[Recalled] = []
    left = tokens
    for one in islice(found, most or None):
        if tokens_of(one.item.text) <= left:
            kept.append(one)
        elif left > tokens_of(CUT):
            kept.append(replace(one, item=replace(one.item, text=cut_to(one.item.text, left))))
        else:
            break
        left -= tokens_of(kept[-1].item.text)
    return kept


def cut_to(text: str, tokens: int) -> str:
    """The beginning of a text that has about so many tokens, and that it was cut."""
    size = tokens * BYTES_PER_TOKEN - len(CUT.encode())
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore") + CUT


CUT = " … (cut)"
