"""The image is made once, and loaded only where nobody else can have written it."""

import asyncio
import lzma
import shutil
import sys
from importlib import metadata
from pathlib import Path

import pytest

from studio import places
from studio.errors import BoxMissingError
from studio.sandbox.building import component_of
from studio.sandbox.image import (
    BUILDER,
    DESCRIPTION,
    RUNNER,
    image,
    image_path,
    is_ours,
    shipped_component,
)


def silent(_done: float, _total: float, _what: str) -> None:
    """Nobody hears of the progress."""


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


def refuse(monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    """Have it seem that a distribution is not installed."""
    ask = metadata.version

    def version(name: str) -> str:
        if name == refused:
            raise metadata.PackageNotFoundError(name)
        return ask(name)

    monkeypatch.setattr(metadata, "version", version)


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that describes the box, without a component."""
    folder = tmp_path / "resources" / "sandbox"
    folder.mkdir(parents=True)
    for name in DESCRIPTION:
        shutil.copy(places.resources() / "sandbox" / name, folder)
    monkeypatch.setattr(places, "resources", lambda: tmp_path / "resources")
    return folder


@pytest.mark.usefixtures("described")
def test_without_component_and_builder_there_is_no_box_and_a_line_that_installs_the_builder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, BUILDER)
    with pytest.raises(BoxMissingError, match="no code is run") as raised:
        image_path(tmp_path)
    assert raised.value.hint.startswith("Its component is not here either. Run: ")
    assert raised.value.hint.endswith(" install componentize-py")


def test_without_its_runner_there_is_no_box_and_a_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, RUNNER)
    with pytest.raises(BoxMissingError, match="wasmtime") as raised:
        image_path(tmp_path)
    assert "install 'wasmtime>=" in raised.value.hint


def test_a_component_that_was_shipped_needs_no_builder(
    tmp_path: Path, described: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, BUILDER)
    shipped_component().write_bytes(lzma.compress(b"of one release"))
    first = image_path(tmp_path)
    assert component_of(described, tmp_path) == b"of one release"
    shipped_component().write_bytes(lzma.compress(b"of the next"))
    assert image_path(tmp_path) != first, "a box of before is not run in its place"
    with (described / "guest.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    with pytest.raises(BoxMissingError):
        image_path(tmp_path)  # what was shipped is of another guest


@pytest.mark.process
async def test_a_builder_that_fails_leaves_no_image_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def builder(*_: str) -> list[str]:
        return [sys.executable, "-c", "import sys; sys.exit('no space left')"]

    monkeypatch.setattr("studio.sandbox.image.command", builder)
    with pytest.raises(BoxMissingError, match="no space left"):
        await image(silent, tmp_path)
    assert not list((tmp_path / "sandbox").glob("*.cwasm"))


async def test_the_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("a file where a folder belongs", encoding="utf-8")
    with pytest.raises(BoxMissingError, match="can't be built"):
        await image(silent, tmp_path)


@pytest.mark.process
async def test_a_box_whose_making_is_cancelled_leaves_nothing_and_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, sys\n"
        "os.mkdir(os.path.join(sys.argv[1], 'making-1'))\n"
        "print('[0, 2, \"begun\"]', flush=True)\n"
        "sys.stdin = os.fdopen(os.pipe()[0])\n"
        "sys.stdin.read()"
    )

    def builder(_module: str, _source: str, made: str) -> list[str]:
        return [sys.executable, "-c", code, str(Path(made).parent)]

    monkeypatch.setattr("studio.sandbox.image.command", builder)
    begun = asyncio.Event()
    making = asyncio.create_task(image(lambda _done, _total, _what: begun.set(), tmp_path))
    await begun.wait()
    assert list((tmp_path / "sandbox").glob("making-*"))
    told: list[str] = []
    heard = asyncio.Event()

    def hear(_done: float, _total: float, what: str) -> None:
        told.append(what)
        heard.set()

    waiting = asyncio.create_task(image(hear, tmp_path))
    await heard.wait()
    assert told == ["building the Python sandbox, once on this machine"], "who comes second is told as well"
    for task in (waiting, making):
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    assert not list((tmp_path / "sandbox").glob("making-*"))
