"""The fields of a JSON Schema as output ports, with their types."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.bounds.schemas import problem_of
from studio.flow.ports import Port, PortType
from studio.ids import PortName, slug
from studio.sdk.schema_fields import TAKEN, ports_of_fields

SCALARS = {"string": "text", "number": "number", "integer": "number", "boolean": "flag"}
SCHEMA_BY_HELP = (
    "auto: what the endpoint supports; native: its JSON schema mode; json_object: "
    "schema beside json_object, as in llama.cpp; instruction: in the prompt"
)
REPAIRS_HELP = "How often an invalid answer is sent back"

FOLLOWED = 20
"""How many references are followed to what a field is."""


def json_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Validate a JSON Schema; raises `ValueError` in words."""
    problem = problem_of(schema)
    if problem:
        raise ValueError(problem)
    return schema


def answer_form(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Validate what an answer is to be, of type object or nothing; raises `ValueError` in words."""
    if schema is None:
        return None
    json_schema(schema)
    if schema.get("type", "object") != "object":
        raise ValueError("answers are objects: the schema has to be of type object")
    return schema


def schema_ports(schema: Mapping[str, Any] | None) -> Sequence[Port]:
    """One output for each field of a schema of type object; a field that is left out, or null, is absent."""
    found: list[Port] = []
    for name, port in ports_of_fields(schema or {}).items():
        part = _part(schema or {}, schema["properties"][name] if schema else {})
        help_text = str(part.get("description") or f"The field `{name}` of the answer")
        label = str(part.get("title") or name.replace("_", " "))
        if slug(label) in TAKEN:
            label = f"{label} (field)"
        found.append(Port(PortName(port), port_type_of(schema or {}, part), label, help_text))
    return found


def port_type_of(schema: Mapping[str, Any], part: object) -> PortType:
    """The type of a port for values of a part of `schema`; `json` where there is no closer one."""
    given = _part(schema, part)
    types: Any = given.get("type")
    listed = cast("list[Any]", types if isinstance(types, list) else [types])
    kinds = [one for one in listed if one != "null"]
    if kinds == [None]:
        enum: list[Any] = given.get("enum", [])
        is_text = bool(enum) and all(isinstance(one, str) for one in enum)
        return PortType("text" if is_text or isinstance(given.get("const"), str) else "json")
    if kinds == ["array"] and "items" in given:
        element = port_type_of(schema, given["items"])
        return PortType("json") if element.base == "json" else element.listed
    if len(kinds) == 1:
        return PortType(SCALARS.get(str(kinds[0]), "json"))
    return PortType("number" if set(kinds) == {"integer", "number"} else "json")


def _part(schema: Mapping[str, Any], part: object) -> Mapping[str, Any]:
    """What a part says, where it refers to another one or may be null beside it as well."""
    for _ in range(FOLLOWED):
        given = cast("Mapping[str, Any]", part if isinstance(part, Mapping) else {})
        forms: list[Any] = [one for one in given.get("anyOf", ()) if one != {"type": "null"}]
        if "$ref" in given:
            part = _referred(schema, str(given["$ref"]))
        elif "type" not in given and len(forms) == 1:
            part = forms[0]
        else:
            return given
    return {}


def _referred(schema: Mapping[str, Any], reference: str) -> object:
    found: object = schema
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = cast("Mapping[str, object]", found).get(name) if isinstance(found, Mapping) else None
    return found
