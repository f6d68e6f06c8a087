"""What of a request goes over the wire, and under which names."""

from studio.llm.client import ChatRequest, Message, ToolCall
from studio.llm.request_body import request_body
from tests.llm.builders import SEARCH, ask


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert request_body(ask("x", stream=False), "m") == {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "stream": False,
    }


def test_a_stream_asks_for_its_usage() -> None:
    assert request_body(ask("x"), "m")["stream_options"] == {"include_usage": True}


def test_tools_schema_and_sampling_are_sent_as_the_protocol_names_them() -> None:
    schema: dict[str, object] = {"type": "object", "properties": {}}
    request = ChatRequest((), (SEARCH,), temperature=0.0, max_tokens=5, response_schema=schema)
    body = request_body(request, "m")
    function = {"name": "search", "description": "Looks things up", "parameters": SEARCH.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema},
    }
    assert (body["temperature"], body["max_tokens"]) == (0.0, 5)


def test_openai_gets_the_new_name_of_the_token_limit() -> None:
    body = request_body(ChatRequest((), max_tokens=5), "m", is_openai=True)
    assert body["max_completion_tokens"] == 5
    assert "max_tokens" not in body


def test_lone_surrogates_never_leave() -> None:
    call = ToolCall("c", "f", '{"q": "\ud83d"}')
    messages = (Message("user", "\ud83d"), Message("assistant", "", (call,)))
    sent = str(request_body(ChatRequest(messages), "m"))
    assert "\ud83d" not in sent
    assert sent.count("\ufffd") == 2
