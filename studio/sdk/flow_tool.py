"""What an agent is told of a flow that it may call: its name, what it takes, what it does to the world."""

from collections.abc import Mapping

from studio.flow.ports import PortType
from studio.flow.records import Flow
from studio.flow.subflows.calls import call_signature, is_required_input, reachable
from studio.ids import slug
from studio.sdk.ports import Json
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect, strongest

MESSAGE: Mapping[str, object] = {
    "type": "object",
    "properties": {"role": {"enum": ["system", "user", "assistant"]}, "content": {"type": "string"}},
    "required": ["role", "content"],
}
SCHEMAS: Mapping[str, Mapping[str, object]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "message": MESSAGE,
    "messages": {"type": "array", "items": MESSAGE},
    "file": {"type": "string", "description": "The path of a file in the project"},
    "image": {"type": "string", "description": "The path of an image in the project"},
}
"""Of the types of values; any JSON fits the others."""


def tool_name(flow: Flow, file: str) -> str:
    """What a flow is called as a tool."""
    return str(slug(flow.name or file.removesuffix(".json")))


def tool_description(flow: Flow, file: str) -> str:
    """What an agent is told that a flow does."""
    return flow.description.strip() or f"Run the flow “{flow.name or file}”."


def flow_parameters(flow: Flow, registry: Registry) -> dict[str, object]:
    """What a flow takes, as a JSON Schema of type object: its inputs, from the top."""
    properties: dict[str, object] = {}
    required: list[str] = []
    for port in call_signature(flow, registry).inputs:
        node = next(node for node in flow.nodes if node == port.name)
        settings = flow.nodes[node].settings
        schema: dict[str, object] = {**schema_of(port.type)}
        said = [part for part in (port.label, port.help, schema.get("description")) if part]
        schema["description"] = ". ".join(str(part).rstrip(".") for part in said)
        example: Json = settings.get("example")
        if example is not None:
            schema["examples"] = [example]
        if is_required_input(flow.nodes[node]):
            required.append(port.name)
        else:
            schema["default"] = settings.get("default")
        properties[port.name] = schema
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def schema_of(kind: PortType) -> Mapping[str, object]:
    """The JSON Schema of the values of a type."""
    if kind.depth:
        return {"type": "array", "items": schema_of(kind.element)}
    return SCHEMAS.get(kind.base, {})


def flow_effect(flow: Flow, registry: Registry) -> Effect:
    """The most that any node of a flow, or of the flows that it comes to, does to the world."""
    kinds = (
        registry.get(node.kind)
        for one in (flow, *reachable(flow, registry).values())
        for node in one.nodes.values()
        if node.run.state not in {"muted", "bypassed"}
    )
    return strongest(*(kind.effect for kind in kinds if kind is not None))
