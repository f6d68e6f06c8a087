from typing import Any

from nodes.memory.route_context import route_context
from studio.sdk import Note
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.memory.plain_memories import plain_memory

ROOF = "The roof plan shows two skylights over the hall."
MONEY = "The budget plan has money for one carpenter."
CAT = "The plan of the cat is to sleep."


async def chosen(
    inputs: dict[str, Any], settings: dict[str, Any], context: ScriptedContext | None = None
) -> dict[str, Any]:
    context = context or ScriptedContext()
    facts, talk = plain_memory("facts", denied="guest"), plain_memory("talk", is_conversation=True)
    await facts.remember(context, [Note(ROOF), Note(MONEY), Note(CAT)])
    await talk.remember(context, [Note("Good morning to you.", {"role": "user"})])
    given = {"memory": [facts, talk], "task": "plan the house", **inputs}
    return await run_bench(route_context, given, settings, context)


async def test_each_role_is_given_what_it_needs() -> None:
    only = {"tokens": 13}
    architect = await chosen({"role": "architect who draws roofs and windows"}, only)
    accountant = await chosen({"role": "accountant who pays and counts money"}, only)
    assert architect["text"] == ROOF
    assert accountant["text"] == MONEY


async def test_the_stage_of_the_task_changes_what_is_needed() -> None:
    only = {"tokens": 13, "by_role": 0.0}
    assert (await chosen({"stage": "paying the carpenter"}, only))["text"] == MONEY
    assert (await chosen({"stage": "drawing the skylights of the roof"}, only))["text"] == ROOF


async def test_the_budget_holds_and_what_it_leaves_out_is_told() -> None:
    outputs = await chosen({"role": "architect"}, {"tokens": 20})
    assert outputs["tokens"] == sum(one["tokens"] for one in outputs["items"]) <= 20
    assert len(outputs["items"]) + len(outputs["left_out"]) == 4
    assert all(one["why"].startswith("fits the role by ") for one in outputs["left_out"])


async def test_what_there_is_room_for_stands_in_the_order_of_its_memories() -> None:
    outputs = await chosen({}, {"tokens": 1000})
    assert outputs["text"] == f"{ROOF}\n\n{MONEY}\n\n{CAT}\n\nGood morning to you."
    assert {one["memory"] for one in outputs["items"]} == {"facts", "talk"}
    assert outputs["left_out"] == []


async def test_a_conversation_is_asked_for_as_much_as_the_others() -> None:
    talk = plain_memory("talk", is_conversation=True)
    context = ScriptedContext()
    await talk.remember(context, [Note(f"Good morning, {number}.") for number in range(40)])
    given = {"memory": [talk], "task": "plan"}
    outputs: dict[str, Any] = await run_bench(route_context, given, {"candidates": 10}, context)
    assert len(outputs["items"]) == 10


async def test_a_memory_that_does_not_permit_it_gives_nothing() -> None:
    context = ScriptedContext()
    outputs = await chosen({}, {"by": "guest"}, context)
    assert outputs["text"] == "Good morning to you."
    assert context.lines == ["Nothing was recalled from `facts`: `guest` may not read `facts`."]


async def test_memories_that_are_empty_give_nothing() -> None:
    inputs = {"memory": [plain_memory("facts")], "task": "plan"}
    outputs = await run_bench(route_context, inputs, {}, ScriptedContext())
    assert outputs == {"text": "", "items": [], "left_out": [], "tokens": 0}
