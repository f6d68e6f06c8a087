import array
import math
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from studio.sdk.item_layers import Layer, PlainLayer, PlainMemory, Write
from studio.sdk.items import Item, Items, MemoryPlace
from studio.store.memories.project_memories import StoredMemories

PLACE = MemoryPlace("notes", "memory.vector")
DIRECTIONS = [0.0, 0.4, 0.9, 1.7, 2.8]


def vector_to(angle: float) -> bytes:
    return array.array("f", [math.cos(angle), math.sin(angle), 0, 0]).tobytes()


vectors = st.one_of(st.just(b""), st.sampled_from(DIRECTIONS).map(vector_to))
items = st.builds(
    Item,
    st.sampled_from("abcdefgh"),
    st.text(max_size=5),
    st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
    at=st.sampled_from(["2026-05-04T10", "2026-05-04T12"]),
    vector=vectors,
    labels=st.sampled_from([(), ("user",), ("chat", "web")]),
)
writes = st.lists(st.builds(Write, st.sampled_from(["put", "put", "remove", "use"]), items), max_size=5)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("apply"), st.integers(0, 9), writes),
        st.tuples(st.just("clear"), st.integers(0, 9), st.just([])),
        st.tuples(st.sampled_from(["over", "freeze"]), st.integers(0, 9), st.just([])),
    ),
    max_size=12,
)


def act(layers: list[Layer], name: str, which: int, given_writes: Sequence[Write]) -> None:
    layer = layers[which % len(layers)]
    if name == "apply":
        layer.apply(given_writes)
    elif name == "clear":
        layer.clear()
    else:
        layers.append(layer.over(frozen=name == "freeze"))


def assert_alike(one: Items, other: Items) -> None:
    assert len(one) == len(other)
    assert list(one.all()) == list(other.all())
    assert [one.get(key) for key in "abcdefghi"] == [other.get(key) for key in "abcdefghi"]
    for angle in (0.1, 1.2):
        for most in (1, 3, 20):
            mine, plain = one.nearest(vector_to(angle), most), other.nearest(vector_to(angle), most)
            assert [item for item, _ in mine] == [item for item, _ in plain]
            assert all(abs(a - b) < 1e-6 for (_, a), (_, b) in zip(mine, plain, strict=True))


@given(st.lists(items, unique_by=lambda one: one.id), acts)
def test_layers_show_what_plain_ones_show(
    first: list[Item], done: list[tuple[str, int, list[Write]]]
) -> None:
    memory = StoredMemories(Path("nowhere")).open(PLACE, run="r")
    memory.root.apply([Write("put", one) for one in first])
    mine: list[Layer] = [memory.root.over(frozen=True)]
    plain: list[Layer] = [PlainLayer(PlainMemory(first).root)]
    for name, which, given_writes in done:
        act(mine, name, which, given_writes)
        act(plain, name, which, given_writes)
        for one, other in zip(mine, plain, strict=True):
            assert_alike(one.items, other.items)
    memory.close()


def test_what_a_step_was_shown_stays_as_it_was() -> None:
    root = StoredMemories(Path("nowhere")).open(PLACE, run="r").root
    root.apply([Write("put", Item("a", "first", vector=vector_to(0)))])
    shown = root.items
    root.apply([Write("put", Item("a", "second")), Write("put", Item("b", "third"))])
    assert [one.text for one in shown.all()] == ["first"]
    assert [one.text for one, _ in shown.nearest(vector_to(0), 5)] == ["first"]
    assert [one.text for one in root.items.all()] == ["second", "third"]


def test_vectors_that_nobody_can_see_any_more_are_let_go() -> None:
    memory = StoredMemories(Path("nowhere")).open(PLACE, run="r")
    for angle in range(100):
        memory.root.apply([Write("put", Item("a", "", vector=vector_to(angle)))])
    assert memory.root.items.nearest(vector_to(99), 5)[0][1] > 0.999
    assert memory._vectors._counts == {16: 1}


def test_of_many_that_are_as_near_the_oldest_come_first() -> None:
    root = StoredMemories(Path("nowhere")).open(PLACE, run="r").root
    root.apply([Write("put", Item(f"{number}", "", vector=vector_to(0))) for number in range(5000)])
    assert [one.id for one, _ in root.items.nearest(vector_to(0.5), 3)] == ["0", "1", "2"]
    assert len(root.items.nearest(vector_to(0.5), 4500)) == 4500


def test_vectors_of_another_length_or_of_none_are_left_out() -> None:
    root = StoredMemories(Path("nowhere")).open(PLACE, run="r").root
    root.apply(
        [
            Write("put", Item("short", "", vector=vector_to(0)[:8])),
            Write("put", Item("none", "")),
            Write("put", Item("right", "", vector=vector_to(0))),
        ]
    )
    assert [one.id for one, _ in root.items.nearest(vector_to(0), 9)] == ["right"]
    assert [one.id for one, _ in root.items.nearest(vector_to(0)[:8], 9)] == ["short"]
    assert not root.items.nearest(b"", 9)
