from dataclasses import replace
from math import log

import pytest

from nodes.llm.chat import chat
from studio.errors import SettingsError
from studio.llm.client import ChatAnswer, ChatRequest, Message, ToolCall
from studio.llm.log_probabilities import TokenChance
from studio.sdk import Json
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
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"bird": {"type": "string"}},
        "required": ["bird"],
    }
    context = ScriptedContext(["A wren", '{"bird": "wren"}'])
    outputs = await run_bench(chat, {"prompt": "?"}, {"answer_schema": schema}, context)
    assert outputs["data"] == {"bird": "wren"}
    assert outputs["reply"] == '{"bird": "wren"}'
    assert len(context.requests) == 2


async def test_each_field_of_the_answer_has_an_output_of_its_own() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"bird": {"type": "string"}, "seen": {"type": "integer"}, "reply": {"type": "boolean"}},
        "required": ["bird"],
    }
    ports = node_type_of(chat).signature({"answer_schema": schema}).outputs
    assert [(str(port.name), str(port.type)) for port in ports] == [
        ("reply", "text"),
        ("messages", "messages"),
        ("data", "json"),
        ("bird", "text"),
        ("seen", "number"),
        ("reply_2", "flag"),
    ]
    context = ScriptedContext(['{"bird": "wren", "reply": true}'])
    outputs = await run_bench(chat, {"prompt": "?"}, {"answer_schema": schema}, context)
    assert (outputs["bird"], outputs["reply_2"]) == ("wren", True)
    assert "seen" not in outputs


async def test_how_fields_are_asked_for_and_how_often_is_a_setting() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"bird": {"type": "string"}},
        "required": ["bird"],
    }
    settings: dict[str, Json] = {"answer_schema": schema, "schema_by": "instruction", "repairs": 2}
    context = ScriptedContext(["a wren", "{}", '{"bird": "wren"}'])
    outputs = await run_bench(chat, {"prompt": "?"}, settings, context)
    assert outputs["bird"] == "wren"
    assert [one.schema_by for one in context.requests] == ["instruction"] * 3


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array"}, "of type object"),
        ({"type": "object", "properties": {"a": {"type": "bird"}}}, "`properties.a.type` of the schema"),
        ({"$ref": "https://example.org/a"}, "nothing is fetched"),
    ],
)
def test_what_is_no_form_of_an_answer_is_said(schema: dict[str, Json], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        node_type_of(chat).signature({"answer_schema": schema})
    assert said in " ".join(refused.value.details)


def test_only_a_schema_brings_the_output_for_data() -> None:
    found = node_type_of(chat)
    assert [port.name for port in found.signature({}).outputs] == ["reply", "messages"]
    assert [port.name for port in found.signature({"answer_schema": {}}).outputs][-1] == "data"


async def test_several_answers_come_from_a_call_for_each_or_from_one() -> None:
    apart = ScriptedContext(["wren", "owl", "tit"])
    outputs = await run_bench(chat, {"prompt": "?"}, {"sampling": "a call for each"}, apart)
    assert outputs["samples"] == ["wren", "owl", "tit"]
    assert outputs["reply"] == "wren"
    assert [request.samples for request in apart.requests] == [1, 1, 1]
    together = ScriptedContext(["wren", "owl", "tit"])
    assert await run_bench(chat, {"prompt": "?"}, {"sampling": "one call for all"}, together) == outputs
    assert [request.samples for request in together.requests] == [3]


async def test_an_endpoint_that_gives_fewer_samples_is_asked_for_the_rest() -> None:
    class Sparing(ScriptedContext):
        async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
            answer = await super().chat(replace(request, samples=min(request.samples, 2)), profile=profile)
            self.requests[-1] = request
            return answer

    context = Sparing(["wren", "owl", "tit", "jay", "crow"])
    settings: dict[str, Json] = {"sampling": "one call for all", "samples": 5}
    outputs = await run_bench(chat, {"prompt": "?"}, settings, context)
    assert outputs["samples"] == ["wren", "owl", "tit", "jay", "crow"]
    assert [request.samples for request in context.requests] == [5, 3, 1]


async def test_each_sample_that_does_not_fit_is_sent_back() -> None:
    schema: dict[str, Json] = {"type": "object", "required": ["bird"]}
    context = ScriptedContext(['{"bird": "wren"}', "an owl", '{"bird": "owl"}'])
    settings: dict[str, Json] = {"sampling": "one call for all", "samples": 2, "answer_schema": schema}
    outputs = await run_bench(chat, {"prompt": "?"}, settings, context)
    assert outputs["samples"] == [{"bird": "wren"}, {"bird": "owl"}]
    assert outputs["data"] == {"bird": "wren"}


def test_only_several_answers_bring_the_output_for_them() -> None:
    ports = node_type_of(chat).signature({"sampling": "one call for all"}).outputs
    assert [str(port.type) for port in ports if port.name == "samples"] == ["text[]"]
    ports = node_type_of(chat).signature({"sampling": "a call for each", "answer_schema": {}}).outputs
    assert [str(port.type) for port in ports if port.name == "samples"] == ["json[]"]


async def test_the_prompt_may_stand_in_the_instructions() -> None:
    context = ScriptedContext(["ok"])
    settings = {"instructions": "You were asked: {{prompt}}"}
    assert [port.name for port in node_type_of(chat).signature(settings).inputs] == [
        "prompt",
        "history",
        "images",
    ]
    await run_bench(chat, {"prompt": "Why?"}, settings, context)
    assert context.requests[0].messages[0].content == "You were asked: Why?"


async def test_what_an_agent_said_before_is_asked_about_in_an_order_that_every_endpoint_takes() -> None:
    context = ScriptedContext(["Two."])
    call = ToolCall("1", "look", "{}")
    history = [
        Message("system", "You look."),
        Message("user", "Look."),
        Message("assistant", "", (call,)),
        Message("tool", "two owls", tool_call_id="1"),
        Message("assistant", ""),
    ]
    await run_bench(chat, {"prompt": "How many?", "history": history}, {"instructions": "Count."}, context)
    request = context.requests[0]
    assert [message.role for message in request.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert request.messages[0].content == "Count."
    assert [tool.name for tool in request.tools] == ["look"]
    assert not request.may_call


SURE = (TokenChance("a ", log(0.25), (("an ", log(0.5)),)), TokenChance("wren", 0.0))


class Telling(ScriptedContext):
    """A context whose endpoint tells how likely each token was."""

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        answer = await super().chat(request, profile=profile)
        return replace(answer, tokens=(SURE,) * (1 + len(answer.others)))


async def test_log_probabilities_bring_how_sure_the_model_was_of_its_tokens() -> None:
    outputs = await run_bench(chat, {"prompt": "?"}, {"log_probabilities": 1}, Telling(["a wren"]))
    assert outputs["token_confidence"] == pytest.approx(0.5)
    first, second = outputs["log_probabilities"]
    assert first == {
        "token": "a ",
        "log_probability": log(0.25),
        "others": [{"token": "an ", "log_probability": log(0.5)}],
    }
    assert (second["token"], second["log_probability"]) == ("wren", 0.0)


@pytest.mark.parametrize("sampling", ["a call for each", "one call for all"])
async def test_each_sample_has_a_confidence_of_its_own(sampling: str) -> None:
    settings: dict[str, Json] = {"sampling": sampling, "samples": 2, "log_probabilities": 0}
    outputs = await run_bench(chat, {"prompt": "?"}, settings, Telling(["a wren", "an owl"]))
    assert outputs["token_confidences"] == [pytest.approx(0.5)] * 2


async def test_an_endpoint_that_tells_none_gives_no_confidence_and_the_log_says_so() -> None:
    context = ScriptedContext(["a wren"])
    outputs = await run_bench(chat, {"prompt": "?"}, {"log_probabilities": 0}, context)
    assert outputs["reply"] == "a wren"
    assert {"token_confidence", "log_probabilities"}.isdisjoint(outputs)
    assert context.lines == ["The endpoint sent no log-probabilities."]


async def test_an_answer_that_was_sent_back_has_no_confidence() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"bird": {"type": "string"}},
        "required": ["bird"],
    }
    settings: dict[str, Json] = {"answer_schema": schema, "log_probabilities": 0}
    repaired = await run_bench(chat, {"prompt": "?"}, settings, Telling(["a wren", '{"bird": "wren"}']))
    assert repaired["bird"] == "wren"
    assert "token_confidence" not in repaired
    assert "token_confidence" in await run_bench(
        chat, {"prompt": "?"}, settings, Telling(['{"bird": "wren"}'])
    )


async def test_the_beginning_of_the_reply_may_have_inputs() -> None:
    context = ScriptedContext(["It is a wren"])
    inputs = {"prompt": "?", "who": "It"}
    await run_bench(chat, inputs, {"begins_with": "{{who}} is", "effort": "high"}, context)
    assert (context.requests[0].prefix, context.requests[0].effort) == ("It is", "high")
    assert [str(one.name) for one in node_type_of(chat).signature({"begins_with": "{{who}} is"}).inputs][
        -1
    ] == "who"
