from typing import Any

import pytest

from nodes.human.approve import approve
from studio.bounds.schemas import mismatch
from studio.errors import StepError
from studio.sdk import Message
from studio.sdk.testing import ScriptedContext, run_bench


async def decided(answer: dict[str, object], value: object, **settings: Any) -> dict[str, object]:
    return await run_bench(approve, {"value": value}, settings, ScriptedContext(answers=[answer]))


async def form_for(value: object, **settings: Any) -> dict[str, Any]:
    context = ScriptedContext(answers=[{"decision": "approve"}])
    await run_bench(approve, {"value": value}, settings, context)
    return dict(context.forms[0].schema)


def choices(form: dict[str, Any]) -> list[str]:
    return [one["const"] for one in form["properties"]["decision"]["oneOf"]]


async def test_what_is_approved_passes_as_it_was() -> None:
    assert await decided({"decision": "approve"}, {"count": 2}) == {"approved": {"count": 2}}


async def test_what_is_edited_passes_and_is_told_apart() -> None:
    outputs = await decided({"decision": "edit", "value": "Two wrens."}, "A wren.")
    assert outputs == {"approved": "Two wrens.", "edited": "Two wrens."}


async def test_what_is_rejected_passes_not_and_says_why() -> None:
    outputs = await decided({"decision": "reject", "reason": "No wren."}, "A wren.")
    assert outputs == {"rejected": "A wren.", "reason": "No wren."}


async def test_the_form_holds_an_answer_to_what_the_decision_takes() -> None:
    form = await form_for("A wren.")
    assert mismatch({"decision": "approve"}, form) == ""
    assert mismatch({"decision": "edit", "value": ""}, form) == ""
    for answer in ({"decision": "reject"}, {"decision": "reject", "reason": ""}, {"decision": "edit"}, {}):
        assert mismatch(answer, form), answer
    assert mismatch({"decision": "edit", "value": 3}, form), "a text is edited into a text"


async def test_a_reason_is_asked_for_only_where_the_settings_say_so() -> None:
    assert mismatch({"decision": "reject"}, await form_for("A wren.", needs_reason=False)) == ""


async def test_an_edited_value_is_held_to_the_schema_that_is_given() -> None:
    form = await form_for("A wren.", form={"type": "string", "maxLength": 9})
    assert mismatch({"decision": "edit", "value": "Two wrens."}, form)
    assert mismatch({"decision": "edit", "value": "Wrens."}, form) == ""


@pytest.mark.parametrize("value", [[Message("user", "Hello")], Message("user", "Hello")])
async def test_what_is_more_than_its_json_can_pass_or_not_but_not_be_edited(value: object) -> None:
    assert choices(await form_for(value)) == ["approve", "reject"]
    assert (await decided({"decision": "approve"}, value))["approved"] is value


async def test_editing_can_be_forbidden() -> None:
    assert choices(await form_for("A wren.", may_edit=False)) == ["approve", "reject"]
    with pytest.raises(StepError, match="cannot be edited"):
        await decided({"decision": "edit", "value": "Other."}, "A wren.", may_edit=False)
