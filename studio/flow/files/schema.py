"""The JSON schema of flow files, for editors that check while one types; `resources/schema` has it written.

The reader (`codec.loads`) says more, and says it better; a test holds the two together.
"""

import json
from collections.abc import Mapping

from studio.flow.files.codec import FORMAT, VERSION
from studio.flow.files.document_reader import WIRE
from studio.flow.records import Json, RunSettings
from studio.ids import IDENTIFIER


def flow_schema() -> dict[str, Json]:
    """The schema as JSON values."""
    run: dict[str, Json] = RunSettings.model_json_schema()
    point: Json = _pair()
    text: Json = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/lines"}]}
    changes: Json = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "kind": {"type": "string"},
            "version": {"type": "integer", "minimum": 1},
            "title": {"type": "string"},
            "settings": {"type": "object"},
            "inputs": {"type": "object", "propertyNames": {"pattern": _whole(IDENTIFIER.pattern)}},
            "run": run,
        },
    }
    either: dict[str, Json] = {
        "name": {"type": "string"},
        "description": text,
        "wires": {"type": "array", "items": {"type": "string", "pattern": _whole(WIRE.pattern)}},
        "policies": {"type": "array"},
        "layout": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "nodes": _by_id(point),
                "frames": {"type": "object", "additionalProperties": _frame()},
                "notes": {"type": "object", "additionalProperties": _box({"text": text})},
                "bends": {"type": "object", "additionalProperties": {"type": "array", "items": point}},
                "collapsed": _texts(),
            },
        },
    }
    own: dict[str, Json] = {"of": {"type": "string"}, "set": _by_id(changes), "drop": _texts()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stepwire flow",
        "if": {"required": ["of"]},
        "then": _file({**own, **either}),
        "else": _file({"nodes": _by_id({**changes, "required": ["kind"]}), **either}),
        "$defs": {
            "lines": {
                "type": "object",
                "required": ["$lines"],
                "additionalProperties": False,
                "properties": {"$lines": {"type": "array", "items": {"type": "string"}}},
            }
        },
    }


def schema_text() -> str:
    """The schema as its file has it."""
    return json.dumps(flow_schema(), indent=2, ensure_ascii=False) + "\n"


def _file(parts: Mapping[str, Json]) -> dict[str, Json]:
    """A whole flow, or a variant of one."""
    return {
        "type": "object",
        "required": ["format", "version"],
        "additionalProperties": False,
        "properties": {"format": {"const": FORMAT}, "version": {"const": VERSION}, **parts},
    }


def _by_id(value: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "propertyNames": {"pattern": _whole(IDENTIFIER.pattern)},
        "additionalProperties": value,
    }


def _frame() -> dict[str, Json]:
    text: Json = {"type": "string"}
    return _box({"title": text, "color": text, "holds": _texts()})


def _box(more: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "required": ["at", "size"],
        "additionalProperties": False,
        "properties": {**more, "at": _pair(), "size": _pair()},
    }


def _texts() -> dict[str, Json]:
    return {"type": "array", "items": {"type": "string"}}


def _pair() -> dict[str, Json]:
    return {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


def _whole(pattern: str) -> str:
    return f"^(?:{pattern})$"
