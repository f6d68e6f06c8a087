"""The image is made once, and loaded only where nobody else can have written it."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

from studio.errors import BoxMissingError
from studio.sandbox.image import image, image_path, is_ours


def test_an_image_that_others_can_write_is_not_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "sandbox"
    folder.mkdir(mode=0o700)
    path = folder / "box.cwasm"
    path.write_bytes(b"machine code")
    path.chmod(0o600)
    assert is_ours(path)
    path.chmod(0o666)
    assert not is_ours(path)
    path.chmod(0o600)
    folder.chmod(0o777)
    assert not is_ours(path)


def test_without_its_builder_there_is_no_box_and_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(BoxMissingError, match="componentize-py") as raised:
        image_path(tmp_path)
    assert "pip install" in raised.value.hint


async def test_a_builder_that_fails_leaves_no_image_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "studio.sandbox.image.command",
        lambda *_: [sys.executable, "-c", "import sys; sys.exit('no space left')"],
    )
    with pytest.raises(BoxMissingError, match="no space left"):
        await image(lambda *_: None, tmp_path)
    assert not list((tmp_path / "sandbox").glob("*.cwasm"))


async def test_the_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("a file where a folder belongs", encoding="utf-8")
    with pytest.raises(BoxMissingError, match="can't be made"):
        await image(lambda *_: None, tmp_path)
