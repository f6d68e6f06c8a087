import json
from collections.abc import Mapping

import pytest

from studio.building_blocks.agents.tool_loop import run_agent
from studio.llm.client import ChatRequest, Message, ToolCall
from studio.sdk import StepError, Tool, ToolError
from studio.sdk.testing import ScriptedContext


def add_tool() -> Tool:
    async def run(arguments: Mapping[str, object]) -> str:
        if arguments["a"] == 0:
            raise ToolError("Not zero.")
        return str(int(str(arguments["a"])) + 1)

    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    return Tool("add_one", "Adds one.", schema, run)


def calling(*calls: tuple[str, str]) -> Message:
    made = tuple(
        ToolCall(f"call_{number}", name, arguments) for number, (name, arguments) in enumerate(calls)
    )
    return Message("assistant", "", made)


def last_tool_texts(request: ChatRequest) -> list[str]:
    return [message.content for message in request.messages if message.role == "tool"]


async def test_an_agent_without_tools_answers_at_once() -> None:
    context = ScriptedContext(["Hello."])
    answer = await run_agent(context, prompt="Hi", instructions="Be kind.", profile="fast", temperature=0.5)
    assert answer.reply == "Hello."
    assert [message.role for message in answer.messages] == ["system", "user", "assistant"]
    assert context.profiles == ["fast"]
    assert context.requests[0].temperature == 0.5


async def test_blank_instructions_are_left_out() -> None:
    answer = await run_agent(ScriptedContext(["Hello."]), prompt="Hi", instructions="  ")
    assert [message.role for message in answer.messages] == ["user", "assistant"]


async def test_tools_answer_in_the_order_of_their_calls() -> None:
    context = ScriptedContext([calling(("add_one", '{"a": 1}'), ("add_one", '{"a": 5}')), "2 and 6"])
    answer = await run_agent(context, prompt="Add.", tools=[add_tool()])
    assert last_tool_texts(context.requests[1]) == ["2", "6"]
    ids = [message.tool_call_id for message in answer.messages if message.role == "tool"]
    assert ids == ["call_0", "call_1"]
    assert [tool.name for tool in context.requests[1].tools] == ["add_one"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("subtract", "{}", "There is no tool `subtract`. There are: add_one."),
        ("add_one", "{}", "lacks `a`"),
        ("add_one", '{"a": "one"}', "type integer"),
        ("add_one", "[]", "type object"),
        ("add_one", '{"a": 0}', "Not zero."),
        ("add_one", '{"a"', "cannot be read"),
    ],
)
async def test_a_call_that_cannot_be_run_is_answered_in_words(name: str, arguments: str, said: str) -> None:
    context = ScriptedContext([calling((name, arguments)), "I see."])
    answer = await run_agent(context, prompt="Add.", tools=[add_tool()])
    assert said in last_tool_texts(context.requests[1])[0]
    assert answer.reply == "I see."


async def test_an_agent_that_never_answers_is_stopped() -> None:
    context = ScriptedContext([calling(("add_one", '{"a": 1}'))] * 3)
    with pytest.raises(StepError, match="in its last turn"):
        await run_agent(context, prompt="Add.", tools=[add_tool()], turns=3)
    assert len(context.requests) == 3


async def test_an_answer_may_be_data() -> None:
    schema = {"type": "object", "required": ["sum"]}
    context = ScriptedContext([calling(("add_one", '{"a": 1}')), "two", json.dumps({"sum": 2})])
    answer = await run_agent(context, prompt="Add.", tools=[add_tool()], answer_schema=schema)
    assert answer.data == {"sum": 2}
    assert answer.reply == '{"sum": 2}'
    assert all(request.response_schema == schema for request in context.requests)
