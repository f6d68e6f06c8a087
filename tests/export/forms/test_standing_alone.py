"""A script with its engine, as it is started somewhere else: it uses that engine, and no other."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.app.scripts.package_files import save_package
from studio.app.scripts.script_files import ScriptToSave
from studio.export.forms.archive import archive_of, script_in
from studio.export.forms.archive_start import TOLD
from studio.export.forms.kit_folder import MANIFEST, Manifest, digest_of
from studio.export.forms.package import package_of
from studio.export.forms.signature import is_as_exported
from tests.export.forms.subjects import subject

PROJECT = Path(__file__).parents[3] / "projects" / "field_notes"
OTHER = {
    "studio/__init__.py": "__version__ = '0.0.1'\n",
    "nodes/__init__.py": "",
    "stepwire_kit.py": "BAD = 1\n",
}
"""Another version that is found first wherever the path is asked."""

WHERE = "\nimport studio, nodes, sys; print(studio.__file__, nodes.__file__, file=sys.stderr)\n"


def start(
    *command: str | Path, cwd: Path, home: Path, path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Start Python, with a `path` before all that is installed."""
    environ: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        **({"PYTHONPATH": str(path)} if path else {}),
    }
    return subprocess.run(  # noqa: S603
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder with another Stepwire."""
    folder = tmp_path / "other"
    for name, text in OTHER.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example, for the script to work in."""
    return Path(shutil.copytree(PROJECT, tmp_path / "project"))


def test_beside_its_engine_a_script_runs_anywhere_and_no_other_stepwire_is_used(
    project: Path, other: Path, tmp_path: Path
) -> None:
    ScriptToSave(
        project / "answer.py", subject("answer").replace("\nif __name__", f"{WHERE}\nif __name__")
    ).save()
    done = start(project / "answer.py", "--offline", cwd=tmp_path, home=tmp_path, path=other)
    assert done.returncode == 0, done.stderr
    assert "[may.txt:6]" in json.loads(done.stdout)["answer"]
    engine = project / "stepwire_kit" / "_engine"
    assert f"{engine}/studio/__init__.py {engine}/nodes/__init__.py" in done.stderr
    assert (project / "out" / "answer.md").exists()


def test_two_versions_in_one_process_are_refused_by_name(project: Path, other: Path, tmp_path: Path) -> None:
    ScriptToSave(project / "answer.py", subject("answer")).save()
    mixed = f"import studio, sys; sys.path.insert(0, {str(project)!r}); import stepwire_kit"
    done = start("-c", mixed, cwd=tmp_path, home=tmp_path, path=other)
    assert done.returncode == 1
    assert "has its own copy of `studio`" in done.stderr
    assert str(other / "studio" / "__init__.py") in done.stderr


def test_a_part_of_a_drawn_flow_and_maps_run_on_the_part_of_the_library_that_is_there(tmp_path: Path) -> None:
    ScriptToSave(tmp_path / "chapters.py", subject("chapters")).save()
    done = start(tmp_path / "chapters.py", "--names", '["a", "b"]', cwd=tmp_path, home=tmp_path)
    assert json.loads(done.stdout) == {"text": "About a.; About b.", "ends": "a to b"}, done.stderr


def test_as_one_file_it_runs_in_its_folder_and_unpacks_its_engine_once(
    project: Path, other: Path, tmp_path: Path
) -> None:
    file = project / "answer.pyz"
    ScriptToSave(file, subject("answer")).save_archive()
    done = start(file, "--offline", cwd=tmp_path, home=tmp_path, path=other)
    assert done.returncode == 0, done.stderr
    assert "[may.txt:6]" in json.loads(done.stdout)["answer"]
    assert (project / ".stepwire").is_dir()
    [unpacked] = (tmp_path / "cache" / "stepwire" / "scripts").iterdir()
    before = (unpacked / "stepwire_kit" / MANIFEST).stat()
    assert start(file, "--help", cwd=tmp_path, home=tmp_path).stdout.startswith("usage: answer.pyz")
    assert (unpacked / "stepwire_kit" / MANIFEST).stat() == before
    (unpacked / "stepwire_kit" / "_engine" / "studio" / "ids.py").unlink()
    assert start(file, "--help", cwd=tmp_path, home=tmp_path).returncode == 0, "what was cleared is made anew"


def test_where_nothing_can_be_kept_one_file_runs_all_the_same(tmp_path: Path) -> None:
    ScriptToSave(tmp_path / "answer.pyz", subject("answer")).save_archive()
    (tmp_path / "cache").write_text("no folder")
    assert start(tmp_path / "answer.pyz", "--help", cwd=tmp_path, home=tmp_path).returncode == 0


def test_one_file_says_which_libraries_are_missing_and_how_they_are_installed(tmp_path: Path) -> None:
    ScriptToSave(tmp_path / "answer.pyz", subject("answer")).save_archive()
    done = start("-S", tmp_path / "answer.pyz", cwd=tmp_path, home=tmp_path)
    assert done.returncode == 2
    assert "`openai>=3,<4`" in done.stderr
    assert "-m pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_in_one_file_names_the_line_of_the_script(tmp_path: Path) -> None:
    text = subject("answer").replace("flow.main()", "raise ValueError('here')")
    ScriptToSave(tmp_path / "answer.pyz", text).save_archive()
    done = start(tmp_path / "answer.pyz", cwd=tmp_path, home=tmp_path)
    line = (
        (script_in((tmp_path / "answer.pyz").read_bytes()) or "")
        .splitlines()
        .index("    raise ValueError('here')")
    )
    assert f'answer.pyz", line {line + 1}, in <module>\nValueError: here' in done.stderr


def test_a_package_brings_its_engine_and_works_in_the_folder_where_it_is_started(
    project: Path, other: Path, tmp_path: Path
) -> None:
    save_package(tmp_path / "birds", package_of(subject("answer"), "birds"))
    for name in ("studio", "nodes"):
        shutil.move(other / name, tmp_path / "birds" / name)  # found first, on the same path
    done = start("-m", "birds", "--offline", cwd=project, home=tmp_path, path=tmp_path / "birds")
    assert done.returncode == 0, done.stderr
    assert "[may.txt:6]" in json.loads(done.stdout)["answer"]
    assert (project / ".stepwire").is_dir()
    shown = "import birds; print(birds.flow.title, birds.answer.__name__)"
    told = start("-c", shown, cwd=tmp_path, home=tmp_path, path=tmp_path / "birds")
    assert told.stdout == "Answer a question from notes answer\n", told.stderr


def test_the_same_script_gives_the_same_bytes_in_every_form() -> None:
    text = subject("answer")
    assert archive_of(text) == archive_of(text)
    assert package_of(text, "birds") == package_of(text, "birds")


def test_one_file_has_the_script_signed_and_every_file_of_its_manifest(tmp_path: Path) -> None:
    data = archive_of(subject("answer"))
    assert is_as_exported(script_in(data) or "") is True
    assert script_in(b"print()") is None
    (tmp_path / "answer.pyz").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "answer.pyz") as file:
        manifest = Manifest.read(file.read(f"stepwire_kit/{MANIFEST}").decode())
        assert manifest is not None
        for name, digest in manifest.files.items():
            assert digest_of(file.read(f"stepwire_kit/{name}")) == digest
        assert json.loads(file.read(TOLD))["libraries"]["yaml"].startswith("pyyaml")


def test_a_package_needs_a_flow() -> None:
    with pytest.raises(ValueError, match="no flow"):
        package_of("from stepwire_kit import run_sync\n", "birds")
