from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from studio.errors import ChatRefusedError
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message, SchemaBy, request_to_json
from studio.llm.endpoints.answer_form import FormClient, instructed
from studio.llm.endpoints.request_body import request_body
from studio.llm.endpoints.responses_body import responses_body
from studio.llm.endpoints.strict_schema import strict_schema

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
}


class Endpoint:
    """Answers, or refuses schemas in its own words."""

    def __init__(self, refusal: str = "", status: int = 400) -> None:
        self.refusal = refusal
        self.status = status
        self.asked: list[ChatRequest] = []

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        del on_text, caller
        self.asked.append(request)
        if self.refusal and request.response_schema is not None:
            raise ChatRefusedError(self.refusal, self.status)
        return ChatAnswer(Message("assistant", '{"score": 1}'))

    async def close(self) -> None: ...


def request_by(by: SchemaBy = "auto") -> ChatRequest:
    return ChatRequest((Message("user", "How good?"),), response_schema=SCHEMA, schema_by=by)


@pytest.mark.parametrize(
    "refusal",
    [
        "'response_format' of type 'json_schema' is not supported with this model",
        "Failed to parse grammar",
        "Invalid schema for response_format 'answer'",
        "json mode cannot be combined with tool/function calling",
    ],
)
async def test_an_endpoint_that_refuses_a_schema_is_asked_in_words_from_then_on(refusal: str) -> None:
    endpoint = Endpoint(refusal)
    client = FormClient(endpoint)
    assert (await client.answer(request_by())).message.content
    await client.answer(request_by())
    assert [one.response_schema is None for one in endpoint.asked] == [False, True, True]
    assert '"score"' in endpoint.asked[1].messages[0].content


async def test_a_refusal_for_another_reason_stands() -> None:
    for endpoint in (Endpoint("The context is too long."), Endpoint("bad response_format", 401)):
        with pytest.raises(ChatRefusedError):
            await FormClient(endpoint).answer(request_by())
        assert len(endpoint.asked) == 1


async def test_what_a_test_has_found_is_kept_to() -> None:
    for takes_schema, is_told in ((True, False), (None, False), (False, True)):
        endpoint = Endpoint()
        await FormClient(endpoint, takes_schema=takes_schema).answer(request_by())
        assert (endpoint.asked[0].response_schema is None) is is_told


async def test_who_says_how_to_ask_is_obeyed() -> None:
    endpoint = Endpoint()
    await FormClient(endpoint, takes_schema=True).answer(request_by("instruction"))
    await FormClient(endpoint, takes_schema=False).answer(request_by("native"))
    assert [one.response_schema is None for one in endpoint.asked] == [True, False]
    with pytest.raises(ChatRefusedError):
        await FormClient(Endpoint("no json_schema")).answer(request_by("native"))


def test_the_form_is_told_at_the_end_of_the_instructions() -> None:
    assert [one.role for one in instructed(request_by()).messages] == ["system", "user"]
    spoken = ChatRequest((Message("system", "Be brief."), Message("user", "?")), response_schema=SCHEMA)
    [first, last] = instructed(spoken).messages
    assert first.content.startswith("Be brief.\n\nAnswer with one JSON object")
    assert last == Message("user", "?")


def test_how_to_ask_is_part_of_what_was_asked_only_where_it_was_said() -> None:
    assert "schema_by" not in request_to_json(request_by())
    assert request_to_json(request_by("native"))["schema_by"] == "native"


@pytest.mark.parametrize("by", ["auto", "native"])
async def test_a_schema_goes_beside_json_object_where_a_test_found_that_alone(by: SchemaBy) -> None:
    endpoint = Endpoint()
    await FormClient(endpoint, takes_schema=False, takes_object=True).answer(request_by(by))
    [asked] = endpoint.asked
    assert (asked.response_schema, asked.schema_by) == (SCHEMA, "json_object")
    form = request_body(asked, "m")["response_format"]
    assert form == {"type": "json_object", "schema": strict_schema(SCHEMA)}


async def test_where_that_is_refused_after_all_it_is_asked_in_words_from_then_on() -> None:
    endpoint = Endpoint("response_format is not supported")
    client = FormClient(endpoint, takes_schema=False, takes_object=True)
    for _ in range(2):
        await client.answer(request_by())
    assert [one.response_schema is None for one in endpoint.asked] == [False, True, True]


async def test_a_schema_beside_json_object_can_be_asked_for_without_any_test() -> None:
    endpoint = Endpoint()
    await FormClient(endpoint).answer(request_by("json_object"))
    assert endpoint.asked[0].schema_by == "json_object"
    with pytest.raises(ChatRefusedError):
        await FormClient(Endpoint("no json_object")).answer(request_by("json_object"))


def test_a_schema_that_can_be_is_strict() -> None:
    body: Any = request_body(request_by(), "m")
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    form: Any = responses_body(request_by(), "m")["text"]
    assert form["format"]["strict"] is True
    loose = ChatRequest((), response_schema={**SCHEMA, "required": []})
    body = request_body(loose, "m")
    assert body["response_format"]["json_schema"] == {
        "name": "answer",
        "schema": {**SCHEMA, "required": []},
        "strict": False,
    }


@pytest.mark.parametrize(
    "part",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "string", "minLength": 3},
        {"type": "string", "format": "uri"},
        {"allOf": [{"type": "string"}]},
        {"type": "array"},
        {},
        True,
    ],
)
def test_what_strict_endpoints_do_not_take_is_not_strict(part: object) -> None:
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    assert strict_schema(schema) is None


scalars = st.sampled_from(
    [{"type": "string"}, {"type": "integer"}, {"enum": ["a", "b"]}, {"type": ["null", "number"]}]
)
parts = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(
            lambda fields: {"type": "object", "properties": fields, "required": sorted(fields)},
            st.dictionaries(st.sampled_from("abc"), inner, min_size=1),
        ),
        st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner),
    ),
    max_leaves=6,
)
values = st.recursive(
    st.none() | st.integers() | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(parts, values)
def test_whatever_fits_the_strict_schema_fits_the_one_that_was_asked_for(part: Any, value: Any) -> None:
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    strict = strict_schema(schema)
    assert strict is not None
    if Draft202012Validator(strict).is_valid({"x": value}):
        assert Draft202012Validator(schema).is_valid({"x": value})
