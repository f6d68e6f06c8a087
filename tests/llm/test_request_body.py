"""What of a request goes over the wire, and under which names."""

from dataclasses import replace

from studio.llm.client import ChatRequest, Message, ToolCall, WindowAccount, request_to_json
from studio.llm.endpoints.request_body import request_body
from studio.llm.endpoints.responses_body import responses_body
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
        "json_schema": {"name": "answer", "schema": schema, "strict": False},
    }
    assert (body["temperature"], body["max_tokens"]) == (0.0, 5)


def test_whether_tools_may_be_called_and_several_at_once_is_said_only_where_tools_are_offered() -> None:
    request = ChatRequest((Message("user", "x"),), (SEARCH,), may_call=False, several_calls=False)
    for body in (request_body(request, "m"), responses_body(request, "m")):
        assert (body["tool_choice"], body["parallel_tool_calls"]) == ("none", False)
    for body in (
        request_body(replace(request, tools=()), "m"),
        responses_body(replace(request, tools=()), "m"),
    ):
        assert not {"tool_choice", "parallel_tool_calls"} & body.keys()


def test_who_speaks_and_what_was_left_out_is_kept_in_the_trace_and_never_sent() -> None:
    plain = ChatRequest((Message("user", "x"),), (SEARCH,))
    told = replace(plain, speaker="expert", window=WindowAccount(100, 40, ("user: hello",)))
    assert request_body(told, "m") == request_body(plain, "m")
    assert responses_body(told, "m") == responses_body(plain, "m")
    kept = request_to_json(told)
    assert (kept["speaker"], kept["window"]) == (
        "expert",
        {"tokens": 100, "taken": 40, "dropped": ["user: hello"], "shortened": 0, "summary": ""},
    )
    assert not {"speaker", "window", "may_call"} & request_to_json(plain).keys()


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
