"""The path of somebody who tries variants: run, read who is better, see where the other goes wrong, label."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox
from pytestqt.qtbot import QtBot

from studio.app.experiments.drafts import ChangeDraft, VariantDraft, draft_of
from studio.experiments.files import experiment_of
from studio.experiments.labels import Labels, labels_beside
from studio.ui.panels.experiments.experiment_form import ExperimentForm
from studio.ui.panels.experiments.page import ExperimentsPage
from studio.ui.panels.experiments.report_view import GridTable
from studio.ui.window.main_window import MainWindow
from tests.app.experiments.attending import HereLink
from tests.experiments.builders import experiment_project
from tests.ui.window.windows import LONG

pytestmark = pytest.mark.shared_window
COUNT = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose experiment was run in the window of the first test."""
    root = tmp_path_factory.mktemp("experiments") / "boxes"
    experiment_project(root, COUNT, {"accuracy": 0.5, "accuracy_at_hardest": 0.5})
    return root


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow, made: Path, monkeypatch: pytest.MonkeyPatch) -> ExperimentsPage:
    """The page of that project, with its experiment checked."""
    monkeypatch.setattr(window.app, "attend", HereLink)
    window.documents.open(made)
    assert window.app.commands.run("run.experiments")
    assert window.front is not None
    found = window.experiments.page_of(window.front)
    qtbot.waitUntil(lambda: found.desk is not None and found.desk.told.stage == "ready", timeout=LONG)
    return found


def ran(qtbot: QtBot, page: ExperimentsPage) -> None:
    """Run what is left, as a hand does."""
    if page.run_bar.run_button.isEnabled():
        page.run_bar.run_button.click()
    qtbot.waitUntil(lambda: page.desk is not None and page.desk.told.stage == "ready", timeout=LONG)


def test_a_run_colours_the_table_and_says_what_the_data_can_tell(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage
) -> None:
    shown = window.tabs.shown
    assert shown is not None
    assert shown.title == "Experiments: Trial"
    assert window.docks["inspector"].isHidden()  # the table has the room
    window.keeper.keep_documents()
    assert "experiments" in [one.kind for one in window.app.settings.documents]  # the next window has it
    assert page.said.text().startswith(f"{2 * COUNT} trials to run: {COUNT} rows, 2 variants, once each.")
    assert page.table.trials.data(page.table.trials.index(0, 1)) == "–"
    ran(qtbot, page)
    cells = {page.table.trials.data(page.table.trials.index(row, 1)) for row in range(COUNT)}
    assert cells <= {"0 %", "100 %"}
    assert page.verdict.text()
    assert page.charts.isVisible()
    assert "alone" in page.bars.accessibleDescription()
    assert not page.run_bar.run_button.isEnabled()  # nothing is left


def test_a_cell_opens_its_run_and_two_cells_the_step_where_they_part(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage
) -> None:
    ran(qtbot, page)
    page.filters.show_only("apart", 0)
    assert 0 < page.table.trials.rowCount() < COUNT
    page.table.setFocus()
    page.table.setCurrentIndex(page.table.trials.index(0, 1))
    assert "What is in box" in page.details.text.toPlainText()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    front = window.front
    assert front is not None
    qtbot.waitUntil(lambda: front.work.shown.run is not None, timeout=LONG)
    assert window.tabs.shown is not None
    assert window.tabs.shown.kind == "flow"
    assert front.notices.text.startswith("Trial: p")
    assert ", alone." in front.notices.text
    window.app.commands.run("run.experiments")
    page.table.setCurrentIndex(page.table.trials.index(0, 2))
    page.details.compare_button.click()
    qtbot.waitUntil(lambda: window.front is not None and window.front.comparison.is_on, timeout=LONG)
    assert window.front is not None
    assert window.front.work.session.path.name == "flow.json"  # the baseline's, beside which it is held
    assert window.tabs.shown is not None
    assert window.tabs.shown.kind == "comparison"
    assert "voting. Second run: " in window.front.notices.text


def test_the_whole_report_is_a_click_away_and_escape_leads_back(qtbot: QtBot, page: ExperimentsPage) -> None:
    ran(qtbot, page)
    page.report_button.click()
    assert page.report.isVisible()
    assert [part.title for part in page.report.parts][:3] == ["Figures", "Differences", "At equal budget"]
    assert page.report.verdict.text() == page.verdict.text()
    assert not page.report.early.isVisible()  # all is run
    tables = {one.accessibleName(): one for one in page.report.findChildren(GridTable)}
    assert [tables["Figures"].item(row, 0).text() for row in (0, 1)] == ["alone", "voting"]
    QTest.keyClick(page.report, Qt.Key.Key_Escape)
    assert page.table.isVisible()


def test_what_nodes_took_over_the_listed_rows_stands_on_the_canvas(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage
) -> None:
    ran(qtbot, page)
    page.nodes_asked.emit(0)
    front = window.front
    assert front is not None
    qtbot.waitUntil(lambda: "12 trials" in front.notices.text, timeout=LONG)


def test_trials_are_labelled_by_keys_without_seeing_whose_they_are(
    qtbot: QtBot, page: ExperimentsPage, made: Path
) -> None:
    ran(qtbot, page)
    page.labels_asked.emit("right")
    view = page.labelling
    assert view.head.text() == f"Trial 1 of {2 * COUNT}, in place of “right”"
    assert "alone" not in view.text.toPlainText() + view.head.text()
    for key in (Qt.Key.Key_1, Qt.Key.Key_K, Qt.Key.Key_0, Qt.Key.Key_Left):
        QTest.keyClick(view, key)
    kept = Labels(labels_beside(made / "experiments" / "trial.json"))
    assert [one.score for one in kept.current] == [1.0, 0.0]
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert page.table.isVisible()


def form(window: MainWindow) -> ExperimentForm:
    """The form that is open."""
    (found,) = (one for one in window.findChildren(ExperimentForm) if one.isVisible())
    return found


def test_a_new_experiment_is_drafted_written_and_shown_before_anything_runs(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage, made: Path
) -> None:
    window.app.commands.run("run.new_experiment")
    dialog = form(window)
    assert dialog.draft().inputs == {"question": "question"}
    assert dialog.draft().scorers[0].expected == "answer"
    dialog.name.setText("Brief answers")
    dialog.profile.setCurrentText("solvers")
    dialog.variants[1].name.setText("brief")
    dialog.end.button.click()
    assert "“brief” is the flow as it is" in dialog.wrong.text()
    dialog.inputs["question"].setCurrentIndex(0)
    dialog.end.button.click()
    assert "no default" in dialog.wrong.text()
    dialog.inputs["question"].setCurrentIndex(dialog.inputs["question"].findData("question"))
    dialog.variants[1].changes[0].text.setPlainText("Answer in one word.")
    brief = ChangeDraft("w", "instructions", "Answer in one word.", is_prompt=True)
    assert dialog.draft().variants[1] == VariantDraft("brief", "flow.json", changes=[brief])
    dialog.end.button.click()
    path = made / "experiments" / "brief_answers.json"
    assert path.is_file()
    qtbot.waitUntil(lambda: " trials to run: " in page.said.text(), timeout=LONG)
    assert page.list.current_key() or page.title.text() == "Brief answers"
    path.write_text(path.read_text("utf-8").replace('"w"', '"nobody"'), "utf-8")
    page.run_bar.run_button.click()
    qtbot.waitUntil(page.wrong.isVisible, timeout=LONG)
    assert "nobody" in page.wrong.text()
    path.unlink()


def test_an_experiment_is_edited_in_the_form_that_made_it_and_undo_takes_it_back(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage, made: Path
) -> None:
    path = made / "experiments" / "trial.json"
    before = path.read_text("utf-8")
    page.run_bar.edit_button.click()
    dialog = form(window)
    assert [one.name.text() for one in dialog.variants] == ["alone", "voting"]
    assert [one.flow.currentText() for one in dialog.variants] == ["flow.json", "voting.json"]
    dialog.end.button.click()
    assert path.read_text("utf-8") == before  # nothing was changed
    page.run_bar.edit_button.click()
    dialog = form(window)
    dialog.repeats.setValue(2)
    dialog.variants[0].add_change()
    dialog.variants[0].changes[0].text.setPlainText("Think twice.")
    dialog.limits["tokens"].setValue(900)
    dialog.end.button.click()
    kept = json.loads(path.read_text("utf-8"))
    assert kept["repeats"] == 2
    assert kept["limits"] == {"tokens": 900}
    assert kept["variants"]["alone"]["patch"][0]["text"] == "Think twice."
    assert kept["scorers"] == json.loads(before)["scorers"]
    qtbot.waitUntil(lambda: f"{4 * COUNT} trials" in page.said.text(), timeout=LONG)
    window.app.commands.run("edit.undo")
    assert path.read_text("utf-8") == before
    qtbot.waitUntil(lambda: f"{4 * COUNT} trials" not in page.said.text(), timeout=LONG)


def test_factors_baseline_rows_and_an_early_stop_are_chosen_in_the_form(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage, made: Path
) -> None:
    path = made / "experiments" / "trial.json"
    before = path.read_text("utf-8")
    page.run_bar.edit_button.click()
    dialog = form(window)
    comparison = dialog.comparison
    assert not comparison.looks.isVisible()
    comparison.stop.setCurrentIndex(comparison.stop.findData("pocock"))
    assert comparison.looks.isVisible()
    comparison.looks.setValue(3)
    comparison.within.setValue(5)
    comparison.rows.setCurrentIndex(1)
    comparison.baseline.setCurrentText("voting")
    dialog.variants[1].name.setText("votes")
    assert comparison.baseline.currentText() == "votes"
    dialog.add_factor()
    factor = dialog.factors[0]
    assert not factor.levels[0].away.isEnabled()  # a factor has two levels
    factor.add_level()
    factor.levels[2].removed.emit()
    factor.name.setText("prompt")
    factor.levels[1].name.setText("terse")
    factor.levels[1].add_change()
    factor.levels[1].changes[0].text.setPlainText("Be terse.")
    offered = [comparison.baseline.itemText(at) for at in range(comparison.baseline.count())]
    assert offered == ["The first variant", "alone", "votes", "level 1", "terse"]
    assert comparison.baseline.currentText() == "votes"
    dialog.end.button.click()
    kept = json.loads(path.read_text("utf-8"))
    assert kept["stop"] == {"looks": 3, "spending": "pocock", "within": 0.05}
    assert (kept["rows"], kept["baseline"]) == ("fixed", "votes")
    assert kept["factors"]["prompt"]["level 1"] == {}
    assert kept["factors"]["prompt"]["terse"]["patch"][0]["text"] == "Be terse."
    qtbot.waitUntil(lambda: "4 variants" in page.said.text(), timeout=LONG)
    page.run_bar.edit_button.click()
    dialog = form(window)
    assert dialog.draft() == draft_of(experiment_of(path.read_text("utf-8"), "trial"), "flow.json")
    dialog.reject()
    window.app.commands.run("edit.undo")
    assert path.read_text("utf-8") == before
    qtbot.waitUntil(lambda: "4 variants" not in page.said.text(), timeout=LONG)


def test_an_experiment_whose_file_comes_back_is_heard_again(
    qtbot: QtBot, window: MainWindow, page: ExperimentsPage, made: Path
) -> None:
    path = made / "experiments" / "trial.json"
    text, before = path.read_text("utf-8"), page.desk
    path.unlink()
    window.experiments.follow(made, [f"experiments/{path.name}"])
    assert page.empty.isVisible()
    path.write_text(text, "utf-8")
    window.experiments.follow(made, [f"experiments/{path.name}"])
    assert page.table.isVisible()
    assert page.desk is not before  # which was closed with the file
    qtbot.waitUntil(lambda: page.desk is not None and page.desk.told.stage == "ready", timeout=LONG)


def test_what_is_added_to_a_form_has_a_name_of_its_own(window: MainWindow, page: ExperimentsPage) -> None:
    page.run_bar.edit_button.click()
    dialog = form(window)
    for _ in range(2):
        dialog.add_variant()
        dialog.add_scorer()
    dialog.variants[2].removed.emit()
    dialog.scorers[1].removed.emit()
    dialog.add_variant()
    for box in (*dialog.findChildren(QComboBox), *dialog.findChildren(QAbstractSpinBox)):
        assert box.focusPolicy() == Qt.FocusPolicy.StrongFocus, box.accessibleName()  # the wheel scrolls past
    dialog.add_scorer()
    assert [one.name.text() for one in dialog.variants] == ["alone", "voting", "variant 4", "variant 5"]
    assert [one.name.text() for one in dialog.scorers] == ["right", "right 3", "right 2"]
    dialog.reject()


def test_charts_make_room_for_the_table_in_a_low_window_until_they_are_asked_for(
    qtbot: QtBot, page: ExperimentsPage
) -> None:
    ran(qtbot, page)
    assert page.charts.isVisible()
    inside = page.inner.widget(0)
    inside.resize(inside.width(), 300)
    assert not page.charts.isVisible()
    page.charts_button.click()
    assert page.charts.isVisible()
    inside.resize(inside.width(), 900)
    assert page.charts.isVisible()


def test_marks_of_buttons_take_the_colours_of_another_theme(
    window: MainWindow, page: ExperimentsPage
) -> None:
    buttons = (page.run_bar.more, page.run_bar.run_button, page.new_button)
    before = {one.icon().cacheKey() for one in buttons}
    window.look.changed.emit()
    assert not before & {one.icon().cacheKey() for one in buttons}


def test_a_project_without_experiments_says_what_they_are_for(window: MainWindow, project: Path) -> None:
    window.documents.open(project)
    window.app.commands.run("run.experiments")
    assert window.front is not None
    found = window.experiments.page_of(window.front)
    assert found.empty.isVisible()
    assert found.empty.title == "No experiments yet"
