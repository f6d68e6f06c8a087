"""The engine beside exported scripts: it has what all of them need, and is never written over edits."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.app.scripts.engine_folder import EngineFolder
from studio.app.scripts.script_files import ScriptToSave
from studio.errors import PlaceError
from studio.export.forms.engine import Needs
from studio.export.forms.kit_folder import MANIFEST, Manifest, digest_of
from tests.export.forms.subjects import subject

SMALL = Needs(frozenset({"Flow"}), frozenset({"text.template"}))
OTHER = Needs(frozenset({"Flow"}), frozenset({"text.join"}))
NODE = "_engine/nodes/text/template/__init__.py"
OTHER_NODE = "_engine/nodes/text/join.py"


def held(folder: Path) -> Mapping[str, bytes]:
    return {
        one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """The folder beside a script."""
    EngineFolder(tmp_path / "script.py", SMALL).save()
    return tmp_path / "stepwire_kit"


def test_it_has_a_licence_a_page_and_a_manifest_of_all_its_files(kit: Path) -> None:
    manifest = Manifest.read((kit / MANIFEST).read_text("utf-8"))
    assert manifest is not None
    assert held(kit).keys() == {*manifest.files, MANIFEST}
    assert {"LICENSE", "README.md", "__init__.py", NODE} <= manifest.files.keys()
    assert list(kit.parent.iterdir()) == [kit]


def test_a_second_script_adds_what_it_needs_and_the_first_keeps_what_it_has(kit: Path) -> None:
    before = held(kit)
    EngineFolder(kit.parent / "second.py", OTHER).save()
    assert before.keys() < held(kit).keys()
    assert OTHER_NODE in held(kit)


def test_what_is_up_to_date_is_not_written_again(kit: Path) -> None:
    before = [_written(one) for one in (kit, kit / NODE)]
    EngineFolder(kit.parent / "script.py", SMALL).save()
    assert [_written(one) for one in (kit, kit / NODE)] == before


def _written(path: Path) -> tuple[int, int]:
    """Which file it is, and when it was last written; that it was read since is no change."""
    return path.stat().st_ino, path.stat().st_mtime_ns


def test_one_of_another_version_is_brought_up_to_date_as_a_whole(kit: Path) -> None:
    now = held(kit)
    told = json.loads(now[MANIFEST])
    for name, text in {NODE: b"# older\n", "_engine/studio/gone.py": b"# older\n"}.items():
        (kit / name).write_bytes(text)
        told["files"][name] = "83fb9da2f21dbe28a3ba9f8c4ee8b0a1f6a2d4a8"
    told["files"] |= {name: digest_of((kit / name).read_bytes()) for name in told["files"]}
    (kit / MANIFEST).write_text(json.dumps({**told, "version": "0.0.1"}))
    EngineFolder(kit.parent / "second.py", OTHER).save()
    after = held(kit)
    assert after[NODE] == now[NODE]
    assert OTHER_NODE in after
    assert "_engine/studio/gone.py" not in after


def test_a_file_that_was_edited_is_kept_unless_it_is_forced(kit: Path) -> None:
    (kit / NODE).write_text("# mine\n")
    before = held(kit)
    with pytest.raises(PlaceError, match=r"template/__init__\.py` was edited") as refused:
        EngineFolder(kit.parent / "second.py", OTHER)
    assert "--force" in refused.value.hint
    assert held(kit) == before
    EngineFolder(kit.parent / "second.py", OTHER, force=True).save()
    assert held(kit)[NODE] != b"# mine\n"


def test_what_was_lost_is_made_anew_and_what_is_not_ours_stays(kit: Path) -> None:
    (kit / NODE).unlink()
    (kit / "mine.txt").write_text("mine")
    (kit / "_engine" / "nodes" / "mine.py").write_text("mine")
    EngineFolder(kit.parent / "script.py", SMALL).save()
    assert (kit / NODE).exists()
    assert (kit / "mine.txt").read_text() == (kit / "_engine" / "nodes" / "mine.py").read_text() == "mine"


@pytest.mark.parametrize("manifest", [None, "{}", "no JSON", '{"format": "stepwire.vendored-kit"}'])
def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: Path, manifest: str | None) -> None:
    kit = tmp_path / "stepwire_kit"
    kit.mkdir()
    (kit / "__init__.py").write_text("# mine\n")
    if manifest is not None:
        (kit / MANIFEST).write_text(manifest)
    before = held(kit)
    with pytest.raises(PlaceError, match="not made by an export"):
        EngineFolder(tmp_path / "script.py", SMALL)
    assert held(kit) == before


def test_neither_script_nor_engine_is_written_where_one_of_them_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "answer.py"
    script.write_text("print('mine')\n")
    with pytest.raises(PlaceError, match="would be lost"):
        ScriptToSave(script, subject("answer")).save()
    assert list(tmp_path.iterdir()) == [script]
    script.unlink()
    (tmp_path / "stepwire_kit").write_text("mine")
    with pytest.raises(PlaceError, match="not made by an export"):
        ScriptToSave(script, subject("answer")).save()
    assert not script.exists()


def test_a_script_that_was_edited_is_kept_and_one_that_was_not_is_replaced(tmp_path: Path) -> None:
    script = tmp_path / "answer.py"
    for _ in range(2):
        ScriptToSave(script, subject("answer")).save_alone()
    ScriptToSave(script, subject("debate")).save_alone()
    script.write_text(script.read_text("utf-8").replace("birds", "owls"))
    edited = script.read_text("utf-8")
    with pytest.raises(PlaceError, match="was edited after it was exported") as refused:
        ScriptToSave(script, subject("debate")).save_alone()
    assert "--force" in refused.value.hint
    assert script.read_text("utf-8") == edited
    ScriptToSave(script, subject("debate"), force=True).save_alone()
    assert script.read_text("utf-8") != edited


def test_a_script_of_an_older_stepwire_may_have_been_edited_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text(subject("answer").replace("birds", "owls"))
    with pytest.raises(PlaceError, match="older Stepwire and may have been edited"):
        ScriptToSave(tmp_path / "answer.py", subject("answer")).save_alone()


def test_one_file_goes_over_one_file_only(tmp_path: Path) -> None:
    place = tmp_path / "answer.pyz"
    for _ in range(2):
        ScriptToSave(place, subject("answer")).save_archive()
    place.write_bytes(b"PK mine")
    with pytest.raises(PlaceError, match="would be lost"):
        ScriptToSave(place, subject("answer")).save_archive()


def test_a_wheel_that_is_not_there_is_not_named(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="There is no wheel"):
        ScriptToSave(tmp_path / "answer.py", subject("answer")).save_alone(wheel=tmp_path / "kit.whl")


@pytest.mark.parametrize("name", ["studio.py", "nodes.py", "stepwire_kit.py", "pydantic.py"])
def test_a_script_is_not_called_as_a_module_of_its_engine(tmp_path: Path, name: str) -> None:
    with pytest.raises(PlaceError, match="import itself"):
        ScriptToSave(tmp_path / name, subject("answer")).save()


def test_what_a_power_cut_left_empty_is_written_again(kit: Path) -> None:
    (kit / NODE).write_bytes(b"")
    EngineFolder(kit.parent / "script.py", SMALL).save()
    assert (kit / NODE).read_bytes()


def test_it_lies_beside_the_script_also_where_a_link_leads_there(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    EngineFolder(tmp_path / "link" / "script.py", SMALL).save()
    assert (tmp_path / "real" / "stepwire_kit" / MANIFEST).exists()


def test_a_file_of_ones_own_in_the_place_of_a_new_one_is_kept(kit: Path) -> None:
    (kit / OTHER_NODE).parent.mkdir(parents=True, exist_ok=True)
    (kit / OTHER_NODE).write_bytes(b"# mine\n")
    with pytest.raises(PlaceError, match="would be lost"):
        EngineFolder(kit.parent / "second.py", OTHER)
    (kit / OTHER_NODE).unlink()
    (kit / "mine").symlink_to(kit.parent, target_is_directory=True)
    EngineFolder(kit.parent / "second.py", OTHER).save()
    assert (kit / "mine").is_symlink()
