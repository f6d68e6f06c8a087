from typing import Any

import pytest

from nodes.llm.agent import agent
from nodes.llm.chat import chat
from studio.flow.ports import parse_type
from studio.sdk import Json
from studio.sdk.node import node_type_of
from studio.sdk.schema_fields import TAKEN, fields_of, ports_of_fields
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


def test_no_field_takes_the_name_or_the_label_of_another_output() -> None:
    schema: dict[str, Json] = {"type": "object", "properties": {name: {} for name in TAKEN}}
    for kind in (node_type_of(chat), node_type_of(agent)):
        for sampling in ("one", "a call for each"):
            given = {"sampling": sampling} if kind.kind == "llm.chat" else {}
            fixed = kind.signature({**given, "answer_schema": {"type": "object"}}).outputs
            assert {str(port.name) for port in fixed} <= {*TAKEN}
            ports = kind.signature({**given, "answer_schema": schema}).outputs
            assert len({port.name for port in ports}) == len({port.label for port in ports}) == len(ports)
