"""Workers are made of lent agents while the flow runs."""

from typing import Any

import pytest

from nodes.plan.spawn import spawn
from studio.building_blocks.testing import lent_agent
from studio.sdk import StepError
from studio.sdk.testing import ScriptedAnswer, ScriptedContext, run_bench

EARS = {"name": "ears", "role": "You know songs.", "task": "How does a wren sing?"}
EYES = {"name": "eyes", "task": "What does it look like?", "like": "painter"}


async def spawned(
    workers: Any, *answers: ScriptedAnswer, task: str = "", **settings: Any
) -> tuple[dict[str, Any], ScriptedContext]:
    context = ScriptedContext(answers)
    agents = [lent_agent(context, "expert", "You know birds."), lent_agent(context, "painter", "You paint.")]
    inputs = {"workers": workers, "agents": agents, "task": task}
    return await run_bench(spawn, inputs, settings, context), context


async def test_each_has_a_role_besides_what_it_is_made_from_and_is_told_as_a_part() -> None:
    made, context = await spawned([EARS, EYES], "Loudly.", "Brown.", task="A bird guide")
    assert made["replies"] == ["Loudly.", "Brown."]
    assert made["text"] == "ears: Loudly.\n\neyes: Brown."
    first, second = (one.messages for one in context.requests)
    assert first[0].content == "You know birds.\n\nYou know songs.\n\nAll of it is for this: A bird guide"
    assert second[0].content == "You paint.\n\nAll of it is for this: A bird guide"
    done = {one.id: one for one in context.parts if one.status == "done"}
    assert done["ears"].settings == {"instructions": "You know birds.\n\nYou know songs."}
    assert (done["eyes"].kind, done["eyes"].text) == ("llm.agent", "Brown.")


async def test_at_once_none_hears_another_and_in_turn_each_hears_those_before_it() -> None:
    _, apart = await spawned([EARS, EYES], "Loudly.", "Brown.")
    _, in_turn = await spawned([EARS, EYES], "Loudly.", "Brown.", order="in turn")
    asked = [one.requests[1].messages[-1].content for one in (apart, in_turn)]
    assert asked == ["What does it look like?", "ears: Loudly.\n\nWhat does it look like?"]


async def test_a_text_is_a_task_and_names_are_told_apart() -> None:
    made, _ = await spawned(
        ["Sing.", {"name": "a bird", "task": "Fly."}, {"name": "a bird", "task": "?"}], *"abc"
    )
    assert [one["name"] for one in made["results"]] == ["worker_1", "a_bird", "a_bird_2"]


async def test_a_specification_may_be_an_object_or_a_text_of_json() -> None:
    assert (await spawned({"workers": ["Sing."]}, "La."))[0]["replies"] == ["La."]
    assert (await spawned('["Sing."]', "La."))[0]["replies"] == ["La."]


async def test_nobody_to_make_gives_no_replies() -> None:
    made, _ = await spawned([])
    assert made == {"replies": [], "text": "", "results": []}


@pytest.mark.parametrize(
    ("workers", "reason"),
    [
        ([{"name": "ears"}], "task"),
        ([{"task": "Sing.", "like": "owl"}], "no agent `owl`"),
        ("Sing.", "list of workers"),
        (["Sing."] * 3, "would be 3 workers; the limit is 2"),
    ],
)
async def test_what_is_no_specification_is_refused(workers: Any, reason: str) -> None:
    with pytest.raises(StepError, match=reason):
        await spawned(workers, most=2)


async def test_without_an_agent_nobody_can_be_made() -> None:
    with pytest.raises(StepError, match="attached to create"):
        await run_bench(spawn, {"workers": ["Sing."], "agents": []}, {}, ScriptedContext())


async def test_a_worker_that_fails_fails_the_step_or_is_left_out() -> None:
    fails = StepError("It is hoarse.")
    with pytest.raises(StepError, match="`ears` failed: It is hoarse"):
        await spawned([EARS, EYES], fails, "Brown.")
    made, context = await spawned([EARS, EYES], fails, "Brown.", on_failure="leave out")
    assert made["replies"] == ["Brown."]
    assert [one.get("error") for one in made["results"]] == ["It is hoarse.", None]
    assert [one.detail["reason"] for one in context.parts if one.status == "failed"] == ["It is hoarse."]
