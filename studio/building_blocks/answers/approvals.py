"""Approvals as forms: something is shown, and a person lets it pass, changes it, or rejects it."""

import json
from collections.abc import Mapping
from typing import Any

TYPES = {
    "str": "string",
    "bool": "boolean",
    "int": "number",
    "float": "number",
    "dict": "object",
    "list": "array",
}
"""What values of a Python type are called in a JSON Schema; a whole number may be edited into another."""


def approval_form(
    value: Any, part: Mapping[str, Any] | None, *, may_edit: bool, needs_reason: bool
) -> dict[str, Any]:
    """Make the form; `part` is what an edited value has to be, of the type that it has by default."""
    words = {"approve": "Approve", "edit": "Edit", "reject": "Reject"}
    choices = [{"const": one, "title": said} for one, said in words.items() if one != "edit" or may_edit]
    fields: dict[str, Any] = {"decision": {"title": "Decision", "oneOf": choices}}
    rules: list[Any] = []
    if may_edit:
        kind = TYPES.get(type(value).__name__)
        wanted = dict(part or ({"type": kind} if kind else {}))
        fields["value"] = {"title": "Edited", **wanted, "default": value}
        rules.append(rule_of("edit", {"required": ["value"]}))
    fields["reason"] = {"type": "string", "title": "Reason"}
    if needs_reason:
        reason = {"required": ["reason"], "properties": {"reason": {"minLength": 1}}}
        rules.append(rule_of("reject", reason))
    form: dict[str, Any] = {"type": "object", "properties": fields, "required": ["decision"]}
    return form | {"allOf": rules, "approval": {"value": value}}


def rule_of(decision: str, then: Mapping[str, Any]) -> dict[str, Any]:
    """Say what else has to be answered with a decision."""
    decided = {"properties": {"decision": {"const": decision}}, "required": ["decision"]}
    return {"if": decided, "then": dict(then)}


def fields_of(decision: object, schema: Mapping[str, Any]) -> list[str]:
    """Name the fields that are asked after a decision, the necessary ones."""
    rules: list[Any] = schema.get("allOf", [])
    needed = [one["then"]["required"] for one in rules if one == rule_of(str(decision), one["then"])]
    return [name for names in needed for name in names]


def shown(value: Any) -> str:
    """Give a value as a text that can be read, and read again."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
