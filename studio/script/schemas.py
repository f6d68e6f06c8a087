"""JSON Schemas of answers, as short as people say them."""

from typing import Any


def fields(**schemas: Any) -> dict[str, Any]:
    """Give the JSON Schema of an object with just these fields: `fields(city="Where it is", size=NUMBER)`.

    It needs all of them, and may have no others. Each is given as the JSON Schema of its value; a text
    stands for that of a text which it describes.
    """
    properties = {name: _described(one) if isinstance(one, str) else one for name, one in schemas.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(schemas),
        "additionalProperties": False,
    }


def _described(text: str) -> dict[str, Any]:
    return {"type": "string", "description": text}
