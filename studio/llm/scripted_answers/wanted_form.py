"""What form a chat request wants its answer in: JSON of a schema, a call of a tool, or words."""

import json
from collections.abc import Mapping
from typing import cast

from studio.llm.endpoints.answer_form import INSTRUCTION
from studio.llm.scripted_answers.request import ScriptRequest

Body = Mapping[str, object]


def schema_wanted(request: ScriptRequest, body: Body) -> Body | None:
    """Give the schema of the answer, be it asked for by the endpoint's own means or in words."""
    form = _mapping(body.get("response_format"))
    schema = _mapping(_mapping(form.get("json_schema")).get("schema")) or _mapping(form.get("schema"))
    if schema:
        return schema
    _, asked, rest = request.system.partition(INSTRUCTION)
    if not asked:
        return None
    try:
        plain, _ = json.JSONDecoder().raw_decode(rest.lstrip())
    except ValueError:
        return None
    return _mapping(plain)


def tools_offered(body: Body) -> dict[str, Body]:
    """Give the functions that may be called, by name; none where the request forbids to call any."""
    offered = body.get("tools") if body.get("tool_choice") != "none" else None
    functions = [
        _mapping(_mapping(tool).get("function"))
        for tool in (cast("list[object]", offered) if isinstance(offered, list) else ())
    ]
    return {str(one.get("name", "")): one for one in functions}


def must_call(body: Body) -> bool:
    """Whether the answer has to call a tool."""
    choice = body.get("tool_choice")
    return choice == "required" or bool(tool_named(body))


def tool_named(body: Body) -> str:
    """Name the one tool that has to be called; empty where none is named."""
    return str(_mapping(_mapping(body.get("tool_choice")).get("function")).get("name", ""))


def _mapping(value: object) -> Body:
    return cast("Body", value) if isinstance(value, Mapping) else {}
