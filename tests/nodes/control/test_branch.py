import pytest

from nodes.control.branch import branch
from studio.errors import ExpressionError, SettingsError
from studio.llm.client import Message
from studio.sdk.node import node_type_of
from studio.sdk.testing import run_bench

RULES = {
    "cases": [
        {"label": "Too long!", "when": "len(value) > 5"},
        {"label": "Too long?", "when": "facts is not None and facts['strict']"},
        {"label": "Fine", "port": "ok"},
    ]
}


@pytest.mark.parametrize(
    ("value", "facts", "port"),
    [("frosty", None, "too_long"), ("ice", {"strict": True}, "too_long_2"), ("ice", None, "ok")],
)
async def test_the_first_case_that_holds_gets_the_value(value: str, facts: object, port: str) -> None:
    assert await run_bench(branch, {"value": value, "facts": facts}, RULES) == {port: value}


async def test_nothing_is_chosen_when_no_case_holds() -> None:
    assert await run_bench(branch, {"value": 1}, {"cases": [{"label": "Big", "when": "value > 5"}]}) == {}


async def test_the_value_passes_untouched() -> None:
    message = Message("user", "hi")
    rules = {"cases": [{"label": "User", "when": "value['role'] == 'user'"}]}
    assert (await run_bench(branch, {"value": message}, rules))["user"] is message


def test_ports_keep_their_names_when_labels_change() -> None:
    found = node_type_of(branch)
    before = found.signature({"cases": [{"label": "Yes", "when": "value", "port": "yes"}]})
    after = found.signature({"cases": [{"label": "Ja", "when": "value", "port": "yes"}]})
    assert [port.name for port in before.outputs] == [port.name for port in after.outputs] == ["yes"]
    assert after.outputs[0].label == "Ja"


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([], "there is no case"),
        ([{"label": " "}], "case 1 has no label"),
        ([{"label": "A"}, {"label": "B", "when": "value"}], "later cases are never"),
        ([{"label": "A", "when": "other > 1"}], "`A`: There is no `other`"),
        ([{"label": "A", "when": "value.x"}], '["x"]'),
        ([{"label": "A", "port": "No Good"}], "no port name"),
        ([{"label": "A", "wen": "value"}], "wen"),
        ([{"when": "value"}], "label"),
    ],
)
def test_a_wrong_case_is_said(cases: list[dict[str, str]], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        node_type_of(branch).signature({"cases": cases})
    assert said in caught.value.details[0]


async def test_a_rule_that_cannot_be_computed_fails_the_step() -> None:
    with pytest.raises(ExpressionError, match="there is no 'accepted'"):
        await run_bench(branch, {"value": {}}, {"cases": [{"label": "A", "when": "value['accepted']"}]})
