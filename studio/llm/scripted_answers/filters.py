"""Filters for the templates of scripted answers: what it takes to answer from found text sensibly."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from studio.bounds.patterns import all_matches, first_match, readable

SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[^a-z\s])|\n{2,}")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does
    during each for from had has have having he her here hers him his how i if in into is it its me might more
    most my no nor not of off on only or other our out over own please she should so some such tell than that
    the their them then there these they this those through to too under until up us very was we were what
    when where which while who whom whose why will with would you your
    """.split()  # noqa: SIM905  # a list of a hundred strings is harder to read
)


def sentences(text: object) -> list[str]:
    """Split text into sentences, without their surrounding blanks."""
    parts = SENTENCE_END.split(str(text))
    return [" ".join(part.split()) for part in parts if part and part.strip()]


def keywords(text: object) -> list[str]:
    """Give the telling words of a text, in lower case, each once, in their order."""
    words = (word.casefold() for word in WORD.findall(str(text)))
    return list(dict.fromkeys(word for word in words if len(word) > 1 and word not in STOP_WORDS))


def best_sentences(text: object, question: object, count: int = 2) -> list[str]:
    """Give the `count` sentences that share most keywords with `question`, in the order of the text."""
    wanted = {_stem(word) for word in keywords(question)}
    found = sentences(text)
    shared = [len(wanted & {_stem(word) for word in keywords(sentence)}) for sentence in found]
    best = sorted(range(len(found)), key=lambda place: (-shared[place], place))[:count]
    return [found[place] for place in sorted(best) if shared[place]]


def truncate_words(text: object, count: int, end: str = "…") -> str:
    """Keep the first `count` words, with `end` where something was cut."""
    words = str(text).split()
    return str(text) if len(words) <= count else " ".join(words[:count]) + end


def regex_findall(text: object, pattern: str) -> list[object]:
    """Give every match of `pattern`: its text, or its group, or its groups as a list."""
    hits = all_matches(readable(pattern, re.DOTALL), str(text))
    return [list(hit.groups("")) if hit.re.groups > 1 else _group(hit) for hit in hits]


def regex_search(text: object, pattern: str) -> str:
    """Give the first group of the first match of `pattern` (or the match), an empty text without one."""
    hit = first_match(readable(pattern, re.DOTALL), str(text))
    return "" if hit is None else _group(hit)


def _group(hit: Any) -> str:
    return (hit.group(1) or "") if hit.re.groups else hit.group()


def fromjson(text: object) -> object:
    """Read JSON text; None when it is none, so that a template can test it."""
    try:
        return json.loads(str(text))
    except ValueError:
        return None


def tojson(value: object, indent: int | None = None) -> str:
    """Write a value as JSON text, without escapes for HTML."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)


def _plain(value: object) -> object:
    """Give what JSON can hold for a value that it does not know, such as a generator of Jinja's."""
    if isinstance(value, Iterable):
        return list(cast("Iterable[object]", value))
    return str(value)


def _stem(word: str) -> str:
    """Cut the commonest endings, so that `beetles` meets `beetle`."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e")


FILTERS: Mapping[str, Callable[..., object]] = {
    "sentences": sentences,
    "keywords": keywords,
    "best_sentences": best_sentences,
    "truncate_words": truncate_words,
    "regex_findall": regex_findall,
    "regex_search": regex_search,
    "fromjson": fromjson,
    "tojson": tojson,
}
"""The filters by their names in templates."""
