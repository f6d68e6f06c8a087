from typing import Any

import pytest

from nodes.text.extract import extract, extract_by_jmespath, extract_by_pattern, extract_code
from studio.sdk import StepError, ToolError

BIRDS: Any = {"birds": [{"name": "wren", "count": 2}, {"name": "tit", "count": 1}]}
ANSWER = "Here:\n```python\nprint(1)\n```\nand\n~~~\nplain\n~~~\n````md\n```\ninner\n```\n````\n"


def test_json_is_asked_as_a_value_or_a_text() -> None:
    assert extract(BIRDS, query="birds[?count > `1`].name") == ["wren"]
    assert extract('{"a": [1, 2]}', query="a[-1]") == 2
    assert extract(BIRDS) == BIRDS
    assert extract(BIRDS, query="fish") is None


@pytest.mark.parametrize(
    ("value", "query"), [("no json", "a"), (BIRDS, "birds["), (BIRDS, "abs('a')"), (BIRDS, "x(1)")]
)
def test_what_cannot_be_asked_is_said(value: Any, query: str) -> None:
    with pytest.raises(StepError):
        extract_by_jmespath(value, query=query)


def test_a_match_is_a_text_its_groups_or_its_names() -> None:
    assert extract_by_pattern("a1 b22", query=r"\d+") == ["1", "22"]
    assert extract_by_pattern("a1 b22", query=r"([a-z])(\d+)") == [["a", "1"], ["b", "22"]]
    assert extract_by_pattern("a1 b22", query=r"(?P<n>\d+)", first=True) == {"n": "1"}
    assert extract_by_pattern([1, "x"], query="x") == ["x"]
    assert extract(["x"], by="regular expression", query="y") == []
    assert extract_by_pattern("x", query="y", first=True) is None


@pytest.mark.parametrize("query", ["(", "(a+)+b", "*", r"\w*\w*\w*[!?]{2}"])
def test_a_pattern_is_read_and_bounded(query: str) -> None:
    with pytest.raises(ToolError, match=r"attern|group"):
        extract_by_pattern("a" * 9_998 + "!", query=query)


def test_code_is_taken_from_its_block() -> None:
    assert extract_code(ANSWER) == ["print(1)", "plain", "```\ninner\n```"]
    assert extract_code(ANSWER, query="python", first=True) == "print(1)"
    assert extract(ANSWER, by="code block", query="rust", first=True) is None


def test_finding_nothing_may_be_a_failure() -> None:
    with pytest.raises(StepError, match="nothing"):
        extract(BIRDS, query="fish", missing="fail")
    with pytest.raises(StepError, match="Nothing"):
        extract("x", by="code block", missing="fail")
