import pytest

from nodes.llm.classify import classify
from studio.errors import SettingsError
from studio.sdk import StepError
from studio.sdk.node import node_type_of
from studio.sdk.testing import ScriptedContext, run_bench

CASES = {"cases": [{"label": "Bird", "when": "has feathers", "port": "b"}, {"label": "Moth"}]}


@pytest.mark.parametrize(("label", "port"), [("Bird", "b"), ("Moth", "moth")])
async def test_the_text_goes_where_the_language_model_says(label: str, port: str) -> None:
    context = ScriptedContext([f'{{"case": "{label}"}}'])
    assert await run_bench(classify, {"value": "It flew."}, CASES, context) == {port: "It flew."}
    assert "- Bird: has feathers\n- Moth" in context.requests[0].messages[0].content


async def test_a_case_that_does_not_exist_is_asked_for_again_and_then_fails() -> None:
    context = ScriptedContext(['{"case": "Fox"}', '{"case": "Owl"}'])
    with pytest.raises(StepError, match="Bird"):
        await run_bench(classify, {"value": "It ran."}, CASES, context)


async def test_how_the_case_is_asked_for_and_how_often_is_a_setting() -> None:
    context = ScriptedContext(["a fox", "an owl", '{"case": "Moth"}'])
    settings = {**CASES, "schema_by": "native", "repairs": 2}
    assert await run_bench(classify, {"value": "It ran."}, settings, context) == {"moth": "It ran."}
    assert [one.schema_by for one in context.requests] == ["native"] * 3


def test_labels_must_differ() -> None:
    with pytest.raises(SettingsError, match="do not fit"):
        node_type_of(classify).signature({"cases": [{"label": "A"}, {"label": "A"}]})
