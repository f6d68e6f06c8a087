"""`stepwire runs bundle`, and a bundle in the place of a run."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where bundles are unpacked."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: folder)
    return folder


@pytest.fixture
def bundle(project: Path, call: Call, tmp_path: Path) -> Path:
    """The bundle of a run of the project."""
    assert call("run", project, "--input", "question=What is a wren?").code == 0
    made = call("runs", "bundle", "latest", "--project", project, "-o", tmp_path / "wren.swrun")
    assert made.code == 0
    assert "wren.swrun" in made.out
    return tmp_path / "wren.swrun"


@pytest.mark.process
def test_a_bundle_is_shown_as_the_run_that_it_is(bundle: Path, call: Call, project: Path) -> None:
    there = call("runs", "show", bundle, "--json").json
    here = call("runs", "show", "latest", "--project", project, "--json").json
    assert there == here


def test_a_run_and_its_bundle_are_the_same(bundle: Path, call: Call, project: Path) -> None:
    assert call("runs", "compare", "latest", bundle, "--project", project).code == 0


def test_a_bundle_is_replayed_offline_and_the_project_gets_no_run_of_it(
    bundle: Path, call: Call, project: Path
) -> None:
    before = call("runs", "show", bundle, "--json").json
    replayed = call("replay", bundle, "--json")
    assert replayed.code == 0
    assert isinstance(before, dict)
    assert replayed.json == {name: one["data"] for name, one in before["outputs"].items()}
    assert len(call("runs", "list", "--project", project, "--json").json) == 1  # type: ignore[arg-type]


def test_a_file_that_is_no_bundle_is_a_sentence(call: Call, tmp_path: Path) -> None:
    other = tmp_path / "other.swrun"
    other.write_text("no archive")
    shown = call("runs", "show", other)
    assert shown.code == 2
    assert "not a readable run bundle" in shown.err


def test_what_is_asked_to_be_hidden_is_not_told(project: Path, call: Call, tmp_path: Path) -> None:
    call("run", project, "--input", "question=What does Acme pay?")
    hidden = tmp_path / "hidden.swrun"
    call("runs", "bundle", "latest", "--project", project, "-o", hidden, "--hide", "Acme")
    assert "Acme" not in call("runs", "show", hidden).out
    assert "[hidden]" in call("runs", "show", hidden).out
