"""Bytes become events, events an answer, and nothing half becomes anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import ChatIncompleteError, ChatRefusedError
from studio.llm.clean_text import TextStream, normalise, normalise_json
from studio.llm.client import ChatAnswer
from studio.llm.embeddings import read_embeddings
from studio.llm.endpoints.answer_builder import AnswerBuilder, read_usage
from studio.llm.endpoints.event_stream import EventReader
from studio.llm.limits import MOST_COUNTED

ANY_TEXT = st.text(st.characters(exclude_categories=()))
DATA = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"))


def built(*deltas: dict[str, object], finish_reason: str | None = "stop") -> ChatAnswer:
    """Build an answer from the deltas of its chunks."""
    builder = AnswerBuilder("m", "call")
    for delta in deltas:
        builder.add({"choices": [{"index": 0, "delta": delta}]})
    builder.add({"choices": [{"index": 0, "finish_reason": finish_reason}]})
    return builder.finish()


def call(arguments: str, **more: object) -> dict[str, object]:
    return {"tool_calls": [{"function": {"name": "f", "arguments": arguments}, **more}]}


@given(st.lists(DATA.filter(bool)), st.sampled_from(["\n", "\r\n"]), st.lists(st.integers(1, 9), min_size=1))
def test_events_are_the_same_however_the_bytes_are_cut(data: list[str], end: str, cuts: list[int]) -> None:
    stream = "".join(f": note{end}data: {text}{end}{end}" for text in data).encode()
    reader = EventReader(line_limit=10_000)
    events: list[str] = []
    while stream:
        size = cuts[len(stream) % len(cuts)]
        events += reader.feed(stream[:size])
        stream = stream[size:]
    assert [*events, *reader.finish()] == data


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    reader = EventReader(line_limit=100)
    assert not list(reader.feed(b"data: " + b"x" * 90))
    with pytest.raises(ChatIncompleteError, match="more than 100 bytes"):
        list(reader.feed(b"x" * 5))


@given(st.lists(ANY_TEXT))
def test_text_in_pieces_is_normalised_as_if_it_were_whole(pieces: list[str]) -> None:
    stream = TextStream()
    shown = [stream.feed(piece) for piece in pieces]
    assert "".join((*shown, stream.finish())) == normalise("".join(pieces))


@given(ANY_TEXT)
def test_normalised_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    clean = normalise(text)
    assert clean.encode().decode() == clean
    assert normalise(clean) == clean
    assert normalise_json({text: [text, 1, None]}) == {clean: [clean, 1, None]}


@pytest.mark.parametrize(
    "arguments", ["", "{", '{"a": 1', "[]", "3", "null", "{} {}", '{"a": NaN}', "[" * 9999]
)
def test_arguments_that_are_not_a_whole_object_are_never_passed_on(arguments: str) -> None:
    with pytest.raises(ChatIncompleteError, match="`f`"):
        built(call(arguments, index=0, id="c"))


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.booleans()), st.integers(1, 5))
def test_arguments_in_pieces_stay_as_they_were(arguments: dict[str, object], size: int) -> None:
    text = json.dumps(arguments)
    deltas = [call(text[start : start + size], index=0) for start in range(0, len(text), size)]
    assert built(*deltas).message.tool_calls[0].arguments == text


def test_surrogates_in_arguments_are_replaced() -> None:
    (made,) = built(call('{"q": "\\ud83d"}', index=0)).message.tool_calls
    assert json.loads(made.arguments) == {"q": "\ufffd"}


def test_calls_are_told_apart_without_an_index_and_named_without_an_id() -> None:
    answer = built(call("{}", id="a"), call('{"x"', id="b"), call(": 1}", id="b"))
    assert [(made.id, made.arguments) for made in answer.message.tool_calls] == [
        ("a", "{}"),
        ("b", '{"x": 1}'),
    ]
    answer = built(call("{}", index=0), call("{}", index=1))
    assert [made.id for made in answer.message.tool_calls] == ["call_1", "call_2"]


@pytest.mark.parametrize("reason", ["length", "content_filter", None, "error"])
def test_calls_of_an_answer_that_was_cut_off_are_discarded(reason: str | None) -> None:
    with pytest.raises(ChatIncompleteError):
        built(call("{}", index=0), finish_reason=reason)


def test_announced_calls_that_never_came_make_the_answer_incomplete() -> None:
    with pytest.raises(ChatIncompleteError):
        built({"content": "I look it up."}, finish_reason="tool_calls")


@pytest.mark.parametrize(
    ("said", "meant"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("eos", "stop")],
)
def test_the_finish_reason_is_told_in_the_words_of_the_protocol(said: str, meant: str) -> None:
    assert built({"content": "a"}, finish_reason=said).finish_reason == meant


def test_a_refusal_is_no_answer() -> None:
    with pytest.raises(ChatRefusedError, match="refused to answer: I can't"):
        built({"refusal": "I "}, {"refusal": "can't"})


def test_reasoning_is_a_sign_of_life_and_empty_chunks_are_none() -> None:
    builder = AnswerBuilder("m", "call")
    assert builder.add({"choices": [{"delta": {"reasoning_content": "hm"}}]}) == ""
    assert builder.add({"choices": [{"delta": {"role": "assistant", "content": ""}}]}) is None
    assert builder.add({"choices": []}) is None
    assert builder.add({"choices": [{"index": 1, "delta": {"content": "other"}}]}) is None


def test_usage_counts_what_came_from_the_cache() -> None:
    builder = AnswerBuilder("m", "call")
    details = {"prompt_tokens_details": {"cached_tokens": 4}}
    builder.add(
        {"model": "m-1", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, **details}}
    )
    builder.add({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]})
    answer = builder.finish()
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cached_tokens) == (9, 2, 4)
    assert answer.llm == "m-1"


def test_no_more_tokens_are_believed_than_can_be_written_down() -> None:
    usage = read_usage({"prompt_tokens": 10**30, "completion_tokens": -1, "prompt_tokens_details": "x"})
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (MOST_COUNTED, 0, 0)
    plain = {"data": [{"embedding": [1.0]}], "usage": {"prompt_tokens": 10**30}}
    assert read_embeddings(plain, 1, "m", "e").usage.input_tokens == MOST_COUNTED
    assert MOST_COUNTED * 10_000 < 2**63


def samples(*chunks: list[tuple[int, dict[str, object], str | None]]) -> AnswerBuilder:
    """A builder of three samples that was given these chunks."""
    builder = AnswerBuilder("m", "call", 3)
    for chunk in chunks:
        choices = [
            {"index": index, "delta": delta, "finish_reason": reason} for index, delta, reason in chunk
        ]
        builder.add({"choices": choices})
    return builder


def test_samples_that_come_in_turn_are_kept_apart() -> None:
    builder = samples(
        [(1, {"content": "b"}, None), (0, {"content": "a"}, None)],
        [(2, call("{}", index=0), None), (0, {"content": "A"}, "stop")],
        [(7, {"content": "unasked"}, "stop")],
        [(1, {"content": "B"}, "length")],
    )
    assert builder.finish_reason == ""
    builder.add({"choices": [{"index": 2, "finish_reason": "tool_calls"}]})
    assert builder.finish_reason == "stop"
    answer = builder.finish()
    assert [one.content for one in (answer.message, *answer.others)] == ["aA", "bB", ""]
    assert [one.id for one in answer.others[1].tool_calls] == ["call_2_1"]


def test_an_endpoint_may_give_fewer_samples_but_none_that_is_cut_off() -> None:
    builder = samples([(0, {"content": "a"}, "stop")])
    assert (builder.finish().message.content, builder.finish().others) == ("a", ())
    builder.add({"choices": [{"index": 1, "delta": {"content": "b"}}]})
    with pytest.raises(ChatIncompleteError):
        builder.finish()


def test_a_sample_that_is_refused_is_left_out_and_all_of_them_are_a_refusal() -> None:
    builder = samples([(0, {"refusal": "No."}, "stop"), (1, {"content": "b"}, "stop")])
    assert (builder.finish().message.content, builder.finish().others) == ("b", ())
    with pytest.raises(ChatRefusedError, match="No"):
        samples([(0, {"refusal": "No."}, "stop"), (1, {"refusal": "Never."}, "stop")]).finish()
