"""AgentKit: a thought is a graph of prompts, which grows with what was learnt."""

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


def test_a_prompt_is_told_the_answers_of_those_before_it(system: System) -> None:
    chat = system.state.steps[StepId("episodes.3/think#tool.3/thinker#chat.1")]
    assert chat.request is not None
    asked = chat.request["messages"][-1]["content"]
    assert "There is: Wood grows by the lake, stones and coal lie by the hill." in asked
    assert "It was learnt: A pickaxe takes wood. A stone takes pickaxe." in asked


def test_prompts_that_need_nothing_of_one_another_are_thought_at_the_same_time(system: System) -> None:
    chats = [
        (type(one.event), one.step.partition("#")[2])
        for one in system.entries
        if isinstance(one.event, ChatRequested | ChatAnswered) and one.step.startswith("episodes.1/think")
    ]
    assert [kind for kind, _ in chats] == [
        *[ChatRequested] * 2,
        *[ChatAnswered] * 2,
        ChatRequested,
        ChatAnswered,
    ]
    assert {step for _, step in chats[:2]} == {"tool.1/thinker#chat.1", "tool.2/thinker#chat.1"}


def test_the_graph_grows_with_what_was_learnt(system: System) -> None:
    assert [prompts(system, f"episodes.{number}/act") for number in (1, 2, 3)] == [
        ["stone", "actions"],
        ["pickaxe", "stone", "actions"],
        ["wood", "pickaxe", "stone", "actions"],
    ]
    part = system.state.steps[StepId("episodes.3/act")].parts["actions"]
    assert part.after == ("wood", "pickaxe", "stone")
    assert part.text == "collect wood, make pickaxe, collect stone"


def test_each_episode_that_fails_teaches_what_the_next_one_recalls(system: System) -> None:
    lessons = [text(system, f"episodes.{number}/reflect") for number in (1, 2)]
    assert lessons == ["A stone takes pickaxe.", "A pickaxe takes wood."]
    recalled = [text(system, f"episodes.{number}/recall") for number in (1, 2, 3)]
    assert [[one for one in lessons if one in found] for found in recalled] == [[], lessons[:1], lessons]


def test_it_ends_where_the_goal_is_reached(system: System) -> None:
    assert system.state.outputs["answer"].data == "Reached: the player has wood, pickaxe, stone."
    assert system.state.steps[StepId("episodes.3/reflect")].status == "skipped"
    assert "episodes.4/think" not in system.state.steps


async def test_what_takes_nothing_needs_one_episode(folder: Path, tmp_path: Path) -> None:
    state = (await ran(folder, tmp_path, {"goal": "Get some wood."})).state
    assert state.outputs["answer"].data == "Reached: the player has wood."
    assert "episodes.2/think" not in state.steps


async def test_a_goal_that_nobody_can_reach_is_no_answer(folder: Path, tmp_path: Path) -> None:
    lost = (await ran(folder, tmp_path, {"goal": "Get a diamond."})).state
    assert lost.error is not None
    assert "answer" not in lost.outputs
    said = lost.steps[StepId("episodes.6/world")].outputs["result"].data
    assert said == "Not reached: nobody can collect diamond."
