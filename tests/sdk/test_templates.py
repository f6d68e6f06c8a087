import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import Message
from studio.sdk import ToolError
from studio.sdk.templates import as_text, fill, placeholders


def test_placeholders_are_named_once_in_order() -> None:
    assert placeholders("{{b}} {{ a }} {{b.x}} {{A}} {b} {{1}} {{ }}") == ("b", "a")


def test_fields_and_elements_are_taken_from_json() -> None:
    values = {"verdict": {"reason": "no day", "parts": ["first", {"n": 2}]}}
    assert (
        fill("{{verdict.reason}}, {{verdict.parts.0}}, {{verdict.parts.1.n}}", values) == "no day, first, 2"
    )


@pytest.mark.parametrize(
    "template", ["{{gone}}", "{{verdict.gone}}", "{{verdict.reason.x}}", "{{verdict.parts.7}}"]
)
def test_what_is_missing_is_named(template: str) -> None:
    with pytest.raises(ToolError, match=r"gone|x|7"):
        fill(template, {"verdict": {"reason": "", "parts": []}})


@given(st.text())
def test_what_is_put_in_is_not_filled_again(text: str) -> None:
    assert fill("{{a}}", {"a": "{{b}}" + text, "b": "!"}) == "{{b}}" + text


@given(st.text(alphabet="ab{} \n"))
def test_a_text_without_placeholders_stays(text: str) -> None:
    if not placeholders(text):
        assert fill(text, {}) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, ""),
        (3, "3"),
        (False, "false"),
        (["ä"], '["ä"]'),
        (Message("user", "hi"), "hi"),
    ],
)
def test_values_as_texts(value: object, text: str) -> None:
    assert as_text(value) == text
