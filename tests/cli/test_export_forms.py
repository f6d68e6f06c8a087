"""`stepwire export` writes one of four forms, and keeps what was edited."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from studio.app.scripts.kit_wheel import write_kit
from tests.cli.conftest import Call


def test_a_script_that_was_edited_is_kept_unless_it_is_forced(
    call: Call, project: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    assert call("export", project, "-o", script).code == 0
    edited = script.read_text("utf-8") + "# mine\n"
    script.write_text(edited)
    told = call("export", project, "-o", script)
    assert told.code == 2
    assert "was edited after it was exported" in told.err
    assert "--force" in told.err
    assert script.read_text("utf-8") == edited
    assert call("export", project, "-o", script, "--force").code == 0
    assert call("export", project, "-o", script).code == 0


def test_a_script_of_an_older_stepwire_is_kept_as_it_may_have_been_edited(
    call: Call, project: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    assert call("export", project, "-o", script).code == 0
    lines = script.read_text("utf-8").splitlines(keepends=True)
    kept = [one for one in lines if not one.startswith("Digest of this export")]
    script.write_text("".join(kept))
    assert call("export", project, "-o", script).code == 0, "it says what is written now"
    script.write_text("".join([*kept, "# perhaps mine\n"]))
    told = call("export", project, "-o", script)
    assert (told.code, "older Stepwire" in told.err) == (2, True)


def test_a_package_is_written_over_until_somebody_edits_it(call: Call, project: Path, tmp_path: Path) -> None:
    package = ("export", project, "-o", tmp_path / "ask", "--package")
    assert [call(*package).code for _ in range(2)] == [0, 0]
    script = tmp_path / "ask" / "ask" / "script.py"
    script.write_text(script.read_text("utf-8") + "# mine\n", "utf-8")
    told = call(*package)
    assert (told.code, f"`stepwire apply {script}`" in told.err, "--force" in told.err) == (2, True, True)
    assert script.read_text("utf-8").endswith("# mine\n")
    assert call(*package, "--force").code == 0
    assert not script.read_text("utf-8").endswith("# mine\n")


@pytest.mark.process
def test_one_file_has_all_of_it_and_is_started_by_python(call: Call, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "script.pyz"
    told = call("export", project, "-o", file, "--pyz", "--json")
    assert (told.code, json.loads(told.out)) == (0, {"script": str(file)})
    assert zipfile.is_zipfile(file)
    assert file.stat().st_mode & 0o111
    command = [sys.executable, str(file), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.stdout.startswith("usage: script.pyz"), done.stderr


def test_alone_it_may_name_a_wheel_of_the_kit(call: Call, project: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    wheel = write_kit(tmp_path / "kit")
    assert call("export", project, "-o", script, "--kit", "--wheel", wheel).code == 0
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".py"] == ["script.py"]
    assert not (tmp_path / "stepwire_kit").exists()
    told = call("export", project, "-o", script, "--kit", "--wheel", tmp_path / "none.whl")
    assert (told.code, "There is no wheel" in told.err) == (2, True)


@pytest.mark.parametrize(
    "options",
    [("--kit", "--pyz"), ("--pyz", "--package"), ("--wheel", "k.whl"), ("--pyz", "--verify", "latest")],
)
def test_options_that_do_not_go_together_are_refused(
    call: Call, project: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert call("export", project, "-o", tmp_path / "script.py", *options).code == 2
    assert not (tmp_path / "script.py").exists()
