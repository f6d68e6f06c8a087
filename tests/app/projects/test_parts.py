"""Flows that projects share: found by one name, taken along by a copy, and missed by file and line."""

import json
import shutil
from pathlib import Path

import pytest

from studio import places
from studio.app.documents.session import Session
from studio.app.projects.copies import copy_project
from studio.app.projects.file_changes import FileChanges
from studio.app.projects.flow_files import rename_flow
from studio.app.scripts.flow_export import script_of
from studio.errors import FlowFileError, UsageError
from studio.flow.checks.check import errors_of
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.parts import FOLDER, parts_needed
from studio.workspace.problems import refuse_errors
from studio.workspace.project import Project
from studio.workspace.project_flows import ProjectFlows, project_registry

REGISTRY = builtin_registry()
HEAD = {"format": "stepwire.flow", "version": 1}
SHARED = sorted(places.parts().glob("*.json"))


def written(path: Path, **told: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(HEAD | told, indent=2), "utf-8")
    return path


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two parts, of which one calls the other, in the place of those that come with Stepwire."""
    home = tmp_path / "shipped" / FOLDER
    asks = {
        "question": {"kind": "io.flow_input"},
        "ask": {"kind": "llm.chat"},
        "answer": {"kind": "io.flow_output"},
    }
    wires = ["question.value -> ask.prompt", "ask.reply -> answer.value"]
    written(home / "ask.json", nodes=asks, wires=wires)
    asks |= {"ask": {"kind": "control.subflow", "settings": {"flow": "parts/ask.json"}}}
    wires = ["question.value -> ask.question", "ask.answer -> answer.value"]
    written(home / "ask_through.json", nodes=asks, wires=wires)
    monkeypatch.setattr(places, "parts", lambda: home)
    return home


@pytest.fixture
def project(tmp_path: Path, parts: Path) -> Project:
    """A project that calls one part, and has a variant of the other."""
    root = tmp_path / "mine" / "trial"
    text = (parts / "ask_through.json").read_text("utf-8").replace("parts/ask.json", "parts/ask_through.json")
    written(root / "flow.json", **json.loads(text))
    written(root / "brief.json", of="parts/ask.json", set={"ask": {"settings": {"instructions": "Briefly."}}})
    return Project.open(root)


def test_a_part_is_called_and_varied_by_one_name(project: Project, parts: Path) -> None:
    flows = ProjectFlows(project)
    assert "ask" in flows.flow("parts/ask_through.json").nodes
    assert flows.flow("brief.json").nodes[NodeId("ask")].settings["instructions"] == "Briefly."
    refuse_errors(load_flow(project.main_flow).flow, project_registry(project, REGISTRY))
    place = project.place_of("parts/ask.json")
    assert place == parts / "ask.json"
    assert project.name_of(place) == "parts/ask.json"
    assert flows.names() == ["brief.json", "flow.json"]
    session = Session.open(place, REGISTRY)
    assert not errors_of(session.problems)


def test_the_projects_own_file_goes_first_as_soon_as_it_is_there(project: Project, parts: Path) -> None:
    flows = ProjectFlows(project)
    flows.flow("parts/ask_through.json")
    own = project.root / "parts" / "ask_through.json"
    own.parent.mkdir()
    own.write_text((parts / "ask.json").read_text("utf-8"), "utf-8")
    assert flows.refresh() == {"parts/ask_through.json"}
    assert flows.flow("parts/ask_through.json").nodes[NodeId("ask")].kind == "llm.chat"


def test_a_copy_takes_along_what_it_needs_and_is_whole_without_the_rest(
    project: Project, parts: Path, tmp_path: Path
) -> None:
    script = script_of(project.main_flow).text
    (parts / "ask_through.json").chmod(0o400)
    copy = copy_project(project.root, tmp_path / "copies")
    assert sorted(one.name for one in (copy.root / FOLDER).iterdir()) == ["ask.json", "ask_through.json"]
    shutil.rmtree(parts)
    assert load_flow(copy.root / "brief.json").of == "parts/ask.json"
    assert script_of(copy.main_flow).text == script
    assert not parts_needed(copy.root)
    (copy.root / FOLDER / "ask_through.json").write_text("{}", "utf-8")  # it may be edited


def test_a_variant_of_a_part_keeps_to_it_under_another_name(project: Project) -> None:
    FileChanges(project.root).do(rename_flow(project, project.root / "brief.json", "short", REGISTRY))
    assert load_flow(project.root / "short.json").of == "parts/ask.json"


def test_a_part_that_is_not_there_is_named_by_file_and_line(project: Project) -> None:
    path = written(project.root / "wrong.json", name="Wrong", of="parts/aks.json")
    with pytest.raises(FlowFileError, match=r"wrong\.json` is a variant of what is not there") as refused:
        load_flow(path)
    told = "line 5: of: there is no `parts/aks.json`. Did you mean `parts/ask.json`?"
    assert refused.value.details == (told,)
    with pytest.raises(UsageError, match="line 5: of: there is no") as refused_call:
        ProjectFlows(project).flow("wrong.json")
    assert "cannot be read" in refused_call.value.message
    with pytest.raises(UsageError, match=r"no flow `parts/aks\.json`") as unknown:
        ProjectFlows(project).flow("parts/aks.json")
    assert unknown.value.hint == "Did you mean `parts/ask.json`?"


@pytest.mark.parametrize("name", ["parts/../../flow.json", "parts/", "parts//ask.json", "../parts/ask.json"])
def test_no_other_file_is_reached_by_the_name_of_a_part(project: Project, name: str) -> None:
    with pytest.raises(UsageError, match="no flow"):
        ProjectFlows(project).flow(name)


@pytest.mark.parametrize("path", SHARED, ids=[one.stem for one in SHARED])
def test_each_part_is_sound_and_some_project_uses_it(path: Path) -> None:
    session = Session.open(path, REGISTRY)
    assert not errors_of(session.problems)
    assert session.flow.description
    name = f"parts/{path.name}"
    users = [one for one in places.projects().iterdir() if one != path.parent and name in parts_needed(one)]
    assert users
