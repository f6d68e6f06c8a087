"""Tools that are only declared: an agent may call them, and nothing is executed."""

from collections.abc import Mapping
from typing import cast

from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.llm.wire_names import sendable_name
from studio.sdk import Json, StepError, Tool

RECORDED = "The call was recorded. Nothing was executed."

TYPES = {"dict": "object", "hashmap": "object", "float": "number", "double": "number", "tuple": "array"}
"""Types as the Berkeley Function Calling Leaderboard writes them, and as JSON Schema does."""

ANYTHING = ("any", "Any")


def declared_tools(functions: Json) -> list[Tool]:
    """Make tools of `name`, `description` and `parameters`, or of these under `function`; raises `StepError`.

    Names are made such as endpoints take them: `math.factorial` is called `math_factorial`.
    """
    if functions is None:
        return []
    if not is_list(functions) or not all(is_object(one) for one in functions):
        raise StepError(
            "`declared_functions` is not a list of objects.", hint="Pass `name`, `description`, `parameters`."
        )
    tools = [_tool(cast("Mapping[str, Json]", one)) for one in functions]
    names = [one.name for one in tools]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise StepError(f"Two of the functions are called `{name}`.")
    return tools


def _tool(plain: Mapping[str, Json]) -> Tool:
    inner = plain.get("function")
    own = inner if is_object(inner) else plain
    name = own.get("name")
    if not isinstance(name, str) or not name:
        raise StepError("A function has no `name`.")
    parameters = own.get("parameters") or {}
    if not is_object(parameters):
        raise StepError(f"The `parameters` of `{name}` are not an object.")
    made = cast("dict[str, object]", json_schema(parameters))
    schema: dict[str, object] = {"type": "object", "properties": dict[str, object](), **made}

    async def record(_: Mapping[str, object]) -> str:
        """Say that it was called, which the trace has."""
        return RECORDED

    return Tool(sendable_name(name), str(own.get("description") or name), schema, record)


def json_schema(plain: Json) -> Json:
    """Write a schema with the types of JSON Schema, all the way down; names of properties stay."""
    if is_list(plain):
        return [json_schema(one) for one in plain]
    if not is_object(plain):
        return plain
    made: dict[str, Json] = {}
    for key, value in plain.items():
        if key == "type" and isinstance(value, str):
            if value not in ANYTHING:
                made[key] = TYPES.get(value.lower(), value)
        elif key == "properties" and is_object(value):
            made[key] = {name: json_schema(one) for name, one in value.items()}
        elif key in {"default", "enum", "const", "examples", "required"}:
            made[key] = value
        else:
            made[key] = json_schema(value)
    return made
