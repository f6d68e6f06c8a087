from collections.abc import Mapping

import pytest

from nodes.llm.agent import agent
from studio.errors import SettingsError
from studio.llm.client import Message, ToolCall
from studio.sdk import Json, Tool
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench
from studio.sdk.tool import Effect


async def look(arguments: Mapping[str, object]) -> str:
    return f"saw {arguments['at']}"


LOOK = Tool("look", "Looks.", {"type": "object", "required": ["at"]}, look)


async def test_it_uses_what_is_lent_to_it() -> None:
    call = Message("assistant", "", (ToolCall("1", "look", '{"at": "the hedge"}'),))
    context = ScriptedContext([call, lambda request: request.messages[-1].content])
    outputs = await run_bench(agent, {"prompt": "Look.", "tools": [LOOK]}, {}, context)
    assert outputs["reply"] == "saw the hedge"
    assert "data" not in outputs


async def test_what_arrives_at_a_placeholder_is_read_into_the_instructions() -> None:
    context = ScriptedContext(["ok"])
    settings = {"instructions": "Question: {{question}}"}
    await run_bench(agent, {"prompt": "draft", "question": "Why?"}, settings, context)
    assert context.requests[0].messages == (Message("system", "Question: Why?"), Message("user", "draft"))


def test_placeholders_and_schema_make_ports() -> None:
    signature = node_type_of(agent).signature(
        {"instructions": "{{question}} {{prompt}}", "answer_schema": {}}
    )
    assert [port.name for port in signature.inputs] == [
        "prompt",
        "history",
        "tools",
        "colleagues",
        "memory",
        "declared_functions",
        "question",
    ]
    assert [port.name for port in signature.outputs] == ["reply", "messages", "ended", "speaker", "data"]


def test_a_placeholder_may_not_be_called_like_a_setting() -> None:
    with pytest.raises(SettingsError):
        node_type_of(agent).signature({"instructions": "{{turns}}"})


def test_asking_costs_and_changes_nothing() -> None:
    assert node_type_of(agent).effect is Effect.PAID_READ


async def test_each_field_of_the_answer_has_an_output_of_its_own() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"bird": {"type": "string"}, "reason": {"type": "string"}, "reply": {"type": "string"}},
        "required": ["bird"],
    }
    context = ScriptedContext(["a wren", "{}", '{"bird": "wren", "reason": "song", "reply": "yes"}'])
    settings: dict[str, Json] = {"answer_schema": schema, "schema_by": "native", "repairs": 2}
    outputs = await run_bench(agent, {"prompt": "?"}, settings, context)
    assert (outputs["bird"], outputs["reason"], outputs["reply_2"]) == ("wren", "song", "yes")
    assert [one.schema_by for one in context.requests] == ["native"] * 3
    ports = node_type_of(agent).signature(settings).outputs
    fixed = ["reply", "messages", "ended", "speaker", "data"]
    assert [str(port.name) for port in ports] == [*fixed, "bird", "reason", "reply_2"]
    assert len({port.label for port in ports}) == len(ports)
