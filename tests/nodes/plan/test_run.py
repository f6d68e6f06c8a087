"""A plan is followed: in which order, with what, and what happens where a task fails."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from nodes.plan.run import run
from studio.building_blocks.testing import lent_agent
from studio.sdk import Agent, StepError, Tool, ToolError
from studio.sdk.testing import ScriptedContext, run_bench

Plan = list[dict[str, Any]]


class Kitchen:
    """Tools that are kept track of: what each was called with, and who was at work at the same time."""

    def __init__(self, *broken: str) -> None:
        self.calls: list[tuple[str, Mapping[str, object]]] = []
        self.broken = broken

    async def boil(self, arguments: Mapping[str, object]) -> str:
        """Boil something, unless it is broken."""
        self.calls.append(("boil", arguments))
        if arguments["what"] in self.broken:
            raise ToolError(f"The {arguments['what']} burnt.")
        return json.dumps({"what": arguments["what"], "minutes": 7})

    async def serve(self, arguments: Mapping[str, object]) -> str:
        """Serve it."""
        self.calls.append(("serve", arguments))
        return f"Served after {arguments.get('minutes')} minutes."

    def tools(self) -> list[Tool]:
        """What is lent."""
        boil = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
        serve = {
            "type": "object",
            "properties": {"minutes": {"type": "integer"}, "note": {"type": "string"}, "all": {}},
        }
        return [Tool("boil", "", boil, self.boil), Tool("serve", "", serve, self.serve)]


EGG: dict[str, Any] = {"id": "egg", "do": "boil", "with": {"what": "egg"}}
TEA: dict[str, Any] = {"id": "tea", "do": "boil", "with": {"what": "tea"}}
LAID: dict[str, Any] = {"minutes": "{{egg.minutes}}"}
TABLE: dict[str, Any] = {"id": "table", "do": "serve", "with": LAID, "after": ["tea"]}


async def followed(
    plan: Any, *answers: str, kitchen: Kitchen | None = None, values: Any = None, **settings: Any
) -> tuple[dict[str, Any], ScriptedContext]:
    context = ScriptedContext(answers)
    cook = lent_agent(context, "cook", "You cook.")
    inputs: dict[str, Any] = {"plan": plan, "task": "Breakfast", "agents": [cook], "values": values or {}}
    inputs["tools"] = (kitchen or Kitchen()).tools()
    return await run_bench(run, inputs, settings, context), context


def statuses(context: ScriptedContext) -> list[tuple[str, str]]:
    return [(one.id, one.status) for one in context.parts]


async def test_tasks_are_done_in_rounds_and_told_as_they_change() -> None:
    made, context = await followed([TABLE, EGG, TEA])
    assert made["reply"] == "Served after 7 minutes."
    assert made["adherence"] == 1
    assert made["failed"] == []
    assert statuses(context) == [
        *[(name, "waiting") for name in ("egg", "tea", "table")],
        *[("egg", "running"), ("tea", "running"), ("egg", "done"), ("tea", "done")],
        *[("table", "running"), ("table", "done")],
    ]
    assert context.parts[-1].after == ("tea", "egg")
    assert context.parts[-1].text == "Served after 7 minutes."


async def test_a_placeholder_alone_is_the_value_unless_the_tool_wants_a_text() -> None:
    kitchen = Kitchen()
    last = {"minutes": "{{egg.minutes}}", "note": "{{egg.minutes}}", "all": ["{{egg}}", "for {{who}}"]}
    plan = [EGG, {"id": "table", "do": "serve", "with": last}]
    await followed(plan, kitchen=kitchen, values={"who": "two"})
    assert kitchen.calls[-1] == (
        "serve",
        {"minutes": 7, "note": "7", "all": [{"what": "egg", "minutes": 7}, "for two"]},
    )


async def test_an_agent_is_told_the_purpose_and_what_those_gave_that_it_waits_for() -> None:
    plan = [EGG, TEA, {"id": "advice", "do": "cook", "with": "Is {{egg.minutes}} enough?", "after": ["tea"]}]
    made, context = await followed(plan, "It is.")
    assert made["reply"] == "It is."
    system, asked = context.requests[0].messages
    assert system.content.startswith("You cook.\n\nYou do one task of a plan")
    assert system.content.endswith("Breakfast")
    assert asked.content.startswith('Is 7 enough?\n\n<result of="tea">')
    assert 'of="egg"' not in asked.content


async def test_several_last_tasks_are_answered_together() -> None:
    made, _ = await followed([EGG, TEA])
    assert json.loads(made["reply"]).keys() == {"egg", "tea"}
    assert made["results"]["tea"] == {"what": "tea", "minutes": 7}


async def test_a_plan_may_be_a_text_and_one_that_cannot_be_followed_is_refused_unbegun() -> None:
    assert (await followed(json.dumps({"tasks": [EGG]})))[0]["adherence"] == 1
    kitchen = Kitchen()
    with pytest.raises(StepError, match="done by `fry`"):
        await followed([EGG, {**TEA, "do": "fry"}], kitchen=kitchen)
    assert kitchen.calls == []


async def test_a_failure_ends_the_plan_and_what_is_under_way_is_finished() -> None:
    kitchen, context = Kitchen("egg"), ScriptedContext()
    inputs = {"plan": [EGG, TEA, TABLE], "tools": kitchen.tools()}
    with pytest.raises(StepError, match="`egg` failed: The egg burnt"):
        await run_bench(run, inputs, {}, context)
    assert [one for one, _ in kitchen.calls] == ["boil", "boil"]
    assert statuses(context)[-1] == ("table", "dropped")


async def test_what_needs_a_failed_task_is_dropped_and_the_rest_goes_on() -> None:
    plan = [EGG, TEA, TABLE, {"id": "other", "do": "serve", "with": {"minutes": 1}, "after": ["tea"]}]
    made, context = await followed(plan, kitchen=Kitchen("egg"), on_failure="skip")
    assert made["failed"] == ["egg", "table"]
    assert made["adherence"] == 0.5
    assert made["reply"] == "Served after 1 minutes."
    dropped = next(one for one in context.parts if one.status == "dropped")
    assert dropped.detail["reason"] == "It needs `egg`."


async def test_where_no_last_task_is_done_the_reply_says_what_failed() -> None:
    made, _ = await followed([EGG, TEA, TABLE], kitchen=Kitchen("egg"), on_failure="skip")
    assert made["reply"] == "`egg` failed: The egg burnt."


ANEW = {
    "answer": "",
    "tasks": [
        {"id": "porridge", "do": "boil", "with": {"what": "oats"}},
        {"id": "set", "do": "serve", "with": {"minutes": "{{porridge.minutes}}"}, "after": ["tea"]},
    ],
}


async def test_after_a_failure_it_is_planned_anew_on_what_was_done() -> None:
    kitchen = Kitchen("egg")
    made, context = await followed([EGG, TEA, TABLE], json.dumps(ANEW), kitchen=kitchen, on_failure="replan")
    assert made["reply"] == "Served after 7 minutes."
    assert (made["replans"], made["adherence"]) == (1, 0.3333)
    assert made["failed"] == ["egg", "table"]
    shown = json.loads(context.requests[0].messages[1].content)
    assert [(one["id"], one["status"]) for one in shown["plan"]] == [
        ("egg", "failed"),
        ("tea", "done"),
        ("table", "dropped"),
    ]
    assert shown["plan"][0]["reason"] == "The egg burnt."
    assert [one for one in statuses(context) if one[1] == "done"] == [
        ("tea", "done"),
        ("porridge", "done"),
        ("set", "done"),
    ]


async def test_a_task_that_failed_may_be_tried_again_under_its_name_and_one_that_is_done_may_not() -> None:
    again = {"answer": "", "tasks": [{**EGG, "with": {"what": "duck egg"}}]}
    done = {"answer": "", "tasks": [{**TEA}]}
    made, context = await followed(
        [EGG, TEA], json.dumps(done), json.dumps(again), kitchen=Kitchen("egg"), on_failure="replan"
    )
    assert "`tea` is taken" in context.requests[1].messages[-1].content
    assert made["failed"] == []
    assert made["results"]["egg"]["what"] == "duck egg"


async def test_planning_anew_is_bounded() -> None:
    again = json.dumps({"answer": "", "tasks": [EGG]})
    with pytest.raises(StepError, match="`egg` failed"):
        await followed([EGG], again, again, kitchen=Kitchen("egg"), on_failure="replan", replans=2)


async def test_instead_of_further_tasks_there_may_be_an_answer() -> None:
    gives_up = json.dumps({"answer": "There is no egg today.", "tasks": []})
    made, _ = await followed([EGG], gives_up, kitchen=Kitchen("egg"), on_failure="replan")
    assert made["reply"] == "There is no egg today."
    assert made["failed"] == ["egg"]


async def test_at_the_end_a_chat_gives_further_tasks_and_then_the_answer() -> None:
    more = json.dumps({"answer": "", "tasks": [{"id": "set", "do": "serve", "with": {"minutes": 3}}]})
    made, context = await followed(
        [EGG], more, json.dumps({"answer": "It is served."}), answers=True, replans=1
    )
    assert made["reply"] == "It is served."
    assert made["results"]["set"] == "Served after 3 minutes."
    forms: list[Any] = [one.response_schema for one in context.requests]
    assert ["tasks" in one["properties"] for one in forms] == [True, False]


async def test_neither_an_answer_nor_a_task_is_sent_back() -> None:
    nothing = json.dumps({"answer": " ", "tasks": []})
    answer = json.dumps({"answer": "Done.", "tasks": []})
    made, context = await followed([EGG], nothing, answer, answers=True)
    assert made["reply"] == "Done."
    assert "neither" in context.requests[1].messages[-1].content


async def test_a_task_says_what_it_would_be_as_a_node() -> None:
    plan = [EGG, {"id": "table", "do": "serve", "with": {"minutes": "{{egg.minutes}}", "note": "hot"}}]
    _, context = await followed([*plan, {"id": "advice", "do": "cook", "with": "Is {{egg}} right?"}], "Yes.")
    kept = {one.id: (one.kind, dict(one.settings)) for one in context.parts}
    assert kept == {
        "egg": ("control.call_tool", {"tool_name": "boil", "fields": []}),
        "table": ("control.call_tool", {"tool_name": "serve", "fields": ["minutes"]}),
        "advice": ("llm.agent", {"instructions": "You cook.\n\nIs {{egg}} right?"}),
    }


async def test_an_agent_that_fails_is_a_task_that_failed() -> None:
    context = ScriptedContext([StepError("Nobody is at home.")])
    inputs = {
        "plan": [{"id": "advice", "do": "cook", "with": "?"}],
        "agents": [lent_agent(context, "cook")],
    }
    with pytest.raises(StepError, match="`advice` failed: Nobody is at home"):
        await run_bench(run, inputs, {}, context)


async def test_one_who_can_only_take_over_a_conversation_does_no_task() -> None:
    inputs = {"plan": [{"id": "advice", "do": "cook", "with": "?"}], "agents": [Agent("cook")]}
    with pytest.raises(StepError, match="only be handed"):
        await run_bench(run, inputs, {}, ScriptedContext())
