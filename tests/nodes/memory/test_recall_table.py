"""Which way of finding texts finds what: two hundred questions to 260 passages, stated in a table.

`recall_pairs.tsv` was written for this: everyday prose of twenty subjects. A hundred questions share `some`
words with the passage that answers them, as those of people who know what they said; a hundred share `none`
but the smallest, and sixty passages without a question have just the words that those hundred have. So a
search by words finds all of the first and none of the second.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nodes.memory.vector import vector
from studio.building_blocks.memories.embeddings import embedded_vectors
from studio.building_blocks.memories.word_search import found_by_words
from studio.sdk import Item, Note, Query
from studio.sdk.item_layers import PlainItems
from studio.sdk.testing import ScriptedContext
from tests.nodes.memory.lending import lent

TABLE = """
way of finding        questions   at 1   at 5   at 10
embedded              all         0.52   0.73   0.81
embedded              some        0.92   1.00   1.00
embedded              none        0.11   0.46   0.63
words                 all         0.50   0.51   0.52
words                 some        0.99   1.00   1.00
words                 none        0.01   0.02   0.04
both                  all         0.53   0.70   0.79
both                  some        0.96   1.00   1.00
both                  none        0.10   0.41   0.58
"""
"""The share of questions whose passage is among the first 1, 5 and 10, of all and by the words they share.

Vector memory has `embedded` as its default: at the five that it recalls, and at ten, it is the best. `both`
adds a fifth of what the words score to the cosine: what that gains with words in common it loses without.
"""


class Row(NamedTuple):
    """A passage, and the question that it answers, if any."""

    subject: str
    shared: str
    question: str
    passage: str


ROWS = [
    Row(*line.split("\t"))
    for line in (Path(__file__).parent / "recall_pairs.tsv").read_text("utf-8").splitlines()[1:]
]
PASSAGES = [row.passage for row in ROWS]
ASKED = [row for row in ROWS if row.question]


def stated(way: str) -> dict[str, list[float]]:
    rows = [line.split() for line in TABLE.splitlines() if line.startswith(way)]
    return {row[1]: [float(one) for one in row[2:]] for row in rows}


def reached(found: Sequence[Sequence[str]]) -> dict[str, list[float]]:
    """The share of questions whose passage is among the first that were found for it."""
    shares: dict[str, list[float]] = {}
    for sort in ("all", "some", "none"):
        hits = [
            (row.passage, texts)
            for row, texts in zip(ASKED, found, strict=True)
            if sort in {"all", row.shared}
        ]
        shares[sort] = [
            sum(passage in texts[:most] for passage, texts in hits) / len(hits) for most in (1, 5, 10)
        ]
    return shares


def agrees(found: dict[str, list[float]], way: str, apart: float = 0.0051) -> bool:
    """Whether what was reached is what is stated, but for rounding, or what else may lie between."""
    told = stated(way)
    return all(np.allclose(found[sort], told[sort], rtol=0, atol=apart) for sort in told)


@cache
def cosines() -> list[list[float]]:
    """How near each passage is to each question."""
    passages, questions = (
        np.array([np.frombuffer(one, "<f4") for one in embedded_vectors(texts)])
        for texts in (PASSAGES, [row.question for row in ASKED])
    )
    return (questions @ passages.T).tolist()


def worded() -> list[dict[str, float]]:
    """What the words of each question score in each passage that has some, the best first."""
    items = [Item(f"{number}", text) for number, text in enumerate(PASSAGES)]
    return [{one.item.text: one.score for one in found_by_words(items, row.question)} for row in ASKED]


def test_the_pairs_are_two_hundred_with_as_many_sorts_of_questions_and_no_passage_twice() -> None:
    assert [sum(row.shared == sort for row in ROWS) for sort in ("some", "none", "")] == [100, 100, 60]
    assert len(set(PASSAGES)) == len(ROWS) == 260
    assert len({row.question for row in ASKED}) == 200


def beginnings(text: str) -> set[str]:
    """How the longer words of a text begin, so that `sings` and `singing` are the same."""
    return {word[:4] for word in re.findall(r"\w{4,}", text.casefold())} - LITTLE


LITTLE = {"what", "when", "wher", "whic", "who", "whom", "does", "did", "how", "long", "shou", "many", "much"}
"""What questions are made of."""


def test_questions_share_the_words_that_they_are_said_to() -> None:
    shares: dict[str, list[float]] = {"some": [], "none": []}
    for row in ASKED:
        said = beginnings(row.question)
        shares[row.shared].append(len(said & beginnings(row.passage)) / max(1, len(said)))
    assert np.mean(shares["some"]) > 0.5
    assert np.mean(shares["none"]) < 0.05


class QuickItems(PlainItems):
    """Items that tell which are nearest all at once."""

    def __init__(self, items: Sequence[Item]) -> None:
        super().__init__(items)
        self.vectors = np.array([np.frombuffer(one.vector, "<f4") for one in items])

    def nearest(self, vector: bytes, most: int) -> Sequence[tuple[Item, float]]:
        near = self.vectors @ np.frombuffer(vector, "<f4")
        known = self.all()
        return [(known[place], float(near[place])) for place in np.argsort(-near, kind="stable")[:most]]


async def test_vector_memory_reaches_what_the_table_says_of_embedded() -> None:
    context = ScriptedContext()
    async with lent(vector, {"most": 10}, context) as memory:
        made = await memory.remember(context, [Note(one) for one in PASSAGES])
        context.memories["step"].items = QuickItems(made)
        found = [
            [one.item.text for one in await memory.recall(context, Query(row.question))] for row in ASKED
        ]
    assert agrees(reached(found), "embedded")


def test_words_reach_what_the_table_says() -> None:
    assert agrees(reached([list(one) for one in worded()]), "words", apart=0.0251)


def test_both_together_reach_what_the_table_says() -> None:
    found: list[list[str]] = []
    for row, words in zip(cosines(), worded(), strict=True):
        scores = {text: near + 0.2 * words.get(text, 0) for text, near in zip(PASSAGES, row, strict=True)}
        found.append(sorted(PASSAGES, key=lambda text, scores=scores: -scores[text])[:10])
    assert agrees(reached(found), "both", apart=0.0251)


def test_the_default_is_the_best_at_as_many_as_it_recalls() -> None:
    at_five = {way: stated(way)["all"][1] for way in ("embedded", "words", "both")}
    assert max(at_five, key=at_five.__getitem__) == "embedded"
