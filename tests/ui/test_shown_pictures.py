"""The pictures of README and guide: each is taken by the script that renews them, and none is left over."""

import re
import struct
import zlib
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QImageReader

from studio.places import resources
from tests.pictures.animation import SIGNATURE, Frame, merged, write_pictures
from tests.pictures.scenes import SCENES, TOUR

ROOT = Path(__file__).parents[2]
_SHOWN = re.compile(r"screenshots/([\w-]+)\.png")
LARGEST = 1_500_000
LONGEST = 15_000


def plain(color: str, spot: tuple[int, int] | None = None) -> QImage:
    """A picture of one colour, with a white spot."""
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor(color))
    if spot is not None:
        image.setPixelColor(*spot, QColor("white"))
    return image


def chunks(path: Path) -> list[tuple[str, bytes]]:
    """What a PNG consists of, each part checked."""
    data = path.read_bytes()
    assert data.startswith(SIGNATURE)
    found: list[tuple[str, bytes]] = []
    at = len(SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        part = data[at + 4 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(part),)
        found.append((part[:4].decode(), part[4:]))
        at += 12 + size
    return found


def test_every_picture_that_is_shown_is_taken_by_the_script_and_all_of_them_are_shown() -> None:
    pages = [ROOT / "README.md", *(resources() / "guide").glob("*.md")]
    shown = {name for page in pages for name in _SHOWN.findall(page.read_text("utf-8"))}
    assert shown == {TOUR, *SCENES}
    assert {path.stem for path in (resources() / "screenshots").iterdir()} == shown


def test_the_tour_is_short_and_small() -> None:
    path = resources() / "screenshots" / f"{TOUR}.png"
    assert path.stat().st_size < LARGEST
    controls = [data for kind, data in chunks(path) if kind == "fcTL"]
    assert len(controls) > 20
    assert sum(struct.unpack(">H", one[20:22])[0] for one in controls) <= LONGEST


def test_an_animation_has_of_each_frame_what_is_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "moving.png"
    frames = [Frame(plain("red"), 100), Frame(plain("red", (5, 7)), 50), Frame(plain("blue"), 200)]
    write_pictures(frames, path)
    parts = chunks(path)
    assert [kind for kind, _ in parts] == [
        *("IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT"),
        *("fcTL", "fdAT", "fcTL", "fdAT", "IEND"),
    ]
    controls = [struct.unpack(">IIIIIHHBB", data) for kind, data in parts if kind == "fcTL"]
    assert [one[:6] for one in controls] == [
        (0, 40, 30, 0, 0, 100),
        (1, 1, 1, 5, 7, 50),
        (3, 40, 30, 0, 0, 200),
    ]
    assert QImageReader(str(path)).read().convertToFormat(QImage.Format.Format_RGB32) == plain("red")


def test_a_picture_of_many_colours_keeps_those_that_are_seen_most(tmp_path: Path) -> None:
    path = tmp_path / "still.png"
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("#16181d"))
    for row in range(40):
        for column in range(300):
            image.setPixelColor(column, row, QColor(column % 256, row * 6, (column * row) % 256))
    write_pictures([Frame(image, 0)], path)
    assert [kind for kind, _ in chunks(path)] == ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
    read = QImageReader(str(path)).read().convertToFormat(QImage.Format.Format_RGB32)
    assert read.pixelColor(150, 200) == QColor("#16181d")


def test_frames_that_show_the_same_are_one() -> None:
    found = merged([Frame(plain("red"), 100), Frame(plain("red"), 50), Frame(plain("blue"), 10)])
    assert [one.lasts for one in found] == [150, 10]


@pytest.mark.parametrize("name", SCENES)
def test_the_name_of_a_picture_ends_in_its_theme(name: str) -> None:
    assert name.rpartition("-")[2] in {"dark", "light"}
