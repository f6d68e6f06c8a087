from pathlib import Path

import pytest

from studio.errors import UsageError
from studio.workspace.profiles import choose_profile, profile_names
from studio.workspace.project import Project
from tests.app.written_projects import write_flow, write_project

LOCAL = {"default": "local", "profiles": {"local": {"base_url": "http://127.0.0.1:1/v1", "llm": "tiny"}}}
ENVIRON = {"STEPWIRE_CHAT": "openai"}


def _name(project: Project, wanted: str = "", *, offline: bool = False, **environ: str) -> str | None:
    profile = choose_profile(project, wanted, environ, offline=offline)
    return None if profile is None else profile.name


def test_the_one_asked_for_comes_before_the_default(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path, chat=LOCAL, script="rules: []"))
    assert _name(project, **ENVIRON) == "local"
    assert _name(project, "scripted") == "scripted"
    assert profile_names(project) == ["local", "scripted", "openai", "made-up", "person"]


def test_without_a_project_the_environment_decides(tmp_path: Path) -> None:
    project = Project.open(write_flow(tmp_path / "alone.json"))
    profile = choose_profile(project, "", ENVIRON)
    assert profile is not None
    assert profile.name == "openai"
    assert _name(project) is None


def test_scripted_answers_stand_in_when_nothing_else_is_said(tmp_path: Path) -> None:
    assert _name(Project.open(write_project(tmp_path, script="rules: []"))) == "scripted"


def test_offline_leaves_only_scripted_answers(tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "with", chat=LOCAL, script="rules: []"))
    assert _name(project, offline=True) == "scripted"
    with pytest.raises(UsageError, match="--offline"):
        _name(project, "local", offline=True)
    assert _name(Project.open(write_project(tmp_path / "without", chat=LOCAL)), offline=True) is None


def test_an_unknown_profile_names_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"`nope`.*`local`, `openai`"):
        _name(Project.open(write_project(tmp_path, chat=LOCAL)), "nope")


def test_scripted_without_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has none"):
        _name(Project.open(write_project(tmp_path)), "scripted")
