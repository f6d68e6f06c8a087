import json
import socket
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.bounds import schema_bounds
from studio.bounds.schema_bounds import problem_of
from studio.bounds.schemas import mismatch

TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "young": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name"],
    "additionalProperties": False,
}


DEPARTURES: list[tuple[Any, dict[str, Any], str]] = [
    ({"name": "a", "young": [{"name": 1}]}, TREE, "`young[0].name` of it should be of type string."),
    ({"name": "a", "young": [{}]}, TREE, "`young[0]` of it lacks `name`."),
    ({"young": [], "old": 1}, TREE, "it lacks `name`. it should have no `old`."),
    (3, {"minimum": 4}, "it should be at least 4."),
    (3, {"exclusiveMaximum": 3}, "it should be less than 3."),
    (3, {"multipleOf": 2}, "it should be a multiple of 2."),
    ("wren", {"minLength": 5}, "it should be a text of 5 or more characters."),
    ([1, 2], {"maxItems": 1}, "it should have 1 or fewer entries."),
    ([1, 1.0], {"uniqueItems": True}, "it has the same entry twice."),
    ("Wren", {"pattern": "^[a-z]+$"}, "it should match the pattern `^[a-z]+$`."),
    ("wren", {"const": "tit"}, 'it should be "tit".'),
    ("3 May", {"format": "date"}, "it should be a date, such as 2026-05-03."),
    (
        1.5,
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "it should have one of its forms, and it has none: it should be of type integer, or it should",
    ),
    (
        1,
        {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
        "it should have one of its forms alone, and it has several.",
    ),
    (1, {"not": {"type": "integer"}}, "it has a form that it must not have."),
    ({"a": 1}, {"properties": {"a": False}}, "it has 1 where nothing may be."),
    (
        {"a_1": "x"},
        {"patternProperties": {"^a_": {"type": "integer"}}},
        "`a_1` of it should be of type integer.",
    ),
    (
        {"b": 1},
        {"dependentRequired": {"b": ["c"]}},
        'it lacks a field that goes with another: {"b": ["c"]}.',
    ),
    (
        ["a", 1],
        {"prefixItems": [{"type": "string"}, {"type": "string"}]},
        "`[1]` of it should be of type string.",
    ),
    ({"a": 1}, {"unevaluatedProperties": False}, "it has more fields than it should have."),
]


@pytest.mark.parametrize(("value", "schema", "said"), DEPARTURES)
def test_a_departure_is_said_in_words_with_its_place(value: Any, schema: dict[str, Any], said: str) -> None:
    assert mismatch(value, schema, "it").startswith(said)


def test_three_complaints_are_said_at_once_and_no_more() -> None:
    schema = {"properties": {name: {"type": "integer"} for name in "abcde"}}
    said = mismatch(dict.fromkeys("abcde", "x"), schema)
    assert said.count("should be of type integer") == 3


@pytest.mark.parametrize(
    ("wanted", "good", "bad"),
    [
        ("date", "2026-05-03", "20260503"),
        ("date-time", "2026-05-03T06:30:00Z", "2026-05-03T06:30:00"),
        ("time", "06:30:00", "half past six"),
        ("email", "wren@example.org", "wren"),
        ("uri", "https://example.org", "hedge"),
        ("uuid", "0b8f3c1e-5d1f-4a53-9f0a-3f1a0f7b7c11", "0b8f"),
        ("ipv4", "192.0.2.1", "300.0.2.1"),
        ("ipv6", "2001:db8::1", "192.0.2.1"),
    ],
)
def test_a_format_is_checked(wanted: str, good: str, bad: str) -> None:
    assert mismatch(good, {"format": wanted}) == ""
    assert f"should be a {wanted}" in mismatch(bad, {"format": wanted})


def test_a_format_that_nobody_knows_is_no_complaint() -> None:
    assert mismatch("x", {"format": "plumage"}) == ""
    assert mismatch(3, {"format": "date"}) == ""


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "https://example.org/bird.json"}, "nothing is fetched"),
        ({"properties": {"a": {"$ref": "#/$defs/bird"}}}, "`#/$defs/bird`, which it does not have"),
        ({"type": "bird"}, "the schema"),
        ({"properties": {"a": 3}}, "`properties.a` of the schema should be of type object or boolean"),
        ({"pattern": "("}, "the pattern `(` cannot be read"),
        ({"minimum": "x"}, "`minimum` of the schema should be of type number"),
        ({"patternProperties": {"a": True}, "unevaluatedProperties": False}, "is not understood"),
        ({"items": [{"type": "string"}]}, "`items` of the schema"),
        (3, "the schema should be of type object or boolean"),
    ],
)
def test_what_is_wrong_with_a_schema_is_said(schema: Any, said: str) -> None:
    assert said in problem_of(schema)
    assert "cannot be checked" in mismatch({"a": "x"}, schema)


def test_forms_that_nothing_fits_are_said_as_others_are() -> None:
    assert mismatch(3, {"anyOf": [False, {"type": "string"}]}).endswith(
        "the answer has 3 where nothing may be, or the answer should be of type string."
    )
    assert "nothing may be" in mismatch(3, {"oneOf": [False, False]})


@pytest.mark.parametrize(
    "schema",
    [
        {"const": {"$ref": "#/x"}},
        {"enum": [{"$ref": "x"}, {"pattern": "("}]},
        {"default": {"pattern": "("}, "examples": [{"patternProperties": {"(": 1}}]},
        {"properties": {"b": {"$id": "b", "$ref": "#/$defs/q", "$defs": {"q": {"type": "string"}}}}},
        {"$defs": {"q": {}}, "properties": {"b": {"$id": "b"}, "c": {"$ref": "#/$defs/q"}}},
    ],
)
def test_data_in_a_schema_and_what_stands_beside_an_id_are_taken_for_what_they_are(
    schema: dict[str, Any],
) -> None:
    assert problem_of(schema) == ""


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"const": {"pattern": "("}}},
        {"$defs": {"default": {"$ref": "#/x"}}},
        {"$defs": {"q": {}}, "properties": {"b": {"$id": "b", "$ref": "#/$defs/q"}}},
    ],
)
def test_a_field_that_is_called_as_a_keyword_of_data_is_a_schema_all_the_same(schema: dict[str, Any]) -> None:
    assert problem_of(schema) != ""


def test_a_schema_may_refer_to_its_own_parts_and_to_the_drafts() -> None:
    schema = {"$defs": {"bird": {"type": "string"}}, "items": {"$ref": "#/$defs/bird"}}
    assert problem_of(schema) == ""
    assert mismatch(["wren"], schema) == ""
    assert "should be of type string" in mismatch([1], schema)


def test_a_tool_may_describe_itself_in_an_older_draft() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"one": {"items": [{"type": "string"}], "additionalItems": False}},
        "$ref": "#/definitions/one",
    }
    assert mismatch(["a"], schema) == ""
    assert mismatch(["a", 1], schema)


def test_nothing_is_ever_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    hidden = {"$id": "https://example.org/a.json", "$ref": "b.json"}
    assert "cannot be checked" in mismatch(1, hidden)
    assert "cannot be checked" in mismatch([1], {"items": {"$schema": "https://example.org/c", **hidden}})


CHOICES = {f"a{level}": {"anyOf": [{"$ref": f"#/$defs/a{level + 1}"}] * 3} for level in range(30)}
WIDE = {"$defs": {**CHOICES, "a30": {"type": "integer"}}, "$ref": "#/$defs/a0"}
DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("a" * 40 + "!", {"pattern": "^(a|a)*$"}),
        (["a" * 5000 + "!"] * 1000, {"items": {"pattern": r"^(\w+\s?)*$"}}),
        ({"a" * 5000 + "!": 1}, {"patternProperties": {r"^(\w+\s?)*$": True}, "additionalProperties": False}),
        (["a" * 40 + "!"], {"items": {"$schema": DRAFT, "pattern": "^(a|a)*$"}}),
        (1.5, WIDE),
        (1, {"$ref": "#"}),
        (1, json.loads('{"not":' * 500 + "{}" + "}" * 500)),
        ([[i] for i in range(20_000)] + [{"a": 1}] * 20_000, {"uniqueItems": True, "type": "object"}),
    ],
    ids=["pattern", "patterns", "names", "draft inside", "choices", "itself", "deep", "unique"],
)
def test_a_hostile_schema_ends_within_its_bounds(
    value: Any, schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_bounds, "STEPS", 20_000)
    monkeypatch.setattr(schema_bounds.Bounds, "__init__", _small)
    begun = process_time()
    assert mismatch(value, schema)
    assert process_time() - begun < 5


def _small(bounds: schema_bounds.Bounds) -> None:
    bounds.steps, bounds.seconds = 20_000, 0.05


def test_one_check_leaves_the_bounds_of_the_next_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_bounds.Bounds, "__init__", _small)
    schema = {"items": {"type": "integer"}}
    for _ in range(3):
        assert mismatch([1] * 15_000, schema) == ""


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(plain, plain)
def test_a_value_fits_itself_and_no_other(value: Any, other: Any) -> None:
    assert mismatch(value, {"const": value}) == ""
    assert (mismatch(other, {"const": value}) == "") is (
        json.dumps(other, sort_keys=True) == json.dumps(value, sort_keys=True)
    )


@given(
    st.dictionaries(st.sampled_from(["type", "items", "$ref", "pattern", "required", "anyOf", "enum"]), plain)
)
def test_whatever_stands_in_a_schema_is_said_and_never_raised(schema: dict[str, Any]) -> None:
    assert isinstance(mismatch({"a": ["b", 1]}, schema), str)
    assert isinstance(problem_of(schema), str)
