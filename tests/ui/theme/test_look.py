from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF, QIcon, QImage, QRawFont
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.theme.apply import apply_theme, chosen_theme, mark
from studio.ui.theme.fonts import font, load_fonts
from studio.ui.theme.icons import app_icon, icon, icon_names, icon_source
from studio.ui.theme.stylesheet import render_stylesheet
from studio.ui.theme.tokens import COLORS, Theme, ThemeError, load_theme, theme_names


@pytest.fixture(params=theme_names())
def theme(request: pytest.FixtureRequest) -> Theme:
    return load_theme(request.param)


@pytest.fixture
def themed(qapp: QApplication, theme: Theme, tmp_path: Path) -> Iterator[Theme]:
    before = qapp.font(), qapp.palette()
    apply_theme(qapp, theme, tmp_path)
    yield theme
    qapp.setStyleSheet("")
    qapp.setFont(before[0])
    qapp.setPalette(before[1])


def colors(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def drawn(widget: QWidget) -> set[str]:
    """Every colour that `widget` shows."""
    return colors(widget.grab().toImage())


def opaque(made: QIcon, size: int, ratio: float = 1, mode: QIcon.Mode = QIcon.Mode.Normal) -> set[str]:
    """The colours of an icon's full pixels."""
    image = made.pixmap(QSize(size, size), ratio, mode).toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


def test_the_stylesheet_uses_no_name_that_a_theme_lacks(theme: Theme, tmp_path: Path) -> None:
    sheet = render_stylesheet(theme, tmp_path)
    assert "{{" not in sheet
    assert theme.color("surface.panel") in sheet
    for line in sheet.splitlines():
        if "url(" in line:
            assert Path(line.split('"')[1]).is_file()


def test_every_length_in_the_stylesheet_is_a_whole_number_of_pixels(theme: Theme, tmp_path: Path) -> None:
    assert ".0px" not in render_stylesheet(theme, tmp_path)


def test_the_primary_button_has_the_accent_and_the_others_do_not(qtbot: QtBot, themed: Theme) -> None:
    button = QPushButton("Run")
    qtbot.addWidget(button)
    assert themed.color("accent.action") not in drawn(button)
    mark(button, primary=True)
    assert themed.color("accent.action") in drawn(button)


def test_a_disabled_button_is_muted(qtbot: QtBot, themed: Theme) -> None:
    button = QPushButton("Run")
    mark(button, primary=True)
    button.setEnabled(False)
    qtbot.addWidget(button)
    assert themed.color("accent.action") not in drawn(button)


@pytest.mark.parametrize("state", COLORS["pill"])
def test_a_pill_has_its_state_s_ground(qtbot: QtBot, themed: Theme, state: str) -> None:
    label = QLabel(state)
    mark(label, pill=state)
    qtbot.addWidget(label)
    assert themed.color(f"pill.{state}") in drawn(label)


def test_controls_are_as_high_as_the_measures_say(qtbot: QtBot, themed: Theme) -> None:
    for widget in (QPushButton("Run"), QLineEdit("text")):
        qtbot.addWidget(widget)
        assert themed.length("size.control") <= widget.sizeHint().height() <= themed.length("size.button")


def test_a_theme_can_be_changed_while_the_window_is_open(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    for name in ("dark", "light"):
        theme = load_theme(name)
        apply_theme(qapp, theme, tmp_path)
        assert theme.color("surface.raised") in drawn(field)
    qapp.setStyleSheet("")


def test_a_theme_that_is_shown_already_restyles_no_widget(
    qapp: QApplication, qtbot: QtBot, themed: Theme, tmp_path: Path
) -> None:
    class Field(QLineEdit):
        restyled = 0

        def changeEvent(self, event: QEvent) -> None:
            super().changeEvent(event)
            self.restyled += event.type() == QEvent.Type.StyleChange

    field = Field()
    qtbot.addWidget(field)
    field.ensurePolished()
    before = field.restyled
    apply_theme(qapp, themed, tmp_path)
    assert field.restyled == before
    qapp.setStyleSheet("")
    assert field.restyled > before


def test_without_a_setting_the_desktop_s_preference_decides(qapp: QApplication) -> None:
    prefers_light = qapp.styleHints().colorScheme() is Qt.ColorScheme.Light
    assert chosen_theme(qapp).is_dark is not prefers_light
    assert chosen_theme(qapp, "high_contrast").name == "high_contrast"


def test_the_studio_brings_its_own_fonts(qapp: QApplication) -> None:
    assert qapp is not None
    assert {"Inter", "JetBrains Mono"} <= set(load_fonts())
    theme = load_theme("dark")
    assert QFontInfo(font(theme)).family() == "Inter"
    assert QFontInfo(font(theme, mono=True)).fixedPitch()
    assert QFontInfo(font(theme, "title")).pixelSize() == 20


def test_the_two_weights_of_text_are_drawn_from_two_fonts(qapp: QApplication) -> None:
    assert qapp is not None
    load_fonts()
    normal, strong = font(load_theme("dark")), font(load_theme("dark"), strong=True)
    assert [QRawFont.fromFont(made).weight() for made in (normal, strong)] == [400, 600]
    words = "Which birds were seen"
    assert QFontMetricsF(strong).horizontalAdvance(words) > QFontMetricsF(normal).horizontalAdvance(words)


@pytest.mark.parametrize("name", icon_names())
def test_every_icon_is_drawn_in_the_colour_it_is_given(qapp: QApplication, name: str) -> None:
    assert qapp is not None
    found = opaque(icon(name, "#ff0000"), 32)
    assert found == {"#ff0000"} if name != "stepwire" else len(found) > 1


def test_every_category_of_nodes_has_a_mark() -> None:
    assert {f"category_{name}" for name in COLORS["category"]} <= set(icon_names())


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_an_icon_is_crisp_at_every_pixel_ratio(qapp: QApplication, ratio: float) -> None:
    assert qapp is not None
    pixmap = icon("stop", "#ffffff").pixmap(QSize(16, 16), ratio)
    assert pixmap.width() == round(16 * ratio)
    assert pixmap.devicePixelRatio() == ratio
    assert QColor("#ffffff").name() in opaque(icon("stop", "#ffffff"), 16, ratio)


def test_an_icon_is_muted_where_its_button_is_disabled(qapp: QApplication) -> None:
    assert qapp is not None
    made = QIcon(icon("stop", "#ff0000", "#0000ff"))
    assert opaque(made, 16, mode=QIcon.Mode.Disabled) == {"#0000ff"}
    assert opaque(made, 16) == {"#ff0000"}


def test_an_icon_survives_being_copied_and_kept(qapp: QApplication) -> None:
    assert qapp is not None
    kept = [QIcon(icon("run", "#ff0000")) for _ in range(20)]
    for each in kept:
        each.addFile("")  # a copy that is changed is detached: Qt clones the engine
    assert all(opaque(each, 16) == {"#ff0000"} for each in kept)


def test_an_icon_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ThemeError, match="`teapot`"):
        icon_source("teapot", "#ffffff")


def test_the_application_has_a_mark_of_its_own(qapp: QApplication) -> None:
    assert qapp is not None
    assert len(opaque(app_icon(), 64)) > 3


def test_what_clears_a_field_stands_in_its_middle(themed: Theme, qtbot: QtBot) -> None:
    line = QLineEdit("birds")
    qtbot.addWidget(line)
    line.setClearButtonEnabled(True)
    line.resize(200, line.sizeHint().height())
    line.show()
    (button,) = line.findChildren(QToolButton)
    place = button.geometry()
    assert line.rect().contains(place)
    assert abs(place.center().y() - line.rect().center().y()) <= 1
    assert themed.color("text.disabled") in colors(button.icon().pixmap(QSize(32, 32)).toImage())


def test_a_widget_is_styled_anew_only_where_its_mark_is_another_one(qtbot: QtBot) -> None:
    label, styled = QLabel(), list[QEvent.Type]()
    qtbot.addWidget(label)
    label.ensurePolished()

    class Ear(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            styled.append(event.type())
            return super().eventFilter(watched, event)

    ear = Ear()
    label.installEventFilter(ear)
    mark(label, tone="held")
    assert styled, "the stylesheet looked again"
    styled.clear()
    mark(label, tone="held")
    assert styled == []
    mark(label, tone="muted")
    assert styled


@pytest.mark.usefixtures("qapp")
def test_an_icon_of_no_size_is_no_picture_and_no_warning() -> None:
    assert icon("close", "#ffffff").pixmap(QSize(16, 0)).isNull()
