from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.bounds.schema_bounds import problem_of
from studio.ui.viewmodels.flow.schema_rows import (
    KINDS,
    OTHER,
    SchemaRow,
    complaint,
    renamed_ports,
    rows_of,
    schema_of,
)

PARTS: list[Any] = [
    {"type": "string"},
    {"type": "integer", "description": "How many", "minimum": 1},
    {
        "type": "array",
        "description": "All",
        "items": {"type": "string", "description": "One", "pattern": "^a"},
        "minItems": 1,
    },
    {"type": "string", "enum": ["a", "b"]},
    {
        "type": "object",
        "properties": {"x": {"type": "number"}},
        "required": ["x"],
        "additionalProperties": False,
    },
    {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "boolean"}}}},
    {},
]
BEYOND: list[Any] = [
    {"enum": [1, 2]},
    {"type": ["string", "null"]},
    {"$ref": "#/$defs/a"},
    {"anyOf": [{"type": "string"}], "type": "string", "enum": []},
    {"type": "array"},
    {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    True,
]


@pytest.mark.parametrize("part", [*PARTS, *BEYOND])
def test_whatever_a_schema_says_is_kept(part: Any) -> None:
    schema = {
        "$id": "a",
        "type": "object",
        "properties": {"a": part, "b": {"type": "string"}},
        "required": ["a"],
    }
    rows = rows_of(schema)
    assert rows is not None
    assert schema_of(rows, schema) == schema
    assert (rows[0].kind == OTHER) is (part in BEYOND)


@pytest.mark.parametrize("schema", [{"type": "array"}, {"properties": []}, True])
def test_what_has_no_fields_is_no_table(schema: Any) -> None:
    assert rows_of(schema) is None


names = st.sampled_from(["a", "b", "some name"])
kinds = st.sampled_from([one for one in KINDS if one not in {"choice", "object"}])
simple = st.builds(SchemaRow, names, kinds, st.booleans(), st.booleans(), st.sampled_from(["", "x"]))
choice = st.builds(
    lambda row: replace(row, kind="choice", choices=("a", "b")),
    simple,
)
rows = st.recursive(
    simple | choice,
    lambda inner: st.builds(
        lambda row, of: replace(row, kind="object", rows=tuple(of)),
        simple,
        st.lists(inner, max_size=2, unique_by=lambda row: row.name),
    ),
    max_leaves=5,
)


@given(st.lists(rows, max_size=3, unique_by=lambda row: row.name))
def test_rows_survive_being_written_as_a_schema(given_rows: list[SchemaRow]) -> None:
    schema = schema_of(given_rows)
    assert problem_of(schema) == ""
    assert complaint(given_rows) == ""
    assert rows_of(schema) == tuple(given_rows)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ([SchemaRow("")], "needs a name"),
        ([SchemaRow("a"), SchemaRow("a", "number")], "Two fields are named `a`"),
        ([SchemaRow("a", "choice")], "separated by commas"),
        ([SchemaRow("a", "object", rows=(SchemaRow(""),))], "needs a name"),
    ],
)
def test_what_is_no_schema_yet_is_said(made: list[SchemaRow], said: str) -> None:
    assert said in complaint(made)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("ab", "ac", {"b": "c"}),
        ("ab", "abc", {}),
        ("abc", "ab", {}),
        ("ab", "ba", {}),
        ("ab", "cd", {}),
        ("ab", "ab", {}),
    ],
)
def test_a_field_that_is_called_otherwise_is_told_from_one_that_is_new(
    before: str, after: str, found: dict[str, str]
) -> None:
    old, new = ({"properties": {name: {} for name in names}} for names in (before, after))
    assert renamed_ports(old, new) == found
