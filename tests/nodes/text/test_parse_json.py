import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.text.parse_json import parse_json_text
from studio.sdk import StepError


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2]}',
        '```json\n{"a": [1, 2]}\n```',
        'Sure! {"a": [1, 2]} Anything else?',
        'Sure (see {below}): {"a": [1, 2,],}',
        '```\n{"a": [1, 2,]}\n```\nThere.',
    ],
)
def test_it_finds_what_a_chat_wrapped(text: str) -> None:
    assert parse_json_text(text) == {"a": [1, 2]}


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_json_is_read_as_it_stands(value: object) -> None:
    import json

    assert parse_json_text(json.dumps(value)) == value


def test_commas_in_texts_stay() -> None:
    assert parse_json_text('{"a": ",]", "b": [1,],}') == {"a": ",]", "b": [1]}


@pytest.mark.parametrize("text", ["", "none here", "{broken", "NaN", "[" * 9_999, "{" * 9_999])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(StepError, match="not JSON"):
        parse_json_text(text)


def test_without_repair_only_json_is_json() -> None:
    with pytest.raises(StepError, match="not JSON"):
        parse_json_text('So: {"a": 1}', repair=False)


def test_a_schema_says_what_does_not_fit() -> None:
    with pytest.raises(StepError, match="lacks `b`"):
        parse_json_text('{"a": 1}', schema={"type": "object", "required": ["b"]})
