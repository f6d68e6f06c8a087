"""A plan is made of what is lent, and sent back until it can be followed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.plan.make_plan import make_plan
from studio.building_blocks.plans.plan import in_rounds, read_plan
from studio.building_blocks.testing import lent_agent
from studio.sdk import Agent, Note, StepError, Tool
from studio.sdk.testing import ScriptedContext, run_bench, word_memory

FIND = {
    "type": "object",
    "properties": {"place": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["place"],
    "additionalProperties": False,
}


async def nothing(_: object) -> str:
    return ""


WEATHER = Tool("weather", "Tells the weather.", FIND, nothing)
GUIDE = Agent("guide", "Knows walks.")
DOERS = {"weather": WEATHER, "guide": GUIDE}
NOW: dict[str, Any] = {"id": "now", "do": "weather", "with": {"place": "Ely"}}
ADVICE: dict[str, Any] = {"id": "advice", "title": "Advise", "do": "guide", "with": "A walk at {{now}}?"}


def said(*tasks: dict[str, Any]) -> str:
    return json.dumps({"tasks": tasks})


async def planned(*answers: str, **settings: Any) -> tuple[dict[str, Any], ScriptedContext]:
    context = ScriptedContext(answers)
    inputs = {"task": "A walk?", "tools": [WEATHER], "agents": [lent_agent(context, "guide")]}
    return await run_bench(make_plan, inputs, settings, context), context


async def test_a_plan_comes_in_an_order_in_which_it_can_be_done() -> None:
    made, context = await planned(said(ADVICE, NOW))
    assert [(one["id"], one["after"]) for one in made["plan"]] == [("now", []), ("advice", ["now"])]
    assert made["text"] == "1. now (now: weather)\n2. Advise (advice: guide, after now)"
    assert made["repaired"] == 0
    told = context.requests[0].messages[0].content
    assert "- weather: Tells the weather. (takes" in told
    assert "- guide (is asked with a text)" in told


WRONG: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a name that nobody has": ([{**NOW, "do": "forecast"}], "by `forecast`; there is only"),
    "two of one id": ([NOW, {**ADVICE, "id": "now", "with": "?"}], "Two tasks are called `now`"),
    "a cycle": ([{**NOW, "after": ["advice"]}, ADVICE], "wait for one another"),
    "no such task": ([{**NOW, "after": ["then"]}], "`now` needs `then`"),
    "no such result": ([{**ADVICE, "with": "{{later}}?"}], "`advice` needs `later`"),
    "arguments of another kind": ([{**NOW, "with": {"place": 5}}], "`now`, `weather`"),
    "an argument too few": ([NOW, {**NOW, "id": "two", "with": {"days": "{{now}}"}}], "wants `place`"),
    "an argument too many": (
        [NOW, {**NOW, "id": "two", "with": {"place": "{{now}}", "hour": 1}}],
        "knows no `hour`",
    ),
    "nothing to do": ([], "no task"),
    "an id that is none": ([{**NOW, "id": "Now!"}], "id"),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_followed_is_sent_back_with_the_reason(name: str) -> None:
    tasks, reason = WRONG[name]
    made, context = await planned(said(*tasks), said(NOW))
    assert [one["id"] for one in made["plan"]] == ["now"]
    assert made["repaired"] == 1
    assert reason in context.requests[1].messages[-1].content


async def test_what_is_no_json_is_sent_back_too_and_asked_for_in_words() -> None:
    made, context = await planned("First the weather.", said(NOW))
    assert made["repaired"] == 1
    assert "cannot be read as JSON" in context.requests[1].messages[-1].content
    assert context.requests[1].schema_by == "instruction"


async def test_after_the_last_repair_it_fails_with_what_is_wrong() -> None:
    with pytest.raises(StepError, match="by `forecast`"):
        await planned(*2 * [said({**NOW, "do": "forecast"})], repairs=1)


async def test_a_plan_of_too_many_tasks_is_sent_back() -> None:
    _, context = await planned(said(NOW, ADVICE), said(NOW), most=1)
    assert "has 2 tasks; the limit is 1" in context.requests[1].messages[-1].content


async def test_values_may_be_asked_for_and_no_task_may_be_called_so() -> None:
    made, context = await planned(
        said({**NOW, "id": "city"}), said({**NOW, "with": {"place": "{{city}}"}}), values=["city"]
    )
    assert "`city` is taken" in context.requests[1].messages[-1].content
    assert made["plan"][0]["after"] == ["city"]


async def test_plans_for_the_like_are_shown_along() -> None:
    context, library = ScriptedContext([said(NOW)]), word_memory("library")
    await library.remember(context, [Note("A walk? First the weather.")])
    inputs = {"task": "A walk?", "tools": [WEATHER], "library": [library]}
    await run_bench(make_plan, inputs, {}, context)
    assert "<plan>\nA walk? First the weather.\n</plan>" in context.requests[0].messages[1].content


async def test_of_many_tools_those_are_shown_that_fit_the_task() -> None:
    others = [Tool(f"paint_{colour}", "Paints a wall.", FIND, nothing) for colour in ("red", "blue")]
    context = ScriptedContext([said({**NOW, "do": "paint_red"}), said(NOW)])
    inputs = {"task": "Tell me the weather of Ely", "tools": [*others, WEATHER]}
    made = await run_bench(make_plan, inputs, {"offered": 1}, context)
    assert "paint_" not in context.requests[0].messages[0].content
    assert "there is only weather" in context.requests[1].messages[-1].content
    assert made["repaired"] == 1
    context = ScriptedContext([said({**NOW, "do": "paint_red"})])
    made = await run_bench(make_plan, {**inputs, "task": "Sing!"}, {"offered": 1}, context)
    assert made["repaired"] == 0


async def test_without_anybody_there_is_no_plan() -> None:
    with pytest.raises(StepError, match="no agent or tool to plan"):
        await run_bench(make_plan, {"task": "A walk?"}, {}, ScriptedContext())


async def test_two_of_one_name_are_refused() -> None:
    inputs = {"task": "A walk?", "tools": [WEATHER], "agents": [Agent("weather")]}
    with pytest.raises(StepError, match="named `weather`"):
        await run_bench(make_plan, inputs, {}, ScriptedContext())


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8))
def test_a_plan_is_read_where_its_tasks_can_be_ordered_and_only_there(waits: list[set[int]]) -> None:
    names = [f"t{place}" for place in range(len(waits))]
    plan: Any = [
        {"id": name, "do": "guide", "with": "?", "after": [f"t{one}" for one in sorted(some)]}
        for name, some in zip(names, waits, strict=True)
    ]
    tasks, problem = read_plan(plan, DOERS)
    over: set[str] = set()
    while found := [one["id"] for one in plan if one["id"] not in over and over.issuperset(one["after"])]:
        over |= set(found)
    assert (not problem) == (over == set(names))
    if not problem:
        assert [one.id for several in in_rounds(tasks) for one in several] == [one.id for one in tasks]
        assert all(set(one.after) <= {two.id for two in tasks[:place]} for place, one in enumerate(tasks))
