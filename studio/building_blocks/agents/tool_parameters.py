"""The JSON Schema of a tool's arguments."""

from collections.abc import Mapping, Sequence


def parameters(properties: Mapping[str, object], required: Sequence[str] | None = None) -> dict[str, object]:
    """Make it of the arguments by name, all of them required unless said otherwise."""
    names = list(properties) if required is None else list(required)
    return {
        "type": "object",
        "properties": dict(properties),
        "required": names,
        "additionalProperties": False,
    }
