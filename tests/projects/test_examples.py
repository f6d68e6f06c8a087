"""The example projects open without a problem, and are written as the studio writes."""

from pathlib import Path

import pytest

from studio.flow.checks.check import check
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.places import example_projects
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import flow_text, load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry

PROJECTS = list(example_projects())
every_project = pytest.mark.parametrize("folder", PROJECTS, ids=[folder.name for folder in PROJECTS])


def test_the_examples_are_there() -> None:
    assert {"chapters", "field_notes", "front_desk", "side_by_side"} <= {folder.name for folder in PROJECTS}


@every_project
def test_its_flows_have_no_problems(folder: Path) -> None:
    project = Project.open(folder)
    registry = project_registry(project, builtin_registry())
    for path in project.flows:
        assert list(check(load_flow(path).flow, registry)) == []


@every_project
def test_its_flows_are_written_as_the_studio_writes_them(folder: Path) -> None:
    for path in Project.open(folder).flows:
        text = path.read_text("utf-8")
        assert flow_text(path, load_flow(path).flow) == text


@every_project
def test_its_scripts_can_be_read(folder: Path) -> None:
    scripts = Project.open(folder).scripts
    assert scripts is not None
    ScriptBook.load(scripts)


def test_side_by_side_has_ten_nodes() -> None:
    flow = next(folder for folder in PROJECTS if folder.name == "side_by_side") / "flow.json"
    assert len(load_flow(flow).flow.nodes) == 10


def test_the_notes_are_a_hundred_and_eighty_two_dated_passages() -> None:
    notes = next(folder for folder in PROJECTS if folder.name == "field_notes") / "data" / "notes"
    passages = [
        passage
        for path in sorted(notes.glob("*.txt"))
        for passage in path.read_text("utf-8").strip().split("\n\n")
    ]
    assert len(passages) == 182
    assert all(passage[0].isdigit() and ": " in passage for passage in passages)
