"""AgentKit: steps are observed and thought as a graph of prompts that grows; failures are known later."""

import asyncio
from pathlib import Path

import pytest

from studio.ids import StepId
from studio.places import gallery_projects
from studio.trace.events import ChatAnswered, ChatRequested
from tests.projects.gallery.systems import System, ran


@pytest.fixture(scope="module")
def folder() -> Path:
    return next(one for one in gallery_projects() if one.name == "agentkit")


@pytest.fixture(scope="module")
def system(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(folder, tmp_path_factory.mktemp("agentkit")))


def prompts(system: System, step: str) -> list[str]:
    return list(system.state.steps[StepId(step)].parts)


def text(system: System, step: str) -> str:
    return system.state.steps[StepId(step)].text


def asked(system: System, chat: str) -> str:
    """All that a chat was told."""
    request = system.state.steps[StepId(chat)].request
    assert request is not None
    return "\n".join(one["content"] for one in request["messages"])


def test_each_step_thinks_about_what_is_observed_then(system: System) -> None:
    assert "The player has nothing." in asked(system, "steps.4/think#tool.1/thinker#chat.1")
    assert "The player has 1 wood." in asked(system, "steps.5/think#tool.1/thinker#chat.1")
    for number in (1, 2, 3, 4, 5, 6, 7):
        seen = text(system, f"steps.{number}/observe")
        assert seen in asked(system, f"steps.{number}/think#tool.1/thinker#chat.1")
        assert seen in asked(system, f"steps.{number}/grow#chat.1")


def test_every_prompt_knows_goal_and_manual_and_the_planner_the_goal(system: System) -> None:
    chats = [str(one.step) for one in system.entries if isinstance(one.event, ChatRequested)]
    for chat in (one for one in chats if "/thinker#" in one):
        assert "Get a stone." in asked(system, chat)
        assert "go to PLACE (PLACE is `trees` or `rocks`)" in asked(system, chat)
    planned = [one for one in chats if "/grow#" in one]
    assert len(planned) == 7
    assert all("The goal: Get a stone." in asked(system, one) for one in planned)


def test_a_prompt_is_told_the_answers_of_those_before_it(system: System) -> None:
    told = asked(system, "steps.3/think#tool.3/thinker#chat.1")
    assert "There is: There is stone and coal at the rocks" in told
    assert "It was learnt: Pickaxe takes wood. Stone takes pickaxe." in told


def test_prompts_that_need_nothing_of_one_another_are_thought_at_the_same_time(system: System) -> None:
    chats = [
        (type(one.event), one.step.partition("#")[2])
        for one in system.entries
        if isinstance(one.event, ChatRequested | ChatAnswered) and one.step.startswith("steps.1/think")
    ]
    assert [kind for kind, _ in chats] == [
        *[ChatRequested] * 2,
        *[ChatAnswered] * 2,
        ChatRequested,
        ChatAnswered,
    ]
    assert {step for _, step in chats[:2]} == {"tool.1/thinker#chat.1", "tool.2/thinker#chat.1"}


def test_the_questions_that_are_added_hang_on_the_subgoal_and_the_action_on_their_answers(system: System) -> None:
    grown = [prompts(system, f"steps.{number}/extend") for number in (1, 2, 3, 4, 5, 6, 7)]
    assert grown == [["where"], ["takes"], ["where"], ["where"], ["takes"], ["where"], ["where"]]
    decided = asked(system, "steps.3/decide#tool.1/thinker#chat.1")
    assert "The subgoal: Get wood" in decided
    assert 'What you asked yourself, and answered: {"where": "At the trees."}' in decided
    assert text(system, "steps.3/decide") == "go to trees"


def test_an_action_that_fails_teaches_what_later_steps_recall(system: System) -> None:
    acted = [text(system, f"steps.{number}/act").partition(":")[0] for number in (1, 2, 3, 4, 5, 6, 7)]
    assert acted == [
        *["collect stone", "make pickaxe", "go to trees", "collect wood", "make pickaxe"],
        *["go to rocks", "collect stone"],
    ]
    lessons = [text(system, f"steps.{number}/reflect") for number in (1, 2)]
    assert lessons == ["Stone takes pickaxe.", "Pickaxe takes wood."]
    recalled = [text(system, f"steps.{number}/recall") for number in (1, 2, 3)]
    assert [[one for one in lessons if one in found] for found in recalled] == [[], lessons[:1], lessons]
    assert system.state.steps[StepId("steps.3/reflect")].status == "skipped"


def test_it_ends_where_the_goal_is_observed(system: System) -> None:
    assert str(system.state.outputs["answer"].data).startswith("Reached: the player stands at the rocks")
    assert system.state.steps[StepId("steps.8/think")].status == "skipped"


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("Get a diamond.", "this world has wood, a pickaxe, stone and coal"),
        ("Get two stones and sell them.", "These answers know goals such as “Get a stone.”"),
    ],
)
async def test_a_goal_that_is_not_known_ends_the_run(
    goal: str, said: str, folder: Path, tmp_path: Path
) -> None:
    lost = (await ran(folder, tmp_path, {"goal": goal})).state
    assert lost.error is not None
    assert lost.error.exit_code == 1
    assert "Unknown: " in lost.error.message
    assert said in lost.error.message
    assert "answer" not in lost.outputs
