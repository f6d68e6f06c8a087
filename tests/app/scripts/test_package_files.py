"""Where a package is put: whole or not at all, and never in the place of something else."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from studio.app.scripts.flow_export import export_package
from studio.app.scripts.package_files import package_name, save_package
from studio.errors import UsageError
from studio.export.forms.package import Package
from studio.flow.records import Flow
from tests.runtime.bench import REGISTRY, flow_of


def says(text: str) -> Flow:
    return flow_of({"t": ("text.text", {"text": text}), "out": "io.flow_output"}, ["t.text -> out.value"])


@cache
def exported(text: str = "one", name: str = "pond") -> Package:
    return export_package(says(text), name, registry=REGISTRY)


def files_of(package: Package) -> Mapping[str, bytes]:
    return {name: one if isinstance(one, bytes) else one.encode() for name, one in package.files.items()}


def held(folder: Path) -> Mapping[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_a_new_folder_holds_what_was_exported_and_nothing_else(tmp_path: Path) -> None:
    save_package(tmp_path / "pond", exported())
    assert held(tmp_path / "pond") == files_of(exported())
    assert list(tmp_path.iterdir()) == [tmp_path / "pond"]


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "pond").mkdir()
    save_package(tmp_path / "pond", exported())
    assert held(tmp_path / "pond") == files_of(exported())


def test_an_earlier_export_is_replaced_and_what_lies_beside_it_stays(tmp_path: Path) -> None:
    folder = tmp_path / "pond"
    save_package(folder, exported())
    (folder / "uv.lock").write_text("mine")
    (folder / "pond" / "__pycache__").mkdir()
    (folder / "pond" / "__pycache__" / "flow.pyc").write_bytes(b"\xff")
    save_package(folder, exported("two"))
    assert held(folder) == {**files_of(exported("two")), "uv.lock": b"mine"}
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_that_was_renamed_since_gets_its_new_name(tmp_path: Path) -> None:
    save_package(tmp_path / "pond", exported())
    (tmp_path / "pond").rename(tmp_path / "lake")
    save_package(tmp_path / "lake", exported(name="lake"))
    assert held(tmp_path / "lake") == files_of(exported(name="lake"))


@pytest.mark.parametrize("changed", ["pond/script.py", "pyproject.toml", "pond/__init__.py"])
def test_what_was_changed_by_hand_is_not_written_over(tmp_path: Path, changed: str) -> None:
    folder = tmp_path / "pond"
    save_package(folder, exported())
    with (folder / changed).open("a") as file:
        file.write("# mine\n")
    before = held(folder)
    with pytest.raises(UsageError, match="has been edited since"):
        save_package(folder, exported("two"))
    assert held(folder) == before
    save_package(folder, exported("two"), force=True)
    assert held(folder) == files_of(exported("two"))


def test_a_file_of_ones_own_among_them_is_not_lost(tmp_path: Path) -> None:
    folder = tmp_path / "pond"
    save_package(folder, exported())
    (folder / "pond" / "mine.py").write_text("")
    with pytest.raises(UsageError, match="has been edited since"):
        save_package(folder, exported("two"))
    (folder / "pond" / "mine.py").unlink()
    (folder / "pond" / "script.py").unlink()
    with pytest.raises(UsageError, match="has been edited since"):
        save_package(folder, exported("two"))


@pytest.mark.parametrize(
    "project", [None, "not TOML", "[project]\nname = 'x'", "[tool.stepwire]\npackage = '../x'\ndigest = '1'"]
)
def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path, project: str | None) -> None:
    folder = tmp_path / "pond"
    folder.mkdir()
    (folder / "data.txt").write_text("mine")
    if project is not None:
        (folder / "pyproject.toml").write_text(project)
    before = held(folder)
    with pytest.raises(UsageError, match="something other than an exported flow"):
        save_package(folder, exported())
    assert held(folder) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "pond").write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        save_package(tmp_path / "pond", exported())
    assert (tmp_path / "pond").read_text() == "mine"


@pytest.mark.parametrize(
    ("error", "raised"),
    [(OSError(28, os.strerror(28)), UsageError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_where_it_is_ended_half_way_all_is_as_it_was(
    error: BaseException, raised: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pond"
    save_package(folder, exported())
    rename, renamed = Path.rename, list[Path]()

    def refusing(path: Path, target: Path) -> Path:
        renamed.append(path)
        if len(renamed) == 4:
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refusing)
    with pytest.raises(raised):
        save_package(folder, exported("two"))
    assert held(folder) == files_of(exported())
    assert list(tmp_path.iterdir()) == [folder]


def test_a_place_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="could not be written"):
        save_package(tmp_path / "away" / "pond", exported())


@pytest.mark.parametrize(
    ("folder", "name"), [("Pond notes", "pond_notes"), ("pond-notes.d", "pond_notes_d"), ("a1", "a1")]
)
def test_a_package_is_called_after_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    assert package_name(tmp_path / folder) == name


@pytest.mark.parametrize("folder", ["1st", "--", "json", "class", "池", "pond.py"])
def test_a_folder_that_gives_no_name_or_one_that_is_taken_is_refused(tmp_path: Path, folder: str) -> None:
    with pytest.raises(UsageError, match="package"):
        package_name(tmp_path / folder)
