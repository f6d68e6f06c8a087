from pathlib import Path

import pytest

from studio import places


def test_every_place_is_found_in_this_installation() -> None:
    assert (places.themes() / "dark.toml").is_file()
    assert (places.resources() / "icons").is_dir()
    assert places.nodes().is_dir()
    assert places.projects().is_dir()


def test_a_wheel_keeps_its_files_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_data" / "themes").mkdir(parents=True)
    monkeypatch.setattr(places, "SHIPPED", tmp_path / "_data")
    assert places.themes() == tmp_path / "_data" / "themes"


def test_an_incomplete_installation_says_which_file_is_missing_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_data").mkdir()
    monkeypatch.setattr(places, "SHIPPED", tmp_path / "_data")
    with pytest.raises(places.MissingFileError, match=r"themes.*Reinstall Stepwire"):
        places.themes()
