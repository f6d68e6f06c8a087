"""A JSON Schema of type object as rows of a table, and rows as a schema; what a row can't say is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from studio.ids import PortName
from studio.sdk.schema_fields import ports_of_fields

KINDS: Mapping[str, str] = {
    "text": "string",
    "number": "number",
    "whole number": "integer",
    "yes or no": "boolean",
    "choice": "string",
    "object": "object",
    "anything": "",
}
"""What a field may be, and the type of that in JSON Schema."""

OTHER = "other"
"""A field that says more than a row can; it is kept as it is, and edited as JSON."""

SAID = frozenset({"type", "description", "enum", "items", "properties", "required"})


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """One field: what it is called, what it is, whether it is a list of these, and what must be there."""

    name: str = ""
    kind: str = "text"
    is_list: bool = False
    is_required: bool = True
    description: str = ""
    choices: tuple[str, ...] = ()
    rows: tuple["SchemaRow", ...] = ()
    """The fields of an object."""
    kept: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the field says beside that; with the kind `other`, all of it."""
    inner: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the entries of a list, or the object, say beside that."""


def rows_of(schema: object) -> tuple[SchemaRow, ...] | None:
    """The fields of a schema as rows; None for one that is no object of fields."""
    if schema is None or schema == {}:
        return ()
    given = _mapping(schema)
    fields = given.get("properties", {})
    if not given or given.get("type", "object") != "object" or not isinstance(fields, Mapping):
        return None
    required = given.get("required", ())
    listed = cast("Sequence[object]", required) if isinstance(required, list | tuple) else ()
    return tuple(
        _row(name, part, is_required=name in listed)
        for name, part in cast("Mapping[str, object]", fields).items()
    )


def schema_of(rows: Sequence[SchemaRow], before: object = None) -> dict[str, Any]:
    """The schema that rows say; what `before` says beside its fields stays."""
    made: dict[str, Any] = {"type": "object", **_mapping(before)}
    made["properties"] = {row.name: part_of(row) for row in rows}
    required = [row.name for row in rows if row.is_required]
    kept = [
        name
        for name in _names(made.get("required"))
        if name not in _names(_mapping(before).get("properties"))
    ]
    made.pop("required", None)
    if required or kept:
        made["required"] = [*required, *kept]
    return made


def part_of(row: SchemaRow) -> Any:
    """What a schema says of one field."""
    if row.kind == OTHER:
        return row.kept.get("", dict(row.kept))
    made: dict[str, Any] = {}
    if KINDS[row.kind]:
        made["type"] = KINDS[row.kind]
    if row.kind == "choice":
        made["enum"] = list(row.choices)
    if row.kind == "object":
        made = schema_of(row.rows, made)
    told = {"description": row.description} if row.description else {}
    if row.is_list:
        return {"type": "array", **told, "items": {**made, **row.inner}, **row.kept}
    return {**made, **told, **row.inner, **row.kept}


def complaint(rows: Sequence[SchemaRow]) -> str:
    """Say why rows are no schema yet; empty when they are."""
    names = [row.name for row in rows]
    for row in rows:
        if not row.name.strip():
            return "A field needs a name."
        if names.count(row.name) > 1:
            return f"Two fields are named `{row.name}`."
        if row.kind == "choice" and not row.choices:
            return f"List the values `{row.name}` can have, separated by commas."
        if row.kind == "object" and (inner := complaint(row.rows)):
            return inner
    return ""


def renamed_ports(before: object, after: object) -> dict[PortName, PortName]:
    """The output of a field that was given another name, and what it is now; empty where none was."""
    old, new = (ports_of_fields(_mapping(one)) for one in (before, after))
    pairs = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
    if len(old) != len(new) or len(pairs) != 1 or pairs[0][0] in new:
        return {}
    ((one, other),) = pairs
    return {PortName(old[one]): PortName(new[other])}


def _row(name: str, part: object, *, is_required: bool) -> SchemaRow:
    other = SchemaRow(name, OTHER, is_required=is_required, kept=_kept(part))
    given = _mapping(part)
    is_list = given.get("type") == "array" and isinstance(given.get("items"), Mapping)
    inner = _mapping(given["items"]) if is_list else given
    kind = _kind(inner)
    rows = rows_of(inner) if kind == "object" else ()
    if kind == OTHER or rows is None or (not given and part != {}):
        return other
    made = SchemaRow(
        name,
        kind,
        is_list=is_list,
        is_required=is_required,
        description=str(given.get("description", "")),
        choices=tuple(inner.get("enum", ())),
        rows=rows,
        kept={key: one for key, one in given.items() if is_list and key not in SAID},
        inner={
            key: one for key, one in inner.items() if key not in SAID or (is_list and key == "description")
        },
    )
    return made if part_of(made) == part else other


def _kind(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        is_text = all(isinstance(one, str) for one in _names(part["enum"]))
        return "choice" if is_text and part.get("type") == "string" and part["enum"] else OTHER
    type_ = part.get("type", "")
    if not type_:
        return "anything" if set(part) <= {"description", "title", "default"} else OTHER
    found = [kind for kind, name in KINDS.items() if name == type_ and kind != "choice"]
    return found[0] if found else OTHER


def _kept(part: object) -> Mapping[str, Any]:
    return {"": part} if isinstance(part, bool) else _mapping(part)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _names(value: object) -> list[Any]:
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple | Mapping) else []
