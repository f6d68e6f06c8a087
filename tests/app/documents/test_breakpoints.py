import json
from pathlib import Path

import pytest

from studio.app.documents.breakpoints import Breakpoint, Breakpoints, call_places
from studio.flow.change import difference
from studio.flow.records import Flow, Node
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from tests.app.written_projects import write_project


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


def test_conditions_and_catches_survive_a_restart(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    conditional = Breakpoint("critic.prompt", condition="round > 2", hits=3)
    catch = Breakpoint("critic", on="tool", tool="send_*")
    breakpoints.put(conditional)
    breakpoints.put(catch, is_on=False)
    again = Breakpoints(project, "flow.json")
    assert [(row.breakpoint, row.is_on) for row in again.rows] == [(catch, False), (conditional, True)]
    assert again.all == {"critic.prompt": True}
    assert again.everywhere == (conditional, conditional.in_flow("flow.json"))


def test_a_file_of_places_alone_is_still_read_and_written(project: Project) -> None:
    Breakpoints(project, "flow.json").cycle("critic")
    kept = project.private / "breakpoints.json"
    assert json.loads(kept.read_text("utf-8")) == {"flow.json": {"critic": True}}
    kept.write_text('{"flow.json": {"critic": false, "worse": 3, "odd": {"on": "noon"}}}', "utf-8")
    assert Breakpoints(project, "flow.json").all == {"critic": False}


def test_a_catch_goes_where_its_node_goes(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.put(Breakpoint("critic", on="error"))
    breakpoints.follow(difference(_flow(critic="llm.agent"), _flow(judge="llm.agent"), "Rename"))
    assert breakpoints.rows[0].breakpoint == Breakpoint("judge", on="error")


def test_editing_a_catch_takes_the_place_of_the_old_one(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    old = Breakpoint(on="text", text="refund")
    breakpoints.put(old)
    breakpoints.put(Breakpoint(on="text", text="cheque"), instead_of=old.key)
    assert [row.breakpoint.text for row in breakpoints.rows] == ["cheque"]


def test_what_another_flow_catches_anywhere_is_of_its_own_runs_alone(project: Project) -> None:
    other = Breakpoints(project, "other.json")
    other.put(Breakpoint(on="error"))
    other.put(Breakpoint("critic", on="error"))
    assert Breakpoints(project, "flow.json").everywhere == (Breakpoint("other.json:critic", on="error"),)


def test_breakpoints_of_another_flow_are_changed_from_here_and_heard_of(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    heard: list[None] = []
    breakpoints.on_change(lambda: heard.append(None))
    breakpoints.of_flow("other.json").cycle("writer")
    assert heard == [None]
    assert [row.key for row in breakpoints.elsewhere(["other.json"])] == ["writer"]


def test_all_are_switched_off_at_once_and_keep_their_conditions(project: Project) -> None:
    breakpoints = Breakpoints(project, "flow.json")
    breakpoints.put(Breakpoint("critic", condition="round > 2"))
    breakpoints.cycle("writer")
    breakpoints.switch_all(is_on=False)
    assert breakpoints.everywhere == ()
    breakpoints.set("critic", state=True)
    assert breakpoints.get("critic") == Breakpoint("critic", condition="round > 2")
