"""Agents for tests of nodes, and examples of help pages, which may lend them: beside `sdk/testing.py`.

Agents that are lent to a node have their turns by `agents/turns.py`, which stands above the bench.
"""

import json
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from studio.building_blocks.agents.turns import take_turn
from studio.errors import ToolError
from studio.ids import PortName
from studio.llm.client import ToolCall
from studio.sdk.agent import Agent, Said, Turn
from studio.sdk.code import CodeBox
from studio.sdk.context import Context
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.node import NodeType
from studio.sdk.testing import ScriptedContext, call_tools, example_of, open_binding, run_bench, word_memory
from studio.sdk.tool import Tool
from studio.sdk.values import from_plain, to_plain

_NOTE, _QUERY = TypeAdapter(Note), TypeAdapter(Query)


def lent_agent(context: Context, name: str, instructions: str = "", description: str = "") -> Agent:
    """An agent for tests, without tools and memories, which asks the language model of `context`."""
    one = Agent(name, description, instructions)

    async def work(turn: Turn) -> Said:
        return await take_turn(context, one, turn)

    return replace(one, work=work)


async def run_example(node_type: NodeType, box: CodeBox | None = None) -> dict[str, object]:
    """Do what the help page's example says; gives the outputs as plain JSON."""
    example = example_of(node_type)
    context = ScriptedContext(
        example.chat,
        example.answers,
        example.files,
        example.variables,
        box=box,
        web=example.web,
        served=[_lent_tool(one) for one in example.served],
    )
    if node_type.form == "binding" and node_type.outputs[0].type.base == "agent":
        async with aclosing(open_binding(node_type, example.settings, context)) as lending:
            agent: Agent = await anext(lending)
            return {"agent": agent.name}
    if node_type.form == "binding" and node_type.outputs[0].type.base == "memory":
        async with aclosing(open_binding(node_type, example.settings, context)) as lending:
            memory: Memory = await anext(lending)
            await memory.remember(context, [_NOTE.validate_python(one) for one in example.remember])
            found = await memory.recall(context, _QUERY.validate_python(example.recall))
            return {"memory": [one.item.text for one in found]}
    if node_type.form == "binding":
        calls = [
            ToolCall(f"call_{number}", str(call["tool"]), json.dumps(call["arguments"]))
            for number, call in enumerate(example.calls, 1)
        ]
        inputs = {name: [_lent_tool(one) for one in tools] for name, tools in example.lent.items()}
        texts = await call_tools(node_type, example.settings, calls, context, inputs)
        return {port.name: [_json_or_text(text) for text in texts] for port in node_type.outputs}
    ports = {port.name: port.type for port in node_type.signature(example.settings).inputs}
    given = {name: from_plain(plain, ports[PortName(name)]) for name, plain in example.inputs.items()}
    lent: dict[str, Any] = {name: [_lent_tool(one) for one in tools] for name, tools in example.lent.items()}
    for name, notes in example.memories.items():
        memory = word_memory(name)
        await memory.remember(context, [_NOTE.validate_python(one) for one in notes])
        lent[name] = [memory]
    if example.agents:
        lent["agents"] = [lent_agent(context, **one) for one in example.agents]
    many = {port.name: port.many for port in node_type.inputs}
    lent = {name: things if many[PortName(name)] else things[0] for name, things in lent.items()}
    outputs = await run_bench(node_type, {**given, **lent}, example.settings, context)
    return {name: to_plain(value) for name, value in outputs.items()}


def _lent_tool(said: Mapping[str, str]) -> Tool:
    async def run(arguments: Mapping[str, object]) -> str:
        """Say what the example says."""
        del arguments
        if "fails" in said:
            raise ToolError(said["fails"])
        return said["answers"]

    name = said["argument"]
    parameters = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    return Tool(said["name"], "", parameters, run)


def _json_or_text(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
