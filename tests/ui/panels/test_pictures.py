"""Pictures in panels: those that a run has sent, and those that a value names."""

import hashlib
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.app.projects.images import ProjectImages
from studio.app.projects.new_project import create_project
from studio.store.reader import RunStore
from studio.trace.conversations.messages import Seen
from studio.trace.events.values import Shown
from studio.ui.panels.messages.bubble import Bubble
from studio.ui.panels.value_card import ValueCard
from studio.ui.panels.widgets.picture import HIGHEST, WIDEST, Picture, picture_of, pictures_in
from studio.ui.viewmodels.messages.conversation import Words
from tests.ui.builders import a_look


def png(width: int, height: int) -> bytes:
    """A picture in one colour."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkGreen)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(data.data())


def images_of(root: Path, sent: bytes = b"") -> tuple[ProjectImages, Seen]:
    """The pictures of a new project that has one in a file, and one that a run has sent."""
    project = create_project(root)
    (project.root / "data").mkdir(exist_ok=True)
    (project.root / "data" / "wren.png").write_bytes(png(60, 30))
    sha256 = hashlib.sha256(sent).hexdigest()
    RunStore(project.private).images.keep(sha256, sent)
    return ProjectImages(project), Seen("data/old.png", sha256)


def test_a_picture_keeps_its_proportions_and_is_not_made_larger(qtbot: QtBot) -> None:
    picture = picture_of("wren.png", png(60, 30))
    assert picture is not None
    qtbot.addWidget(picture)
    assert (picture.heightForWidth(30), picture.heightForWidth(600)) == (15, 30)
    large = picture_of("large.png", png(3000, 1000))
    assert large is not None
    qtbot.addWidget(large)
    assert large.sizeHint().width() == WIDEST
    assert large.sizeHint().height() <= HIGHEST
    assert picture_of("none.png", b"\x89PNG\r\n\x1a\nhalf") is None


def test_a_message_shows_the_picture_that_was_sent_with_it(qtbot: QtBot, tmp_path: Path) -> None:
    images, seen = images_of(tmp_path / "birds", png(20, 10))
    words = Words("user", "What is it?", "text.muted", images=(seen, Seen("gone.png", "0" * 64)))
    bubble = Bubble(a_look(), words, None, images)
    qtbot.addWidget(bubble)
    assert [one.accessibleName() for one in bubble.findChildren(Picture)] == ["data/old.png"]
    assert not bubble.fits(Words("user", "What is it?", "text.muted"))


def test_a_value_shows_the_pictures_that_it_names(qtbot: QtBot, tmp_path: Path) -> None:
    images, seen = images_of(tmp_path / "birds", png(20, 10))
    (tmp_path / "secret.png").write_bytes(png(2, 2))
    message = {"role": "user", "content": "?", "images": [{"path": "data/old.png", "sha256": seen.sha256}]}
    page = QWidget()
    qtbot.addWidget(page)
    for value, names in (
        ("data/wren.png", ["data/wren.png"]),
        (["data/wren.png", "data/no.png", "words"], ["data/wren.png"]),
        ([message], ["data/old.png"]),
        ("../secret.png", []),
        ({"role": "user", "images": "no list"}, []),
    ):
        assert [one.accessibleName() for one in pictures_in(value, images, page)] == names
    card = ValueCard(a_look(), "picture", Shown("data/wren.png"), page, images)
    assert len(card.findChildren(Picture)) == 1
