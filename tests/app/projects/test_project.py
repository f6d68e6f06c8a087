import json
from pathlib import Path

import pytest

from studio.errors import ProjectError
from studio.workspace.project import Project
from tests.app.written_projects import write_flow, write_project


def test_a_folder_gives_its_main_flow_and_its_profiles(tmp_path: Path) -> None:
    chat = {"default": "local", "profiles": {"local": {"base_url": "http://127.0.0.1:1/v1", "llm": "tiny"}}}
    write_project(tmp_path, chat=chat, script="rules: []")
    write_flow(tmp_path / "flows" / "second.json")
    write_flow(tmp_path / "data" / "no_flow.json")
    project = Project.open(tmp_path)
    assert project.name == "Trial"
    assert project.main_flow == tmp_path / "flow.json"
    assert [project.name_of(path) for path in project.flows] == ["flow.json", "flows/second.json"]
    assert project.default_profile == "local"
    assert project.profiles["local"].llm == "tiny"
    assert project.scripts == tmp_path / "scripts"


def test_a_flow_file_opens_the_project_that_it_stands_in(tmp_path: Path) -> None:
    write_project(tmp_path)
    second = write_flow(tmp_path / "flows" / "second.json")
    project = Project.open(second)
    assert project.root == tmp_path
    assert project.main_flow == second


def test_a_flow_file_on_its_own_is_a_project_without_scripts(tmp_path: Path) -> None:
    alone = write_flow(tmp_path / "alone.json")
    project = Project.open(alone)
    assert (project.root, project.scripts, project.flows) == (tmp_path, None, (alone,))
    assert not project.is_folder


def test_a_folder_with_only_a_flow_will_do(tmp_path: Path) -> None:
    write_flow(tmp_path / "flow.json")
    assert Project.open(tmp_path).name == tmp_path.name


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "does not describe a project"),
        ('{"format": "stepwire.project", "version": 9}', "newer Stepwire"),
        (
            '{"format": "stepwire.project", "version": 1, "chat": {"profiles": {"a": {"key": "sk-1"}}}}',
            r"a\.key",
        ),
        ('{"format": "stepwire.project", "version": 1, "main": "../out.json"}', "outside"),
        ('{"format": "stepwire.project", "version": 1, "main": "gone.json"}', "gone.json"),
        ('{"format": "stepwire.project", "version": 1, "limits": {"cost": "much"}}', "limits"),
    ],
)
def test_a_project_file_that_is_wrong_is_refused_with_the_reason(
    tmp_path: Path, content: str, says: str
) -> None:
    write_flow(tmp_path / "flow.json")
    (tmp_path / "project.json").write_text(content)
    with pytest.raises(ProjectError, match=says):
        Project.open(tmp_path)


def test_what_is_not_there_or_no_project_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="does not exist"):
        Project.open(tmp_path / "nowhere")
    with pytest.raises(ProjectError, match="is not a project"):
        Project.open(tmp_path)


def test_unreadable_json_beside_the_flows_does_not_keep_a_project_shut(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "broken.json").write_bytes(b"\xff\x00")
    (tmp_path / "other.json").write_text(json.dumps({"format": "else"}))
    assert Project.open(tmp_path).flows == (tmp_path / "flow.json",)


def test_a_script_works_in_any_folder_and_in_a_project_as_in_that(tmp_path: Path) -> None:
    empty = Project.around(tmp_path)
    assert (empty.root, empty.flows, empty.is_folder) == (tmp_path, (), False)
    assert Project.around(write_flow(tmp_path / "alone.json")) == Project.open(tmp_path / "alone.json")
    root = write_project(tmp_path / "trial")
    assert Project.around(root) == Project.open(root)
    with pytest.raises(ProjectError):
        Project.around(tmp_path / "nowhere")
