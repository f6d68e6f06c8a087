from nodes.llm.chat import chat
from studio.llm.client import Message
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench


async def test_instructions_history_and_prompt_stand_in_this_order() -> None:
    context = ScriptedContext(["A dunnock."])
    history = [Message("user", "Hello"), Message("assistant", "Hello!")]
    outputs = await run_bench(
        chat,
        {"prompt": "What sang?", "history": history, "topic": "birds"},
        {"instructions": "About {{topic}}.", "temperature": 0.2, "max_tokens": 50, "profile": "fast"},
        context,
    )
    request = context.requests[0]
    assert [message.content for message in request.messages] == [
        "About birds.",
        "Hello",
        "Hello!",
        "What sang?",
    ]
    assert (request.temperature, request.max_tokens, request.tools) == (0.2, 50, ())
    assert context.profiles == ["fast"]
    assert outputs["reply"] == "A dunnock."
    assert outputs["messages"] == [*request.messages, Message("assistant", "A dunnock.")]


async def test_an_answer_with_a_schema_leaves_parsed() -> None:
    schema = {"type": "object", "properties": {"bird": {"type": "string"}}, "required": ["bird"]}
    context = ScriptedContext(["A wren", '{"bird": "wren"}'])
    outputs = await run_bench(chat, {"prompt": "?"}, {"answer_schema": schema}, context)
    assert outputs["data"] == {"bird": "wren"}
    assert outputs["reply"] == '{"bird": "wren"}'
    assert len(context.requests) == 2


def test_only_a_schema_brings_the_output_for_data() -> None:
    found = node_type_of(chat)
    assert [port.name for port in found.signature({}).outputs] == ["reply", "messages"]
    assert [port.name for port in found.signature({"answer_schema": {}}).outputs][-1] == "data"


async def test_the_prompt_may_stand_in_the_instructions() -> None:
    context = ScriptedContext(["ok"])
    settings = {"instructions": "You were asked: {{prompt}}"}
    assert [port.name for port in node_type_of(chat).signature(settings).inputs] == ["prompt", "history"]
    await run_bench(chat, {"prompt": "Why?"}, settings, context)
    assert context.requests[0].messages[0].content == "You were asked: Why?"
