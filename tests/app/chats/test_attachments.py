"""What is sent along lies in the project, where runs can read it."""

from pathlib import Path

import pytest

from studio.app.chats.attachments import FOLDER, attach_file, attach_picture, is_picture, pictures_sent
from studio.errors import UsageError
from studio.llm.images import image_from_json
from studio.workspace.project import Project
from tests.app.written_projects import write_project

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.open(write_project(tmp_path / "trial"))


def test_a_file_of_the_project_is_sent_as_it_lies_there(project: Project) -> None:
    (project.root / "data").mkdir()
    (project.root / "data" / "birds.csv").write_text("wren")
    assert attach_file(project, project.root / "data" / "birds.csv") == "data/birds.csv"
    assert not (project.root / FOLDER).exists()


def test_one_from_elsewhere_is_copied_once_under_a_free_name(project: Project, tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "birds.csv", tmp_path / "b" / "birds.csv"
    for path, text in ((one, "wren"), (other, "heron")):
        path.parent.mkdir()
        path.write_text(text)
    assert attach_file(project, one) == f"{FOLDER}/birds.csv"
    assert attach_file(project, one) == f"{FOLDER}/birds.csv"
    assert attach_file(project, other) == f"{FOLDER}/birds-2.csv"
    assert (project.root / FOLDER / "birds-2.csv").read_text() == "heron"


def test_hidden_files_of_the_project_stay_closed_to_its_flows(project: Project) -> None:
    (project.root / ".keys").write_text("wren")
    with pytest.raises(UsageError, match="hidden"):
        attach_file(project, project.root / ".keys")
    assert not (project.root / FOLDER).exists()


@pytest.mark.parametrize("path", ["", "none.csv", "missing/none.csv"])
def test_folders_and_files_that_are_not_there_are_refused(project: Project, path: str) -> None:
    with pytest.raises(UsageError):
        attach_file(project, project.root / path)


def test_a_pasted_picture_becomes_a_file_and_anything_else_is_refused(project: Project) -> None:
    path = attach_picture(project, PNG)
    assert path == attach_picture(project, PNG)
    assert is_picture(project, path)
    assert not is_picture(project, "flow.json")
    assert not is_picture(project, "none.png")
    with pytest.raises(UsageError, match="no picture"):
        attach_picture(project, b"text")


def test_earlier_pictures_are_named_as_messages_name_them(project: Project) -> None:
    path = attach_picture(project, PNG)
    (sent,) = pictures_sent(project, (path, "flow.json", "gone.png"))
    assert image_from_json(sent).path == path
