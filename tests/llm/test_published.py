"""Whatever is asked, what goes over the wire is what providers have published that they take."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import ChatRequest, Effort, Message, ToolCall, ToolSpec
from studio.llm.embeddings import EmbedRequest, embed_body
from studio.llm.endpoints.request_body import request_body
from studio.llm.endpoints.responses_body import responses_body
from studio.llm.images import image_of
from tests.llm.builders import SEARCH
from tests.llm.published_schemas import Body, departure
from tests.llm.strict_endpoint import complaint

any_text = st.text(st.characters(exclude_categories=()), max_size=12)
"""Half surrogates included."""
said = any_text.filter(bool)
names = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(any_text, inner, max_size=2),
    max_leaves=4,
)
schemas = st.dictionaries(any_text, json_values, max_size=2).map(lambda rest: {**rest, "type": "object"})
tools = st.lists(st.builds(ToolSpec, names, any_text, schemas), max_size=3, unique_by=lambda one: one.name)
calls = st.builds(ToolCall, st.text(min_size=1, max_size=90), any_text, st.just('{"query": "\ud83d owls"}'))


leaves = st.sampled_from(
    [{"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}, {"enum": ["a", 1, None]}, {}]
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas of objects, some of whose fields may be left out."""
    fields = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    return st.tuples(
        fields, st.sets(st.sampled_from("abc")), st.sampled_from([{}, {"additionalProperties": False}])
    ).map(
        lambda drawn: {
            "type": "object",
            "properties": drawn[0],
            "required": sorted(drawn[1] & set(drawn[0])),
            **drawn[2],
        }
    )


forms = objects(
    st.recursive(
        leaves,
        lambda inner: (
            objects(inner)
            | inner.map(lambda one: {"type": "array", "items": one})
            | st.lists(inner, min_size=1, max_size=2).map(lambda several: {"anyOf": several})
        ),
        max_leaves=6,
    )
)
"""Schemas as people draw them for answers."""
pictures = st.lists(
    st.binary(max_size=9).map(lambda data: image_of("a.png", b"\x89PNG\r\n\x1a\n" + data)), max_size=2
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Conversations as agents have them: every call is answered directly, and the last word is not theirs."""

    def turns() -> Iterator[Message]:
        if draw(st.booleans()):
            yield Message("system", draw(any_text))
        yield Message("user", draw(said), images=tuple(draw(pictures)))
        for asked in draw(st.lists(st.lists(calls, max_size=3, unique_by=lambda one: one.id), max_size=3)):
            yield Message("assistant", draw(any_text if asked else said), tuple(asked))
            for call in asked:
                yield Message("tool", draw(any_text), tool_call_id=call.id)
            if not asked:
                yield Message("user", draw(said))

    return tuple(turns())


requests = st.builds(
    ChatRequest,
    conversations(),
    tools.map(tuple),
    st.none() | st.floats(0, 2),
    st.none() | st.integers(1, 10**6),
    st.none() | schemas | forms,
    st.booleans(),
    st.integers(1, 128),
    may_call=st.booleans(),
    several_calls=st.booleans(),
    effort=st.sampled_from(get_args(Effort)),
    log_probabilities=st.none() | st.integers(0, 20),
)


def bodies(request: ChatRequest) -> list[Body]:
    """What is sent for it by each interface."""
    return [
        request_body(request, "m"),
        request_body(request, "m", is_openai=True),
        responses_body(request, "m"),
    ]


@given(requests)
def test_every_request_keeps_to_what_is_published(request_: ChatRequest) -> None:
    for body in bodies(request_):
        assert not departure(body)


@given(requests.filter(lambda one: bool(one.tools)))
def test_every_conversation_is_in_an_order_that_strict_endpoints_take(request_: ChatRequest) -> None:
    ids = [call.id for message in request_.messages for call in message.tool_calls]
    if len(set(ids)) == len(ids):
        assert not any(map(complaint, bodies(request_)))


CALL = ToolCall("c1", "search", "{}")
GOOD = (Message("user", "x"), Message("assistant", "", (CALL,)), Message("tool", "y", tool_call_id="c1"))


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ((), "non-empty"),
        (GOOD[:2], "last word"),
        (GOOD[1:], "begin with the user"),
        ((*GOOD[:2], Message("user", "z")), "not answered directly"),
        ((*GOOD, GOOD[2]), "answered twice"),
        ((GOOD[0], GOOD[2]), "not called directly before"),
        ((GOOD[0], GOOD[0]), "follow one another"),
        ((*GOOD, Message("user", "z")), "before the assistant has seen"),
        ((GOOD[0], Message("assistant", ""), GOOD[0]), "says nothing"),
        ((GOOD[0], Message("system", "z"), GOOD[0]), "in the middle"),
        ((*GOOD, *GOOD[1:]), "comes twice"),
    ],
)
def test_a_strict_endpoint_would_refuse(messages: tuple[Message, ...], words: str) -> None:
    request = ChatRequest(messages, (SEARCH,))
    assert words in complaint(request_body(request, "m"))
    assert words in complaint(responses_body(request, "m"))


def test_a_strict_endpoint_takes_a_conversation_with_tools_only_where_tools_are_offered() -> None:
    request = ChatRequest(GOOD, (SEARCH,))
    assert [complaint(body) for body in bodies(request)] == ["", "", ""]
    assert all("none are offered" in complaint(body) for body in bodies(replace(request, tools=())))


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"type": "object", "properties": {}}, "allows other fields"),
        ({"properties": {"a": {}}, "additionalProperties": False}, "may be left out"),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {"type": "object"}}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "`items` of `a` of the schema allows",
        ),
    ],
)
def test_a_schema_that_is_not_strict_may_not_be_called_so(form: dict[str, Any], words: str) -> None:
    body = responses_body(ChatRequest((Message("user", "x"),)), "m")
    asked = {"type": "json_schema", "name": "answer", "schema": form, "strict": True}
    assert words in departure({**body, "text": {"format": asked}})


def test_texts_for_vectors_are_asked_for_as_is_published() -> None:
    assert not departure(embed_body(EmbedRequest(("a", "b"), 8), "m"))
    assert departure(embed_body(EmbedRequest((), 8), "m"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"top_k": 5}, "top_k"),
        ({"temperature": 3}, "3"),
        ({"model": ""}, "model"),
        ({"tools": []}, "tools"),
        ({"tool_choice": "none"}, "tools"),
    ],
)
def test_a_body_that_is_not_as_published_is_found(change: Body, words: str) -> None:
    for body in bodies(ChatRequest((Message("user", "x"),))):
        assert words in departure({**body, **change})
