"""Flows that call others of their project: found, refreshed, run, and gone back to after they changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.compose import Application
from studio.app.documents.session import Session
from studio.errors import FlowProblemsError, UsageError
from studio.flow import edits
from studio.flow.records import Flow, Point
from studio.host.client import HostClient
from studio.ids import NodeId, PortName, StepId
from studio.past.fork_wishes import Fork, Setting
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms, prepare_replay
from studio.store.reader import RunStore
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.project_flows import ProjectFlows, project_registry
from studio.workspace.runs import prepare, run_here
from tests.app.stored import last_run
from tests.app.written_projects import write_flow, write_project
from tests.trusted import HERE

REGISTRY = builtin_registry()


def document(nodes: Mapping[str, object], *wires: str) -> dict[str, object]:
    return {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Trial",
        "nodes": nodes,
        "wires": sorted(wires),
    }


def loud(mark: str) -> dict[str, object]:
    """A flow that puts a mark behind a text."""
    return document(
        {
            "text": {"kind": "io.flow_input"},
            "join": {"kind": "text.template", "settings": {"template": f"{{{{text}}}}{mark}"}},
            "loud": {"kind": "io.flow_output"},
        },
        "join.text -> loud.value",
        "text.value -> join.text",
    )


MAIN = document(
    {
        "word": {"kind": "io.flow_input", "settings": {"default": "owl"}},
        "call": {"kind": "control.subflow", "title": "Call", "settings": {"flow": "parts/loud.json"}},
        "out": {"kind": "io.flow_output"},
    },
    "call.loud -> out.value",
    "word.value -> call.text",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_project(tmp_path / "trial", flow=MAIN)
    write_flow(tmp_path / "trial" / "parts" / "loud.json", loud("!"))
    return tmp_path / "trial"


async def run_project(root: Path) -> RunState:
    project = Project.open(root)
    session = Session.open(root, REGISTRY)
    return await run_here(prepare(project, session.flow, session.registry, environ=HERE))


def given(state: RunState) -> object:
    assert state.error is None, state.error
    return state.outputs["out"].data


def test_a_flow_is_found_by_its_path_in_the_project(root: Path) -> None:
    flows = ProjectFlows(Project.open(root))
    assert list(flows.flow("parts/loud.json").nodes) == ["text", "join", "loud"]
    assert flows.flow("parts/loud.json") is flows.flow("parts/loud.json")
    assert list(flows.names()) == ["flow.json", "parts/loud.json"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../other.json",
        "/etc/hosts",
        "parts/../flow.json",
        "./flow.json",
        ".stepwire/x.json",
        "parts",
        "a\0b",
    ],
)
def test_names_that_lead_elsewhere_are_no_flows_of_the_project(root: Path, name: str) -> None:
    write_flow(root.parent / "other.json")
    write_flow(root / ".stepwire" / "x.json")
    with pytest.raises(UsageError):
        ProjectFlows(Project.open(root)).flow(name)


def test_a_link_that_leads_out_of_the_project_is_not_followed(root: Path) -> None:
    write_flow(root.parent / "other.json")
    (root / "link.json").symlink_to(root.parent / "other.json")
    with pytest.raises(UsageError, match="no flow"):
        ProjectFlows(Project.open(root)).flow("link.json")


def test_a_broken_flow_says_why_it_cannot_be_called(root: Path) -> None:
    (root / "parts" / "loud.json").write_text("{", "utf-8")
    session = Session.open(root, REGISTRY)
    (one,) = [problem for problem in session.problems if problem.severity == "error"]
    assert (one.code, one.node) == ("called-flow", "call")
    assert "cannot be read" in one.message


async def test_a_limit_that_a_called_flow_sets_its_node_and_that_cannot_be_kept_is_refused(
    root: Path,
) -> None:
    called: dict[str, Any] = loud("!")
    called["nodes"]["join"]["run"] = {"limits": {"seconds": 5}}
    write_flow(root / "parts" / "loud.json", called)
    with pytest.raises(UsageError, match="`join` has the limit `seconds`"):
        await run_project(root)


def test_a_changed_file_is_read_again_when_it_is_looked_at(root: Path) -> None:
    session = Session.open(root, REGISTRY)
    assert not session.problems
    heard: list[list[NodeId]] = []
    session.history.on_change(lambda change: heard.append(list(change.nodes)))
    changed = loud("!!")
    changed["nodes"] = {**changed["nodes"], "more": {"kind": "io.flow_input"}}  # type: ignore[dict-item]
    write_flow(root / "parts" / "loud.json", changed)
    session.look_at_called_flows()
    assert heard == [["call"]]
    assert [problem.code for problem in session.problems if problem.severity == "error"] == ["missing-input"]
    session.look_at_called_flows()
    assert len(heard) == 1, "nothing changed since"
    assert not session.is_modified
    assert session.history.undo_labels == []


def test_an_open_flow_is_called_as_it_is_edited(root: Path, app: Application) -> None:
    outer = app.open(root)
    inner = app.open(root / "parts" / "loud.json")
    assert not outer.problems
    node, change = edits.add_node(inner.flow, "io.flow_input", "More", Point(0, 400))
    inner.history.do(change)
    assert [problem.code for problem in outer.problems if problem.severity == "error"] == ["missing-input"]
    found = outer.registry.signature(outer.flow.nodes[NodeId("call")])
    assert found is not None
    assert found.input(node) is not None
    inner.history.undo()
    assert not outer.problems


def test_a_flow_that_calls_itself_is_called_as_it_is_edited(tmp_path: Path, app: Application) -> None:
    itself = document(
        {"deeper": {"kind": "control.subflow", "settings": {"flow": "flow.json"}}},
    )
    session = app.open(write_project(tmp_path / "itself", flow=itself))
    _, change = edits.add_node(session.flow, "io.flow_input", "Word", Point(0, 0))
    session.history.do(change)
    assert any(problem.code == "missing-input" for problem in session.problems)


def test_a_breakpoint_in_a_called_flow_is_sent_with_the_flows_name(root: Path, app: Application) -> None:
    outer = app.open(root)
    app.open(root / "parts" / "loud.json").breakpoints.cycle("join")
    outer.breakpoints.cycle("call")
    places = [one.place for one in outer.breakpoints.everywhere]
    assert places == ["call", "flow.json:call", "parts/loud.json:join"]


def test_what_is_wrong_in_a_called_flow_stops_the_run_before_it_begins(root: Path) -> None:
    write_flow(
        root / "parts" / "loud.json",
        document({**loud("!")["nodes"]}, "text.value -> join.text"),  # type: ignore[dict-item]
    )
    session = Session.open(root, REGISTRY)
    with pytest.raises(FlowProblemsError):
        prepare(session.project, session.flow, session.registry, environ=HERE)


async def test_a_run_is_gone_back_to_with_the_flows_as_they_were(root: Path) -> None:
    assert given(await run_project(root)) == "owl!"
    store = RunStore(root / ".stepwire")
    (root / "parts" / "loud.json").unlink()
    old = OldRun.read(store, store.runs()[0].run)
    assert given(await run_here(prepare_replay(old, REGISTRY, Terms(HERE)))) == "owl!"
    setting = Setting(StepId("call/join"), PortName("text"), "wren")
    assert given(await run_here(prepare_fork(old, REGISTRY, Fork(values=[setting]), Terms(HERE)))) == "wren!"


async def test_a_fork_with_an_edited_called_flow_runs_the_call_again(root: Path) -> None:
    assert given(await run_project(root)) == "owl!"
    old = last_run(root)
    write_flow(root / "parts" / "loud.json", loud("?"))
    project = Project.open(root)
    flows: dict[str, Flow] = {
        "parts/loud.json": project_registry(project, REGISTRY).flows.flow("parts/loud.json")
    }
    fork = Fork(flow=old.flow, flows=flows)
    assert given(await run_here(prepare_fork(old, REGISTRY, fork, Terms(HERE)))) == "owl?"


@pytest.fixture
def app(tmp_path: Path) -> "Application":
    def spawn() -> HostClient:
        raise AssertionError

    return Application(tmp_path / "config", {}, REGISTRY, spawn)
