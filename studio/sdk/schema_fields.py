"""The fields of an answer as outputs of their own, by the names of their ports."""

from collections.abc import Mapping
from typing import Any, cast

from studio.ids import slug

TAKEN = (
    *("after", "then", "error", "reply", "messages", "data", "samples", "ended", "speaker", "fields"),
    *("token_confidence", "token_confidences", "log_probabilities"),
)
"""What outputs of chats and agents are called anyway."""


def ports_of_fields(schema: Mapping[str, Any]) -> dict[str, str]:
    """The port of each field of a schema; a name that has another meaning there gets a number."""
    ports: dict[str, str] = {}
    fields: Mapping[str, Any] = schema.get("properties") or {}
    for name in fields:
        ports[name] = slug(name, (*TAKEN, *ports.values()))
    return ports


def fields_of(data: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """What each field has, by port; None for one that is left out."""
    held = cast("Mapping[str, Any]", data if isinstance(data, Mapping) else {})
    return {port: held.get(name) for name, port in ports_of_fields(schema).items()}
