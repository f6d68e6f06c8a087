"""Searching the items of a memory by words, as people do."""

from collections.abc import Sequence

from studio.sdk.items import Item


def with_words(items: Sequence[Item], words: str, texts: Sequence[str] | None = None) -> Sequence[Item]:
    """Give the items that have each of the words anywhere; `texts` is what `searched` gave for each."""
    wanted = words.casefold().split()
    if not wanted:
        return items
    known = texts if texts is not None else [searched(one) for one in items]
    pairs = zip(items, known, strict=True)
    return [one for one, text in pairs if all(word in text for word in wanted)]


def searched(item: Item) -> str:
    """Give all in which is searched: text, fields, id, who wrote it and when, and labels."""
    values = (str(one) for one in item.data.values())
    return "\n".join((item.id, item.text, item.by, item.at, *values, *item.labels)).casefold()
