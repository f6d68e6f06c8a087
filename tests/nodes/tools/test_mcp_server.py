"""A server of tools as a node, and in a script."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from nodes.tools.mcp_server import mcp_server, told_apart
from studio.errors import StepError
from studio.flow.records import Node
from studio.llm.client import ToolCall
from studio.sdk import Reach, ServedTool, ServerAddress, ServerCommand, Tool
from studio.sdk.doubles import MemoryServer
from studio.sdk.testing import ScriptedContext, call_tools
from studio.sdk.tool import Effect
from studio.servers.connection import McpServers
from studio.workspace.catalog import builtin_registry
from tests.export.equality import Row, both
from tests.runtime.bench import flow_of
from tests.servers.running import ENVIRON, PLAIN, Allowed, Person


async def answer(arguments: Any) -> str:
    return json.dumps(arguments)


FEED = Tool("feed/now.please", "Feed them.", {"type": "object"}, answer)


async def lent(context: ScriptedContext, **settings: Any) -> list[Tool]:
    async for tools in mcp_server(context, **{"command": "birds", **settings}):
        return list(tools)
    raise AssertionError


async def test_names_are_such_as_endpoints_take() -> None:
    context = ScriptedContext(served=[FEED])
    [tool] = await lent(context, prefix="my ")
    assert tool.name == "my_feed_now_please"
    assert (tool.description, tool.parameters, tool.effect) == (
        "Feed them.",
        {"type": "object"},
        Effect.SIDE_EFFECT,
    )
    assert await tool.run({"a": 1}) == '{"a": 1}'


async def test_names_that_become_the_same_are_told_apart_and_one_name_twice_is_lent_once() -> None:
    names = ("a b", "twice", "a.b", "a_b_2", "a_b", "twice", "x" * 64, "x" * 70)
    context = ScriptedContext(served=[replace(FEED, name=one, description=one) for one in names])
    tools = {tool.name: tool.description for tool in await lent(context)}
    assert tools == {
        "a_b_3": "a b",
        "twice": "twice",
        "a_b_4": "a.b",
        "a_b_2": "a_b_2",
        "a_b": "a_b",
        "x" * 64: "x" * 64,
        f"{'x' * 62}_2": "x" * 70,
    }
    said = "\n".join(context.lines)
    assert "`a.b` is called `a_b_4` here" in said
    same = ServedTool("twice", "", {})
    assert [name for name, _ in told_apart([same, replace(same)], "", context)] == ["twice"]
    assert "two tools named `twice`" in context.lines[-1]
    chosen = ScriptedContext(served=[replace(FEED, name=one) for one in names])
    assert [tool.name for tool in await lent(chosen, only=("a b",))] == ["a_b"]


async def test_a_tool_that_only_reads_may_be_asked_again() -> None:
    class Reading(MemoryServer):
        async def tools(self) -> list[ServedTool]:
            return [ServedTool("count", "", {}, only_reads=True)]

    with patch("studio.sdk.testing.MemoryServer", Reading):
        [tool] = await lent(ScriptedContext())
    assert tool.effect is Effect.PAID_READ


async def test_resources_and_prompts_are_lent_where_that_is_wanted() -> None:
    context = ScriptedContext(served=[FEED, replace(FEED, name="server.read_resource")])
    assert [tool.name for tool in await lent(context)] == ["feed_now_please"]
    assert [tool.name for tool in await lent(context, resources=True)][1:] == ["server_read_resource"]


async def test_an_address_reaches_its_own_host_alone() -> None:
    context = ScriptedContext(served=[FEED])
    await lent(context, over="address", url="https://a.example:8443/mcp", keys=("X-Key: {KEY}",))
    assert context.servers == [
        ServerAddress("https://a.example:8443/mcp", Reach(("a.example:8443",)), (("X-Key", "{KEY}"),))
    ]


async def test_a_command_is_taken_apart_and_never_run_by_a_shell() -> None:
    context = ScriptedContext(served=[FEED])
    await lent(context, command="npx -y 'a b'; rm x", variables=("KEY",), folder="data")
    assert context.servers == [ServerCommand(("npx", "-y", "a b;", "rm", "x"), ("KEY",), "data")]
    with pytest.raises(StepError, match="no command"):
        await lent(context, command=" ")


def test_wrong_settings_are_problems() -> None:
    def problem(**settings: Any) -> str:
        return " ".join(builtin_registry().problems(Node(kind="tools.mcp_server", settings=settings)))

    assert "quotation" in problem(command="a 'b")
    assert "not a variable name" in problem(variables=["KEY=value"])
    assert "not a header" in problem(keys=["Authorization"])
    assert problem(command="a b") == ""


FLOW = flow_of(
    {
        "call": ("control.call_tool", {"tool_name": "count"}, {"arguments": {"bird": "wren"}}),
        "birds": ("tools.mcp_server", {"command": " ".join(PLAIN.command), "variables": ["BIRD_KEY"]}),
        "out": "io.flow_output",
    },
    ["birds.tool -> call.tool[0]", "call.text -> out.value"],
)


@pytest.mark.process
@pytest.mark.timeout(120)
def test_a_script_asks_the_same_server(tmp_path: Path) -> None:
    servers = McpServers(tmp_path, ENVIRON)
    ran = both(
        Row(FLOW),
        tmp_path,
        run=asyncio.run,
        servers=servers,
        grants=Allowed(),
        make_people=lambda: Person({"allow": True}),
    )
    assert ran.outputs == {"out": "2 wrens"}


async def test_calls_go_to_the_tool_of_that_name() -> None:
    context = ScriptedContext(served=[FEED])
    [said] = await call_tools(
        mcp_server, {"command": "birds"}, [ToolCall("1", "feed_now_please", '{"n": 2}')], context
    )
    assert said == '{"n": 2}'
