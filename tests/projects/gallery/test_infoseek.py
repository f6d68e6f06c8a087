"""InfoSeek: a tree grows by recursion within a bound, is blurred upwards, and questions are sampled."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.ids import StepId
from studio.places import projects
from studio.trace.fold.state import RunState
from tests.projects.gallery.systems import System, ran, speakers

LIGHTHOUSE = "each.0/synthesise"
BELL = "each.2/synthesise"
Tree = dict[str, Any]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return asyncio.run(ran(projects() / "infoseek", tmp_path_factory.mktemp("infoseek")))


def given(state: RunState, step: str, port: str) -> Any:
    return state.steps[StepId(step)].outputs[port].data


def below(tree: Tree, depth: int = 0) -> Iterator[tuple[int, Tree]]:
    """All nodes of a tree, each with its depth."""
    yield depth, tree
    for child in tree["children"]:
        yield from below(child["node"], depth + 1)


def test_the_flow_calls_itself_for_every_link_until_no_level_is_left(system: System) -> None:
    state = system.state
    grown = given(state, f"{LIGHTHOUSE}/grow", "node")
    assert [(depth, one["entity"]) for depth, one in below(grown)] == [
        (0, "Marl Lighthouse"),
        (1, "Skarholm"),
        (2, "Fennel Harbour"),
        (1, "Tomas Reke"),
        (2, "Fennel Harbour"),
    ]
    innermost = f"{LIGHTHOUSE}/grow/each_link.0/grow/each_link.0/grow"
    assert given(state, f"{innermost}/planner", "deepen") == [{"entity": "Orrin Bell", "relation": "hears"}]
    assert state.steps[StepId(f"{innermost}/each_link.0/grow")].status == "skipped"


def test_what_stands_on_the_way_is_not_followed_again(system: System) -> None:
    skarholm = f"{LIGHTHOUSE}/grow/each_link.0/grow"
    linked = [one["entity"] for one in given(system.state, f"{skarholm}/browser", "links")]
    chosen = [one["entity"] for one in given(system.state, f"{skarholm}/planner", "deepen")]
    assert linked == ["Marl Lighthouse", "Fennel Harbour"]
    assert chosen == ["Fennel Harbour"]


def test_the_browser_searches_and_reads_each_page_that_a_node_names(system: System) -> None:
    state = system.state
    assert speakers(state, f"{LIGHTHOUSE}/grow/browser") == ["text_search", "read_file"]
    pages = {one["entity"]: one["page"] for _, one in below(given(state, f"{LIGHTHOUSE}/grow", "node"))}
    for entity, page in pages.items():
        assert (system.project.root / "data" / "pages" / page).read_text("utf-8").startswith(f"# {entity}\n")


def test_descriptions_are_made_of_those_below_and_name_nobody(system: System) -> None:
    tree = given(system.state, f"{LIGHTHOUSE}/grow", "node")
    names = [one["entity"] for _, one in below(tree)]
    for _, one in below(tree):
        assert not any(name in one["description"] for name in names)
        for child in one["children"]:
            assert f"{child['relation']} {child['node']['description']}" in one["description"]
    question = given(system.state, f"{LIGHTHOUSE}/composer", "question")
    assert all(fact in question for _, one in below(tree) for fact in one["facts"])


def test_a_description_that_says_a_name_is_sent_back(system: System) -> None:
    reke = f"{LIGHTHOUSE}/grow/each_link.1/grow"
    notes = [given(system.state, f"{reke}/hide.{number}/hidden", "result")["note"] for number in (1, 2)]
    assert notes == ["It says Tomas Reke.", ""]
    said = [system.state.steps[StepId(f"{reke}/hide.{number}/blur#chat.1")].request for number in (1, 2)]
    assert all(one is not None for one in said)
    first, second = (str(one["messages"][-1]["content"]) for one in said if one is not None)
    assert first.startswith("Not to be said: Tomas Reke > Marl Lighthouse > Fennel Harbour\n")
    assert "will not do: It says Tomas Reke." in second


def test_branches_grow_at_the_same_time(system: System) -> None:
    names = [f"{LIGHTHOUSE}/grow/each_link.{n}/grow" for n in (0, 1)]
    seen = [
        (one.event.kind, str(one.step))
        for one in system.entries
        if str(one.step) in names and one.event.kind in {"step_started", "step_finished"}
    ]
    assert [kind for kind, _ in seen] == ["step_started"] * 2 + ["step_finished"] * 2


def test_a_question_that_is_guessed_is_rejected_and_no_attempt_of_it_kept(system: System) -> None:
    state = system.state
    assert [given(state, f"each.{n}/synthesise/guessed", "found") for n in (0, 1, 2)] == [0, 1, 0]
    assert state.outputs["rejected"].data == [given(state, "each.1/synthesise/composer", "question")]
    assert state.steps[StepId("each.1/keep")].status == "skipped"
    rows = read(system, "dataset.jsonl")
    assert [one["answer"] for one in rows] == ["Marl Lighthouse", "Orrin Bell"]


def test_only_attempts_that_came_out_right_become_trajectories(system: System) -> None:
    for topic, right in ((LIGHTHOUSE, [1, 0, 0]), (BELL, [1, 1, 0])):
        attempts = [given(system.state, f"{topic}/attempts.{n}/found_right", "score") for n in (0, 1, 2)]
        assert attempts == right
    kept = read(system, "trajectories.jsonl")
    assert [one["answer"] for one in kept] == ["Marl Lighthouse", "Orrin Bell", "Orrin Bell"]
    for one in kept:
        assert one["messages"][1]["content"].startswith(one["question"])
        assert any(said["role"] == "tool" and "passages" in said["content"] for said in one["messages"])


async def test_fewer_levels_make_a_smaller_tree(tmp_path: Path) -> None:
    inputs: dict[str, Any] = {"topics": ["Marl Lighthouse"], "levels": 1}
    state = (await ran(projects() / "infoseek", tmp_path, inputs)).state
    forest: Any = state.outputs["forest"].data
    assert max(depth for depth, _ in below(forest[0])) == 1


@pytest.mark.parametrize("topic", ["Berlin", "Marl"])
async def test_a_topic_without_a_page_is_unknown(topic: str, tmp_path: Path) -> None:
    state = (await ran(projects() / "infoseek", tmp_path, {"topics": [topic]})).state
    assert state.error is not None
    assert (state.error.error, state.error.exit_code) == ("ScriptedAnswerMissingError", 1)
    assert (
        f"Unknown: These answers know the pages of `data/pages`; none is about {topic}."
        in state.error.message
    )


async def test_the_example_of_other_topics_grows_trees_of_them(tmp_path: Path) -> None:
    state = (await ran(projects() / "infoseek", tmp_path, {"topics": ["Tomas Reke"], "levels": 1})).state
    forest: Any = state.outputs["forest"].data
    assert [one["entity"] for one in forest] == ["Tomas Reke"]


def read(system: System, file: str) -> list[Any]:
    """The rows of a data set."""
    text = (system.project.root / "out" / file).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
