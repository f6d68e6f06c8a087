from typing import Any

import pytest

from studio.flow.ports import parse_type
from studio.sdk.prelude.schema_fields import fields_of, ports_of_fields
from studio.sdk.schema_ports import port_type_of, schema_ports

BIRD = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        ({"type": "string"}, "text"),
        ({"type": "integer"}, "number"),
        ({"type": ["number", "null"]}, "number"),
        ({"type": "boolean"}, "flag"),
        ({"type": "array", "items": {"type": "string"}}, "text[]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "number[][]"),
        ({"type": "array", "items": BIRD}, "json"),
        ({"type": "array"}, "json"),
        ({"type": ["string", "integer"]}, "json"),
        ({"enum": ["a", "b"]}, "text"),
        ({"enum": ["a", 1]}, "json"),
        ({"const": "a"}, "text"),
        ({"$ref": "#/$defs/size"}, "number"),
        ({"$ref": "#/$defs/round"}, "json"),
        ({"$ref": "#/$defs/none"}, "json"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        (BIRD, "json"),
        (True, "json"),
    ],
)
def test_a_field_is_a_port_of_its_type(part: object, wanted: str) -> None:
    schema = {"$defs": {"size": {"type": "integer"}, "round": {"$ref": "#/$defs/round"}}}
    assert port_type_of(schema, part) == parse_type(wanted)


def test_ports_are_called_as_fields_are_as_far_as_ports_can_be() -> None:
    names = ["score", "reply", "Größe", "then", "a-b", "a b"]
    schema: dict[str, Any] = {"properties": {name: {"type": "integer"} for name in names}}
    assert ports_of_fields(schema) == {
        "score": "score",
        "reply": "reply_2",
        "Größe": "gr_sse",
        "then": "then_2",
        "a-b": "a_b",
        "a b": "a_b_2",
    }
    assert fields_of({"score": 1, "a b": 2}, schema)["a_b_2"] == 2
    assert fields_of({"score": 1}, schema)["reply_2"] is None


def test_titles_and_descriptions_are_what_people_read() -> None:
    part = {"type": "string", "title": "Bird", "description": "What sang"}
    [port] = schema_ports({"properties": {"b": part}})
    assert (port.label, port.help) == ("Bird", "What sang")
    assert schema_ports(None) == []
    assert schema_ports({"type": "object"}) == []
