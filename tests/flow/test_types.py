import pytest

from studio.flow.ports import Port, PortType, Signature, Structure, parse_type
from studio.flow.records import Flow
from studio.flow.structure.types import common_type, literal_type, resolve
from studio.flow.structure.wiring import refusal
from studio.ids import PortName
from tests.flow.builders import LIBRARY, DictLibrary, flow, node, port, review, socket


def type_at(some: Flow, place: str) -> str:
    return str(resolve(some, LIBRARY)[socket(place)])


def test_a_loop_carries_the_type_of_its_start() -> None:
    assert type_at(review(), "rounds.value") == "text"
    assert type_at(review(), "rounds.history") == "text[]"


def test_a_map_gives_elements_and_collects_them_again() -> None:
    some = flow(
        {"l": "text.split", "a": "control.for_each", "c": "control.collect"},
        "l.parts -> a.items[0]",
        "a.item -> c.item",
    )
    assert type_at(some, "a.item") == "text"
    assert type_at(some, "c.items") == "text[]"


def test_merging_lists_gives_a_list_and_not_its_elements() -> None:
    some = flow({"l": "text.split", "m": "control.merge"}, "l.parts -> m.values[0]")
    assert type_at(some, "m.value") == "text[]"


def test_a_type_travels_through_several_nodes() -> None:
    some = flow(
        {"p": "value.picture", "b": "control.branch", "r": "control.loop", "m": "control.merge"},
        "p.image -> b.value",
        "b.yes -> r.start",
        "r.value -> m.values[0]",
    )
    assert type_at(some, "m.value") == "image"


def test_what_no_wire_decides_stays_open() -> None:
    assert type_at(flow({"b": "control.branch"}), "b.yes") == "T"


def test_a_value_typed_at_a_port_decides_as_a_wire_would() -> None:
    assert type_at(flow({"r": node("control.loop", inputs={"start": 3})}), "r.value") == "number"


def test_growing_types_in_a_cycle_without_a_loop_come_to_an_end() -> None:
    some = flow(
        {"a": "control.collect", "b": "control.merge", "t": "text.text"},
        "a.items -> b.values[0]",
        "b.value -> a.item",
        "t.text -> b.values[1]",
    )
    assert type_at(some, "a.items").startswith("text[]")


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        (["number", "text"], "text"),
        (["text", "text[]"], "text[]"),
        (["text", "json"], "json"),
        (["image", "file"], "file"),
        (["image", "number"], "image"),
        (["text", "any"], "any"),
    ],
)
def test_the_common_type_is_the_one_that_all_fit_best(candidates: list[str], expected: str) -> None:
    assert str(common_type([parse_type(one) for one in candidates])) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "flag"),
        (1, "number"),
        ("", "text"),
        (["a"], "text[]"),
        ([1, "a"], "json[]"),
        (None, "json"),
        ([], "json"),
    ],
)
def test_literals_have_types(value: object, expected: str) -> None:
    assert str(literal_type(value)) == expected  # pyright: ignore[reportArgumentType]


def test_each_list_of_a_map_has_a_type_of_its_own() -> None:
    several = Signature(
        (port("items", "T[]"), Port(PortName("ages"), PortType("T_ages", 1))),
        (port("item", "T"), Port(PortName("ages_item"), PortType("T_ages")), port("index", "number")),
        Structure.FOR_EACH,
    )
    library = DictLibrary({**LIBRARY.signatures, "control.for_each": several})
    some = flow(
        {"l": "text.split", "n": "value.number", "a": "control.for_each", "q": "value.square"},
        "l.parts -> a.items",
        "n.number -> a.ages",
        "a.ages_item -> q.number",
    )
    types = resolve(some, library)
    assert [str(types[socket(f"a.{name}")]) for name in ("item", "ages", "ages_item")] == [
        "text",
        "number[]",
        "number",
    ]
    assert refusal(some, socket("a.item"), socket("q.number"), library) == "`text` does not fit `number`."


def test_variables_are_all_shown_alike() -> None:
    assert str(PortType("T_ages", 1)) == "T[]"
