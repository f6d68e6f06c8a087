import sqlite3
from collections.abc import Sequence
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.store.migrations import empty_run_file
from studio.store.run_files import shelf as shelf_module
from studio.store.run_files.recipes import Recipes
from studio.store.run_files.run_file import insert
from studio.store.run_files.shelf import DEEPEST, Shelf

items = st.text('ab"\\é', max_size=12) | st.integers(0, 3)
lists = st.lists(st.lists(items, max_size=12), min_size=1, max_size=40)


def file_of(values: Sequence[object]) -> tuple[sqlite3.Connection, list[int]]:
    """Store values, and give where they are."""
    shelf = Shelf()
    ids = [shelf.place(orjson.dumps(value)) for value in values]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(empty_run_file())
    insert(connection, None, shelf.take(), None)
    return connection, ids


@given(lists, st.randoms())
def test_every_value_is_read_back_in_any_order(values: list[object], random: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelf_module, "LONG", 4)
        patch.setattr(shelf_module, "STRIDE", 3)
        patch.setattr(shelf_module, "DEEPEST", 8)
        patch.setattr(shelf_module, "REMEMBERED", 3)
        connection, ids = file_of(values)
    order = list(range(len(values)))
    random.shuffle(order)
    recipes = Recipes(connection)
    for index in order:
        assert recipes.read(ids[index]) == values[index]
        assert orjson.loads(recipes.bytes_of(ids[index])) == values[index]
    connection.close()


@given(st.lists(st.lists(items), min_size=1, max_size=60))
def test_a_list_that_grows_reads_back_as_it_was_at_each_step(items: list[object]) -> None:
    grown = [items[:count] for count in range(1, len(items) + 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelf_module, "LONG", 4)
        patch.setattr(shelf_module, "STRIDE", 5)
        connection, ids = file_of(grown)
    recipes = Recipes(connection)
    assert [recipes.read(one) for one in ids] == grown
    connection.close()


def test_the_same_value_has_the_same_place() -> None:
    shelf = Shelf()
    assert shelf.place(b"[1,2]") == shelf.place(b"[1,2]") != shelf.place(b"[1,3]")
    assert Shelf({b"x" * 16: 7}).place(b"[1]") == 8


def test_no_value_is_far_from_what_it_copies_however_long_it_has_grown() -> None:
    grown = [["word " * 40] * count for count in range(1, 1500, 2)]
    connection, ids = file_of(grown)
    rows = connection.execute("SELECT id, parts FROM large_values").fetchall()
    depth: dict[int, int] = {}
    for number, parts in rows:
        sources = [depth[part[0]] for part in orjson.loads(parts) if isinstance(part, list)]
        depth[number] = max(sources, default=-1) + 1
    assert max(depth.values()) <= DEEPEST
    recipes = Recipes(connection)
    assert recipes.read(ids[-1]) == grown[-1]
    connection.close()


LONG_TEXT = " ".join(map(str, range(400)))


@pytest.mark.parametrize("value", [[LONG_TEXT] * 3000, LONG_TEXT * 3000], ids=["elements", "one text"])
def test_a_text_that_stands_thousands_of_times_in_a_value_costs_nothing(value: object) -> None:
    connection, ids = file_of([{"first": LONG_TEXT}, value])
    assert Recipes(connection).read(ids[1]) == value
    ((size,),) = connection.execute("SELECT length(new) FROM large_values WHERE id = ?", (ids[1],))
    assert size < 1000
    connection.close()


def test_thousands_of_long_texts_in_another_order_cost_nothing() -> None:
    texts = [f"{number} {LONG_TEXT}" for number in range(2000)]
    connection, ids = file_of([texts, {"turned": texts[::-1]}])
    assert Recipes(connection).read(ids[1]) == {"turned": texts[::-1]}
    ((size,),) = connection.execute("SELECT length(new) FROM large_values WHERE id = ?", (ids[1],))
    assert size < 1000
    connection.close()


def test_a_text_is_found_where_another_quotes_it_until_too_much_would_have_to_be_looked_through() -> None:
    values = [[LONG_TEXT], [f"Read this: {LONG_TEXT} Thank you."]]
    sizes: list[int] = []
    for most in (shelf_module.MOST_SEARCHED, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shelf_module, "MOST_SEARCHED", most)
            connection, ids = file_of(values)
        assert [Recipes(connection).read(one) for one in ids] == values
        ((size,),) = connection.execute("SELECT length(new) FROM large_values WHERE id = ?", (ids[1],))
        sizes.append(size)
        connection.close()
    assert sizes[0] < 100 < sizes[1]


def test_a_value_that_is_gone_or_goes_in_circles_is_an_error() -> None:
    connection, ids = file_of([["x" * 3000]])
    with pytest.raises(LookupError):
        Recipes(connection).read(99)
    connection.execute("UPDATE large_values SET parts = ?", (f"[[{ids[0]},0,9]]",))
    with pytest.raises(LookupError):
        Recipes(connection).read(ids[0])
    connection.close()
