"""What tools are called: names that every endpoint takes, and one tool a name."""

import pytest

from studio.flow.checks.check import check
from studio.sdk import lendable_code, lendable_name
from tests.runtime.bench import REGISTRY, flow_of

NAMED = ("agent_as_tool", "flow_as_tool", "human_as_tool", "http_request", "sqlite_query")


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_that_endpoints_refuse_is_a_problem_of_the_flow(kind: str) -> None:
    flow = flow_of({"lender": (f"tools.{kind}", {"name": "ask the expert"})}, [])
    said = [one.message for one in check(flow, REGISTRY) if one.code == "settings"]
    assert [one for one in said if "`ask the expert` is not a tool name" in one and "`ask_the_expert`" in one]


@pytest.mark.parametrize(
    ("name", "instead"),
    [("größe", "gr__e"), ("a" * 65, "a" * 64), ("a.b", "a_b"), ("a\n", "a"), (" ", "ask")],
)
def test_another_name_is_told_that_would_do(name: str, instead: str) -> None:
    with pytest.raises(ValueError, match=f"such as `{instead}"):
        lendable_name(name)
    assert lendable_name(instead) == instead


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def größe() -> str:\n    return ''", "gr__e"),
        (f"def {'a' * 65}(): ...", "such as"),
        ("def a(:", "line 1"),
        ("x = 1", "it defines no function"),
    ],
)
def test_a_function_that_cannot_be_called_is_a_problem_of_its_code(code: str, words: str) -> None:
    flow = flow_of({"lender": ("tools.python_function", {"code": code})}, [])
    assert [one for one in check(flow, REGISTRY) if one.code == "settings" and words in one.message]
    with pytest.raises(ValueError, match=words):
        lendable_code(code)


def test_a_flow_lends_by_its_own_name_where_none_is_given() -> None:
    flow = flow_of({"lender": ("tools.flow_as_tool", {"name": ""})}, [])
    assert not [one for one in check(flow, REGISTRY) if one.code == "settings"]
