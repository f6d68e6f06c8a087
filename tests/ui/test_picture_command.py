"""`stepwire picture`: the canvas drawn without a display."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from studio import places
from studio.__main__ import main
from tests.app.flows import SCRIPT, chain
from tests.app.written_projects import write_project
from tests.ui.builders import a_theme

pytestmark = pytest.mark.process

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def project(tmp_path: Path, qtbot: QtBot) -> Iterator[Path]:
    """A project that asks once; Qt is there, as it is in a process of the command's own."""
    del qtbot
    before = os.environ.get("QT_QPA_PLATFORM")
    yield write_project(tmp_path / "trial", flow=chain(), script=SCRIPT)
    if before is not None:
        os.environ["QT_QPA_PLATFORM"] = before


def _texts(file: Path) -> str:
    root = ET.parse(file).getroot()  # noqa: S314  # our own picture
    assert root.tag == f"{SVG}svg"
    return " ".join("".join(one.itertext()) for one in root.iter(f"{SVG}text"))


def test_a_flow_becomes_svg_whose_text_can_be_searched(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "flow.svg"
    assert main(["picture", str(project), "-o", str(file)]) == 0
    for title in ("Question", "Writer", "Answer"):
        assert title in _texts(file)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_png_has_the_ground_of_its_theme_and_the_asked_scale(
    project: Path, tmp_path: Path, theme: str
) -> None:
    small, large = tmp_path / "small.png", tmp_path / "large.png"
    for file, scale in ((small, "1"), (large, "3")):
        arguments = ["picture", str(project), "-o", str(file), "--theme", theme, "--scale", scale]
        assert main(arguments) == 0
    image = QImage(str(small))
    assert image.pixelColor(2, 2).name() == a_theme(theme).color("surface.canvas")
    assert QImage(str(large)).width() == 3 * image.width()


def test_a_run_is_drawn_with_what_its_nodes_said(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(project), "--offline", "--input", "question=What was seen?"]) == 0
    plain, told = tmp_path / "plain.svg", tmp_path / "told.svg"
    assert main(["picture", str(project), "-o", str(plain)]) == 0
    assert main(["picture", str(project), "-o", str(told), "--run", "latest"]) == 0
    capsys.readouterr()
    assert "done" not in _texts(plain)
    assert "done" in _texts(told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "flow.gif"], "has to end in"),
        (["-o", "flow.svg", "--theme", "mauve"], "no theme `mauve`"),
        (["-o", "flow.png", "--scale", "0"], "is not a number from"),
        (["-o", "flow.png", "--size", "9x9"], "is not a size from"),
        (["-o", "flow.svg", "--size", "90x90"], "has to end in `.png`"),
        (["-o", "flow.svg", "--run", "latest"], "run"),
        (["-o", "no/such/folder/flow.svg"], "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["picture", str(project), *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("flow.*"))


def test_thumbnails_of_the_examples_are_drawn_in_a_process_without_a_display(tmp_path: Path) -> None:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    folders = list(places.example_projects())
    call = [sys.executable, "-m", "studio", "picture", *map(str, folders), "-o", str(tmp_path)]
    call += ["--size", "320x160", "--theme", "dark"]
    ended = subprocess.run(call, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert ended.returncode == 0, ended.stderr
    for folder in folders:
        image = QImage(str(tmp_path / f"{folder.name}.png"))
        assert (image.width(), image.height()) == (320, 160)
        colors = {image.pixel(x, y) for x in range(0, 320, 3) for y in range(0, 160, 3)}
        assert len(colors) > 10


def test_many_pictures_need_a_folder(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["picture", str(project), str(project), "-o", str(tmp_path / "both.svg")]) == 2
    assert "not a folder" in capsys.readouterr().err


def test_a_picture_goes_over_no_file_but_a_picture_of_its_own(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = project / "photo.png"
    photo.write_bytes(b"\x89PNG of the garden")
    for path in (photo, *(one for one in project.rglob("*") if one.is_file())):
        before = path.read_bytes()
        assert main(["picture", str(project), "-o", str(path)]) == 2, path
        told = capsys.readouterr().err
        assert "would be lost" in told or "has to end in" in told
        assert path.read_bytes() == before
    assert main(["picture", str(project), "-o", str(photo), "--force"]) == 0
    for name in ("flow.svg", "flow.png"):
        for _ in range(2):  # the second time over the picture of the first
            assert main(["picture", str(project), "-o", str(project / name)]) == 0


def test_where_a_picture_is_commands_no_terminal(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["picture", str(project), "-o", str(tmp_path / "\x1b[31mred\u202e.svg")]) == 0
    said = capsys.readouterr().err
    assert "\\u001b[31mred\\u202e.svg" in said
    assert not set("\x1b\u202e") & set(said)
