"""A lead plans, hands out, sees that the work is stuck, and plans anew."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from nodes.team.orchestrator import orchestrator
from studio.sdk import Agent, Part, StepError
from studio.sdk.testing import ScriptedContext, run_bench
from tests.nodes.team.members import Member, failing, saying

SURVEY = {"reason": "-", "given": [], "look_up": ["where it nests"], "derive": [], "guesses": ["a hedge"]}


def plan(*steps: str, reason: str = "So.") -> str:
    """A plan; a step is `who: what`."""
    made = [one.split(": ") for one in steps]
    return json.dumps({"reason": reason, "steps": [{"who": who, "title": what} for who, what in made]})


def survey(**changed: Any) -> str:
    return json.dumps({**SURVEY, **changed})


def look(who: str, what: str = "Go.", **changed: Any) -> str:
    """A look at the progress that finds some, unless it says otherwise."""
    found = {"reason": "Because.", "satisfied": False, "in_loop": False, "progressing": True}
    found |= {"done": [], "step": 1, "next_speaker": who, "instruction": what}
    return json.dumps({**found, **changed})


def solved(*done: int) -> str:
    return look("ada", "", satisfied=True, done=done, step=0)


def stuck(who: str, **changed: Any) -> str:
    return look(who, "Once more.", progressing=False, **changed)


async def lead(agents: Sequence[Agent], chat: Sequence[str], **settings: Any) -> tuple[dict[str, Any], Any]:
    context = ScriptedContext(chat)
    found = await run_bench(orchestrator, {"task": "Where?", "agents": agents}, settings, context)
    return found, context


def told(context: ScriptedContext, id_: str) -> list[Part]:
    return [one for one in context.parts if one.id == id_]


async def test_everybody_works_from_the_task_ledger_and_is_told_what_to_do() -> None:
    ada, ben = (
        saying("ada", "In the ivy.", description="Reads."),
        saying("ben", "Yes.", description="Checks."),
    )
    chat = [survey(), plan("ada: Look it up", "ben: Check it"), look("ada", "Look up the nest.")]
    chat += [look("ben", "Check that.", done=[1], step=2), solved(1, 2), "In the ivy."]
    found, _ = await lead([ada, ben], chat)
    assert (found["reply"], found["ended"], found["speaker"]) == ("In the ivy.", "satisfied", "ben")
    assert ada.heard == ["Look up the nest."]
    [ledger] = [one.content for one in ada.turns[0].history]
    assert ledger == (
        "We work on this task:\n\nWhere?\n\nThe team:\n- ada: Reads.\n- ben: Checks.\n\n"
        "To look up:\n- where it nests\nGuessed:\n- a hedge\n\n"
        "The plan:\n1. Look it up (ada)\n2. Check it (ben)"
    )
    [heard] = [one.content for one in ben.turns[0].history]
    assert heard == f"{ledger}\n\norchestrator: ada, Look up the nest.\n\nada: In the ivy."
    assert [one.content.partition(":")[0] for one in found["messages"][1:]] == [
        "orchestrator",
        "ada",
        "orchestrator",
        "ben",
        "orchestrator",
    ]


async def test_steps_and_turns_are_parts_that_grow_and_end() -> None:
    chat = [survey(), plan("ada: Look it up", "ada: Check it"), look("ada", "Look."), solved(1), "Done."]
    _, context = await lead([saying("ada", "Found.")], chat)
    assert [(one.id, one.of) for one in context.parts[:3]] == [
        ("plan_1", ""),
        ("plan_1_step_1", "plan_1"),
        ("plan_1_step_2", "plan_1"),
    ]
    assert [one.status for one in told(context, "plan_1_step_1")] == ["waiting", "running", "done"]
    assert [one.status for one in told(context, "plan_1_step_2")] == ["waiting", "dropped"]
    first, last = told(context, "turn_1")
    assert (first.title, first.of, first.status) == ("Look.", "plan_1_step_1", "running")
    assert (last.status, last.text, last.detail["agent"]) == ("done", "Found.", "ada")
    second = told(context, "plan_1_step_2")[0]
    assert second.after == ("plan_1_step_1",)
    assert (second.kind, second.settings) == ("llm.agent", {"instructions": "Check it\n\n{{plan_1_step_1}}"})


async def test_so_many_stalls_make_a_new_plan_with_which_all_begin_anew() -> None:
    ada, ben = saying("ada", "No.", "Not there either."), saying("ben", "In the ivy.")
    chat = [survey(), plan("ada: Look it up"), look("ada"), stuck("ada"), stuck("ada", in_loop=True)]
    chat += [survey(given=["not in the hedge"]), plan("ben: Ask", reason="Books do not say.")]
    chat += [look("ben", "Ask."), solved(1), "In the ivy."]
    found, context = await lead([ada, ben], chat, stalls=2)
    assert (found["plans"], found["ended"]) == (2, "satisfied")
    assert found["facts"]["given"] == ["not in the hedge"]
    assert [(one.status, one.detail.get("reason")) for one in told(context, "plan_1_step_1")][-1] == (
        "dropped",
        "Books do not say.",
    )
    [ledger] = [one.content for one in ben.turns[0].history]
    assert "not in the hedge" in ledger
    assert "ada: No." not in ledger, "what was said under the first plan is behind them"
    asked = context.requests[5].messages[-1].content
    assert "Not there either." in asked, "the survey is put right from what was said"


async def test_progress_makes_up_for_a_stall() -> None:
    chat = [survey(), plan("ada: Look"), stuck("ada"), look("ada"), stuck("ada"), solved(1), "There."]
    found, _ = await lead([saying("ada", "1", "2", "3")], chat, stalls=2)
    assert found["plans"] == 1


async def test_new_plans_are_bounded() -> None:
    chat = [survey(), plan("ada: Look"), stuck("ada"), survey(), plan("ada: Look"), stuck("ada"), "Unknown."]
    found, context = await lead([saying("ada")], chat, stalls=1, replans=1)
    assert (found["ended"], found["plans"], found["reply"]) == ("stalled", 2, "Unknown.")
    assert told(context, "plan_2")[-1].status == "failed"


async def test_turns_are_bounded_and_a_rule_may_end_it() -> None:
    chat = [survey(), plan("ada: Look"), look("ada"), look("ada"), "So far."]
    assert (await lead([saying("ada", "1", "2")], chat, turns=2))[0]["ended"] == "turns"
    chat = [survey(), plan("ada: Look"), look("ada"), "So far."]
    assert (await lead([saying("ada", "1")], chat, ends_when="plans == 1 and stalls == 0"))[0][
        "ended"
    ] == "rule"


async def test_a_member_that_fails_is_told_of_and_the_work_goes_on() -> None:
    ben = saying("ben", "In the ivy.")
    chat = [survey(), plan("ada: Look"), look("ada"), look("ben", "You try."), solved(1), "In the ivy."]
    found, context = await lead([failing("ada", "the book is lost"), ben], chat)
    assert found["ended"] == "satisfied"
    assert [one.status for one in told(context, "turn_1")] == ["running", "failed"]
    assert "ada: (I could not answer: the book is lost)" in ben.turns[0].history[0].content
    with pytest.raises(StepError, match="lost"):
        await lead([failing("ada", "the book is lost"), ben], chat, at_fault="fail")


async def test_who_is_not_there_is_sent_back_and_then_the_next_goes_on() -> None:
    def two() -> list[Member]:
        return [saying("ada", "a", "a"), saying("ben", "b")]

    chat = [survey(), plan("ada: Look"), look("ada"), look("cy"), look("ben"), solved(1), "There."]
    found, context = await lead(two(), chat)
    assert found["speaker"] == "ben"
    assert "ada" in context.requests[4].messages[-1].content
    chat = [survey(), plan("ada: Look"), look("ada"), look("cy"), "nobody", solved(1), "There."]
    found, context = await lead(two(), chat, repairs=1)
    assert found["speaker"] == "ben"
    assert told(context, "turn_2")[0].of == "plan_1"


async def test_a_plan_that_never_fits_fails_the_step() -> None:
    with pytest.raises(StepError, match="not the required JSON"):
        await lead([saying("ada")], [survey(), plan("cy: Look")], repairs=0)


async def test_the_team_is_whoever_is_wired_to_it() -> None:
    for names in (("ada",), ("ada", "ben")):
        chat = [survey(), plan("ada: Look"), solved(1), "There."]
        _, context = await lead([saying(one) for one in names], chat)
        steps = context.requests[1].response_schema["properties"]["steps"]
        assert steps["items"]["properties"]["who"]["enum"] == [*names]


async def test_a_member_may_be_called_as_the_lead_is() -> None:
    chat = [survey(), plan("orchestrator: Look"), look("orchestrator", "Look.")]
    chat += [look("orchestrator", satisfied=True), "There."]
    found, _ = await lead([saying("orchestrator", "Found.")], chat)
    assert [one.content.partition(":")[0] for one in found["messages"][1:]] == [
        "orchestrator_",
        "orchestrator",
        "orchestrator_",
    ]
