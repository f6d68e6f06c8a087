"""The result of a run: as a reader wants it, and as safe as it has to be."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.app.projects.named_files import finds_files
from studio.ids import NodeId
from studio.trace.events.values import Shown
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.result import ResultPanel
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.panels.result.table import RowsTable
from studio.ui.panels.widgets.json_tree import JsonTree
from studio.ui.panels.widgets.picture import Picture
from studio.ui.viewmodels.run.results import Given
from tests.ui.builders import a_look
from tests.ui.panels.test_pictures import images_of


def given(value: object, name: str = "answer") -> Given:
    return Given(NodeId(name), name.title(), Shown(value), None)


def panel_with(qtbot: QtBot, *values: Given) -> ResultPanel:
    panel = ResultPanel(a_look())
    qtbot.addWidget(panel)
    panel.resize(360, 700)
    panel.show()
    panel.show_result("Done", "done", "3.1 s", values)
    return panel


@pytest.mark.parametrize(
    ("value", "widget"),
    [
        ("A dunnock.", SpokenText),
        ("# Birds\n\n- wren", RenderedText),
        ([{"name": "wren", "count": 2}], RowsTable),
        ({"verdict": True}, JsonTree),
    ],
)
def test_each_value_is_shown_as_a_reader_wants_it(qtbot: QtBot, value: object, widget: type) -> None:
    (card,) = panel_with(qtbot, given(value)).cards
    assert card.findChild(widget) is not None


def test_what_is_rendered_can_be_read_as_written_and_is_copied_so(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, given("It is **not** a wren."))
    (card,) = panel.cards
    rendered = card.findChild(RenderedText)
    assert rendered is not None
    assert rendered.toPlainText() == "It is not a wren."
    assert card.turn is not None
    card.turn.click()
    (text,) = (one for one in card.findChildren(SpokenText) if not one.isHidden())
    assert text.toPlainText() == "It is **not** a wren."
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == "It is **not** a wren."


def test_a_rendered_text_loads_nothing_and_opens_only_web_pages(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.css"
    secret.write_text("p { color: red }")
    page = RenderedText(a_look(), "page")
    qtbot.addWidget(page)
    page.show_html(
        f'<link rel="stylesheet" href="{secret.as_uri()}"><script>evil()</script>'
        f'<img src="{secret.as_uri()}"><img src="https://example.org/x.png"><p>Read me</p>'
    )
    assert page.loadResource(3, QUrl(secret.as_uri())) is None
    assert "Read me" in page.toPlainText()
    assert "evil" not in page.toPlainText()
    page.show_markdown("<script>evil()</script> ![x](file:///etc/passwd)")
    opened: list[str] = []

    def open_url(url: QUrl) -> None:
        opened.append(url.toString())

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    for link in ("file:///bin/sh", "javascript:evil()", "https://example.org/", "smb://host/x"):
        page.anchorClicked.emit(QUrl(link))
    assert opened == ["https://example.org/"]


def test_a_file_is_shown_in_the_window_or_its_folder_is(qtbot: QtBot, tmp_path: Path) -> None:
    images, _ = images_of(tmp_path / "birds")
    panel = ResultPanel(a_look(), None, images, finds_files(tmp_path / "birds"))
    qtbot.addWidget(panel)
    panel.show_result("Done", "done", "", [given("data/wren.png")])
    (card,) = panel.cards
    assert card.findChild(Picture) is not None
    asked: list[object] = []
    panel.file_asked.connect(asked.append)
    panel.folder_asked.connect(asked.append)
    for button in card.findChildren(QPushButton):
        if button.text() in {"Show", "Open folder"}:
            button.click()
    assert asked == [tmp_path / "birds" / "data" / "wren.png"] * 2


def test_what_the_run_before_gave_can_be_seen_beside_it(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, given("A wren.", "bird"), given(2, "count"), given(True, "new"))
    panel.show_before({"bird": Shown("A dunnock."), "count": Shown(2)})
    bird, count, new = panel.cards
    assert (bird.before_button.text(), bird.before_button.isEnabled()) == ("Last run", True)
    assert (count.before_button.text(), count.before_button.isEnabled()) == ("Same as last run", False)
    assert new.before_button.isHidden()
    bird.before_button.click()
    assert [one.toPlainText() for one in bird.findChildren(SpokenText)] == ["A wren.", "A dunnock."]
    bird.before_button.click()
    qtbot.waitUntil(lambda: len(bird.findChildren(SpokenText)) == 1)


def test_a_table_is_copied_so_that_a_spreadsheet_takes_it(qtbot: QtBot) -> None:
    (card,) = panel_with(qtbot, given([{"name": "wren", "count": 2}, {"name": "heron"}])).cards
    table = card.findChild(RowsTable)
    assert table is not None
    table.selectAll()
    assert table.chosen_text() == "wren\t2\nheron\t"


def test_a_failed_run_says_why_and_leads_to_the_step(qtbot: QtBot) -> None:
    panel = panel_with(qtbot)
    assert panel.show_step.isHidden()
    panel.show_result("Failed", "failed", "", [], error="The endpoint does not answer.")
    assert panel.error.text() == "The endpoint does not answer."
    with qtbot.waitSignal(panel.step_asked):
        panel.show_step.click()


def test_a_value_of_made_up_answers_says_so(qtbot: QtBot) -> None:
    made_up = Given(NodeId("draft"), "Draft", Shown("A wren.", ("chat", "made_up")), None)
    real, made = panel_with(qtbot, given("A wren."), made_up).cards
    assert (real.mark.isHidden(), made.mark.isHidden()) == (True, False)
    assert made.mark.text() == "made up"
