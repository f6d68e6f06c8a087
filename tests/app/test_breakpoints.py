from pathlib import Path

import pytest

from studio.app.breakpoints import Breakpoints, call_places
from studio.app.catalog import builtin_registry
from studio.app.project import Project
from studio.flow.change import difference
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from tests.app.projects import write_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(write_project(tmp_path))


def _flow(**kinds: str) -> Flow:
    return Flow(nodes={NodeId(name): Node(kind=kind) for name, kind in kinds.items()})


def test_a_breakpoint_goes_from_none_to_on_to_off_to_none(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    seen: list[bool | None] = []
    for _ in range(3):
        breakpoints.cycle("critic")
        seen.append(breakpoints.state("critic"))
    assert seen == [True, False, None]


def test_breakpoints_survive_a_restart_each_flow_its_own(project: Project) -> None:
    Breakpoints(project, "flow.json").cycle("critic")
    other = Breakpoints(project, "other.json")
    other.cycle("writer.prompt")
    other.cycle("writer.prompt")
    assert Breakpoints(project, "flow.json").enabled == {"critic"}
    assert Breakpoints(project, "other.json").all == {"writer.prompt": False}


def test_a_removed_node_loses_its_breakpoints_and_undo_brings_them_back(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.cycle("critic")
    breakpoints.cycle("critic.prompt")
    removal = difference(_flow(critic="llm.agent", writer="llm.chat"), _flow(writer="llm.chat"), "Delete")
    breakpoints.follow(removal)
    assert breakpoints.all == {}
    breakpoints.follow(removal.inverted())
    assert breakpoints.enabled == {"critic", "critic.prompt"}


def test_breakpoints_at_the_calls_of_a_node_go_where_it_goes(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.cycle("critic#chat.answer")
    rename = difference(_flow(critic="llm.agent"), _flow(judge="llm.agent"), "Rename")
    breakpoints.follow(rename)
    assert breakpoints.enabled == {"judge#chat.answer"}


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("llm.agent", ["a#chat", "a#chat.answer", "a#tool", "a#tool.answer"]),
        ("llm.chat", ["a#chat", "a#chat.answer"]),
        ("control.call_tool", ["a#tool", "a#tool.answer"]),
        ("text.template", []),
    ],
)
def test_a_node_can_be_held_at_the_calls_that_it_makes(kind: str, places: list[str]) -> None:
    found = builtin_registry().get(kind)
    assert found is not None
    assert call_places("a", found) == places


def test_a_renamed_node_keeps_its_breakpoints(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.cycle("critic.prompt")
    rename = difference(_flow(critic="llm.agent"), _flow(judge="llm.agent"), "Rename")
    breakpoints.follow(rename)
    assert breakpoints.enabled == {"judge.prompt"}
    breakpoints.follow(rename.inverted())
    assert breakpoints.enabled == {"critic.prompt"}


def test_a_change_elsewhere_is_not_heard(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.cycle("critic")
    heard: list[None] = []
    breakpoints.on_change(lambda: heard.append(None))
    breakpoints.follow(difference(_flow(writer="a.b"), _flow(writer="a.c"), "Change"))
    assert heard == []
