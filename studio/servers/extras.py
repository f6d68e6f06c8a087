"""What servers have beside tools, resources and prompts, said as tools."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from studio.errors import ToolError
from studio.servers.answers import part_of
from studio.servers.records import ServedTool

PREFIX = "server."
"""Begins the names of tools that are made of what a server has beside them."""

LIST = "server.list_resources"
READ = "server.read_resource"
PROMPT = "server.get_prompt"

TEXT: Mapping[str, object] = {"type": "string"}


def extras_of(client: Any) -> list[ServedTool]:
    """The tools that are made of what a server says that it has."""
    has = client.server_capabilities
    found: list[ServedTool] = []
    if has.resources is not None:
        found += [
            ServedTool(LIST, "Name the resources of the server, with their addresses.", taking(()), True),
            ServedTool(READ, "Read a resource of the server.", taking(("uri",), uri=TEXT), True),
        ]
    if has.prompts is not None:
        arguments = {"type": "object", "additionalProperties": TEXT}
        told = "Get a prompt of the server, filled with arguments; without a name, the list of them."
        found.append(ServedTool(PROMPT, told, taking((), name=TEXT, arguments=arguments), True))
    return found


def taking(required: Sequence[str], **properties: object) -> dict[str, object]:
    """Make a JSON Schema of arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}


async def answer_of(client: Any, tool: str, arguments: Mapping[str, object]) -> str:
    """Do what such a tool says; raises `ToolError` for one that there is not."""
    if tool == LIST:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        named = [(one.uri, one) for one in resources] + [(one.uri_template, one) for one in templates]
        lines = [f"{uri} {one.name}: {one.description or ''}".rstrip(": ") for uri, one in named]
        return "\n".join(lines) or "There are no resources."
    if tool == READ:
        read = await client.read_resource(str(arguments["uri"]))
        return "\n".join(
            getattr(one, "text", None) or f"[{one.mime_type or 'data'}: {one.uri}]" for one in read.contents
        )
    if tool == PROMPT and not arguments.get("name"):
        prompts = (await client.list_prompts()).prompts
        return json.dumps([described(one) for one in prompts], ensure_ascii=False)
    if tool == PROMPT:
        filled = await client.get_prompt(str(arguments["name"]), arguments.get("arguments"))
        return "\n\n".join(f"{one.role}: {part_of(one.content)}" for one in filled.messages)
    raise ToolError(f"There is no tool `{tool}`.")


def described(prompt: Any) -> dict[str, object]:
    """What has to be known of a prompt to get it."""
    arguments = [one.name for one in prompt.arguments or ()]
    return {"name": prompt.name, "description": prompt.description or "", "arguments": arguments}
