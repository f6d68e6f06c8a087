"""What belongs to an item of a memory: neighbours, evidence, and what worked in situations like it."""

from datetime import datetime

import pytest

from studio.sdk.items import Item
from studio.ui.viewmodels.memories.memory_facts import items_near, what_worked
from studio.ui.viewmodels.memories.memory_words import columns_of, title_of_item, when


def triple(subject: str, relation: str, target: str) -> Item:
    data = {"subject": subject, "relation": relation, "object": target}
    return Item(f"{subject} | {relation} | {target}".casefold(), f"{subject} {relation} {target}", data)


def trial(number: int, action: str, score: float, cluster: str = "a") -> Item:
    return Item(str(number), "A module is missing.", {"action": action, "score": score, "cluster": cluster})


def test_a_triple_has_those_beside_it_that_share_an_end() -> None:
    saw, nests, keeps = (
        triple("Ada", "saw", "wren"),
        triple("Wren", "nests in", "wall"),
        triple("Bo", "keeps", "bees"),
    )
    assert items_near("memory.graph", saw, [saw, nests, keeps]) == [("wren", nests)]
    assert items_near("memory.notes", saw, [saw, nests]) == []


def test_an_insight_has_its_evidence() -> None:
    walked, froze = Item("1", "Ada walked."), Item("2", "The pond froze.")
    insight = Item("3", "Ada likes frost.", {"type": "reflection", "evidence": ["2"]})
    assert items_near("memory.stream", insight, [walked, froze, insight]) == [("evidence", froze)]


def test_actions_are_counted_in_like_situations_and_luck_stands_behind() -> None:
    tries = [trial(n, "reinstall", 1) for n in range(5)] + [trial(8, "retry", 1), trial(9, "wait", 1, "b")]
    best, lucky = what_worked("memory.experience", tries[0], tries)
    assert (best.action, best.tries, best.mean) == ("reinstall", 5, 1)
    assert (lucky.action, lucky.tries) == ("retry", 1)
    assert best.least > lucky.least
    assert what_worked("memory.vector", tries[0], tries) == []


@pytest.mark.parametrize(
    ("kind", "titles"),
    [
        ("memory.window", ["Role", "Message"]),
        ("memory.notes", ["Key", "Value"]),
        ("memory.graph", ["Subject", "Relation", "Object"]),
        ("memory.files", ["Path", "Characters", "Content"]),
        ("memory.stream", ["Type", "Importance", "Memory"]),
        ("memory.experience", ["Action", "Score", "Outcome", "Situation"]),
        ("memory.vector", ["Text"]),
    ],
)
def test_each_kind_has_the_columns_of_what_it_is(kind: str, titles: list[str]) -> None:
    assert [one.title for one in columns_of(kind)] == [*titles, "By", "When"]


def test_items_are_called_by_their_names_or_their_words() -> None:
    note = Item("draft/opening", "A dunnock sang.")
    assert title_of_item("memory.notes", note) == "draft/opening"
    assert title_of_item("memory.vector", note) == "A dunnock sang."


def test_moments_are_told_by_one_clock_wherever_they_were_written() -> None:
    assert when("2026-11-21T10:00:00+00:00") == when("2026-11-21T12:30:00+02:30")
    local = datetime.fromisoformat("2026-11-21T10:00:00").astimezone()
    assert when(local.isoformat()) == "2026-11-21 10:00:00"
    assert when("yesterday") == "yesterday"
