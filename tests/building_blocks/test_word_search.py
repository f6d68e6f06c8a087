"""Finding by words in memories."""

import re

from hypothesis import given
from hypothesis import strategies as st

from studio.building_blocks.memories.word_search import (
    found_by_words,
    ranked_by_words,
    stem,
    within,
    words_of,
)
from studio.sdk.items import Item, Recalled

TEXTS = st.lists(st.text(alphabet="ab \nB_é鳥ß", max_size=12), max_size=6)


def test_rare_words_count_for_more_and_endings_for_nothing() -> None:
    items = [
        Item(str(place), text) for place, text in enumerate(("A wren sings.", "A wren.", "Wren, singing"))
    ]
    assert [(one.item.id, one.why) for one in found_by_words(items, "the wrens sang, singing")] == [
        ("0", "says wren, sing"),
        ("2", "says wren, sing"),
        ("1", "says wren"),
    ]
    assert [one.item.id for one in found_by_words(items, "sing")] == ["0", "2"]


def test_a_word_is_found_where_one_begins_and_in_writing_without_spaces_anywhere() -> None:
    items = [Item("a", "a party"), Item("b", "art"), Item("c", "小鳥が歌う")]
    assert [one.item.id for one in found_by_words(items, "art")] == ["b"]
    assert [one.item.id for one in found_by_words(items, "鳥")] == ["c"]


def test_a_query_of_words_that_say_nothing_looks_for_these() -> None:
    assert words_of("What is it?") == ["what", "is", "it"]
    assert words_of("What is a wren?") == ["wren"]
    assert stem("sings") == "sing"
    assert stem("bus") == "bus"
    assert words_of(f"{' '.join('abcdefghijkl')} xx") == ["xx"]
    long = [f"{letter * 4}{number}" for number, letter in enumerate("bcdfghk")]
    assert words_of(" ".join(["ab", "ac", *long, "ad"])) == long
    assert words_of("c in python") == ["python"]
    assert list(found_by_words([Item("a", "x")], "")) == []


@given(TEXTS, st.text(alphabet="ab", min_size=1, max_size=2))
def test_just_the_texts_with_such_a_word_are_found(texts: list[str], word: str) -> None:
    found = {place for place, _, _ in ranked_by_words(texts, word)}
    wanted = re.compile(rf"(?<![^\W_]){word}")
    assert found == {place for place, text in enumerate(texts) if wanted.search(text.casefold())}


def test_of_what_is_too_much_the_beginning_is_given() -> None:
    found = [Recalled(Item(str(place), "x" * 100)) for place in range(4)]
    assert within(found, 2, 0) == found[:2]
    assert [len(one.item.text.encode()) for one in within(found, 0, 40)] == [100, 60]
    assert [len(one.item.text) for one in within(found, 0, 26)] == [100]
    assert within(found, 0, 1) == []
