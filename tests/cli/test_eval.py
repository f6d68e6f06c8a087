"""`stepwire eval` says what a table can tell, and fails on a regression that is more than noise."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest

from studio.experiments.trials import TrialState
from tests.cli.conftest import Call
from tests.experiments.builders import RIGHT, experiment_project, write_experiment
from tests.experiments.counting import counting_endpoint
from tests.experiments.running import asking_project, run
from tests.patience import patience

ALONE = {"alone": {"flow": "flow.json"}}
FORMS = {"rows.xml": "junit", "page.html": "html", "trials.csv": "csv"}


def test_a_table_has_intervals_and_says_what_the_data_cannot_tell(call: Call, tmp_path: Path) -> None:
    called = call("eval", experiment_project(tmp_path / "p", repeats=4))
    assert called.code == 0, called.err
    lines = called.out.splitlines()
    assert lines[0].split()[:3] == ["variant", "right", "95"]
    assert "pass@4" in lines[0]
    assert lines[1].startswith("alone")
    assert "10 rows (a sample) of data/problems.jsonl" in called.out
    assert "The data cannot tell `voting` from `alone`" in called.out
    assert "With 10 rows, a true difference of" in called.out
    assert "The budgets differ: `voting` uses 3.00 times the tokens and 3.00 times the cost" in called.out
    assert "80 trials to run, 0 stored; answers are simulated or scripted, so nothing is paid" in called.err
    assert "Answers were simulated or scripted: nothing was paid." in called.out


def test_stored_trials_are_said_to_be_and_the_figures_are_the_same(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p")
    first = cast("dict[str, Any]", call("eval", path, "--json").json)
    again = cast("dict[str, Any]", call("eval", path, "--json").json)
    assert (first["ran"], again["ran"], again["reused"]) == (20, 0, 20)
    assert again["variants"] == first["variants"]
    assert "20 trials were taken from earlier runs in this project." in again["notes"]


def baseline(call: Call, root: Path, accuracy: float, count: int = 30) -> tuple[Path, Path]:
    """An experiment whose scores are kept while its solvers are as right as this."""
    path = experiment_project(root, count, {"accuracy": accuracy}, variants=ALONE)
    kept = root / "baseline.json"
    assert call("eval", path, "--write-baseline", kept).code == 0
    return path, kept


def set_accuracy(root: Path, before: float, after: float) -> None:
    file = root / "project.json"
    text = file.read_text("utf-8")
    assert f'"accuracy": {before}' in text
    file.write_text(text.replace(f'"accuracy": {before}', f'"accuracy": {after}'), "utf-8")


def test_a_regression_that_is_more_than_noise_fails(call: Call, tmp_path: Path) -> None:
    path, kept = baseline(call, tmp_path / "p", 0.9)
    assert call("eval", path, "--baseline", kept).code == 0
    set_accuracy(tmp_path / "p", 0.9, 0.2)
    called = call("eval", path, "--baseline", kept)
    assert called.code == 1
    assert "regression: `alone` is worse than `alone (baseline)` by" in called.err


def test_what_may_be_noise_does_not_fail(call: Call, tmp_path: Path) -> None:
    path, kept = baseline(call, tmp_path / "p", 0.7)
    set_accuracy(tmp_path / "p", 0.7, 0.65)
    called = call("eval", path, "--baseline", kept)
    assert called.code == 0
    assert "The data cannot tell `alone` from `alone (baseline)`" in called.out


def test_a_baseline_has_a_row_a_line_and_is_the_same_again(call: Call, tmp_path: Path) -> None:
    path, kept = baseline(call, tmp_path / "p", 0.9, count=2)
    text = kept.read_text("utf-8")
    assert '        "p0": [1.0],\n' in text or '        "p0": [0.0],\n' in text
    call("eval", path, "--write-baseline", kept)
    assert kept.read_text("utf-8") == text


def test_a_baseline_that_was_scored_otherwise_is_refused(call: Call, tmp_path: Path) -> None:
    path, kept = baseline(call, tmp_path / "p", 0.9, count=2)
    otherwise = {**RIGHT, "settings": {"by": "contains"}}
    write_experiment(tmp_path / "p", variants=ALONE, scorers={"right": otherwise})
    called = call("eval", path, "--baseline", kept)
    assert called.code == 2
    assert "was scored by another `right`" in called.err
    kept.write_text('{"format": "stepwire.baseline",\n"version": 9}', "utf-8")
    assert "line 2: version" in call("eval", path, "--baseline", kept).err


def test_a_score_that_is_too_low_fails(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", solver={"accuracy": 0}, variants=ALONE)
    assert call("eval", path, "--fail-under", 0).code == 0
    called = call("eval", path, "--fail-under", 0.5)
    assert called.code == 1
    assert "below 0.5: `alone` scores 0.000" in called.err
    assert call("eval", path, "--fail-under", 50).code == 2


def test_junit_has_a_case_for_each_row_with_the_run_to_open(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 3, {"accuracy": 0}, variants=ALONE)
    call("eval", path, "--junit", tmp_path / "rows.xml")
    suite = ET.fromstring((tmp_path / "rows.xml").read_text("utf-8"))[0]  # noqa: S314  # ours
    assert (suite.get("tests"), suite.get("failures")) == ("3", "3")
    message = suite[1][0].get("message") or ""  # after the rule
    run = message.split("run ")[1].split(":")[0]
    assert (tmp_path / "p" / ".stepwire" / "runs" / f"{run}.db").is_file()


def test_a_row_of_junit_passes_by_the_rule_of_the_experiment_which_is_told(
    call: Call, tmp_path: Path
) -> None:
    solver = {"accuracy": 0.5, "accuracy_at_hardest": 0.5, "correlation": 0}

    experiment_project(tmp_path / "p", 8, solver)

    def failed(**different: Any) -> tuple[list[str], str]:
        path = write_experiment(tmp_path / "p", variants=ALONE, repeats=4, **different)
        assert call("eval", path, "--junit", tmp_path / "rows.xml").code == 0
        suite = ET.fromstring((tmp_path / "rows.xml").read_text("utf-8"))[0]  # noqa: S314  # ours
        rule = suite.find("properties/property")
        assert rule is not None
        told = [one.get("message", "").partition(" of 4")[0] for one in suite.iter("failure")]
        assert len(suite.findall("testcase/system-out")) + len(told) <= 8
        return told, rule.get("value", "")

    usual, rule = failed()
    assert rule == "A row passes if at least 50 % of its repeats pass by right."
    assert set(usual) <= {"0", "1"}
    strict, rule = failed(row_passes=1)
    assert "at least 100 %" in rule
    assert len(strict) > len(usual)


def test_all_forms_are_written_at_once_and_one_of_them_can_be_printed(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 2, variants=ALONE)
    names = ("rows.xml", "page.html", "trials.csv")
    files = [one for name in names for one in (f"--{FORMS[name]}", tmp_path / name)]
    called = call("eval", path, "--json", *files)
    assert cast("dict[str, Any]", called.json)["total"] == 2
    assert all((tmp_path / name).stat().st_size for name in names)
    printed = call("eval", path, "--junit", "-", "--html", tmp_path / "page.html")
    assert ET.fromstring(printed.out).tag == "testsuites"  # noqa: S314  # ours
    assert call("eval", path, "--csv", "-").out.startswith("variant,row,repeat,")
    both = call("eval", path, "--junit", "-", "--json")
    assert both.code == 2
    assert "`--junit` and `--json` would both be written to standard output." in both.err
    assert call("eval", path, "--parquet", "-").code == 2


def test_the_page_runs_nothing_that_stands_in_the_data(call: Call, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    path = experiment_project(tmp_path / "p", 1, variants=ALONE)
    rows = tmp_path / "p" / "data" / "rows.jsonl"
    rows.write_text(json.dumps({"id": hostile, "question": "What is in box 0?", "answer": "r0"}), "utf-8")
    text = path.read_text("utf-8").replace("data/problems.jsonl", "data/rows.jsonl")
    path.write_text(text.replace("{", json.dumps({"name": hostile})[:-1] + ", ", 1), "utf-8")
    assert call("eval", path, "--html", tmp_path / "page.html").code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert hostile not in page
    assert page.count("&lt;script&gt;") == 3
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_power_is_told_before_anything_runs_and_by_what_is_stored(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p")
    called = call("eval", path, "--plan")
    assert "With 10 rows, a true difference of" in called.out
    assert "assuming that one row in four turns out otherwise" in called.out
    assert call("eval", path, "--plan", "--detect", 0).code == 2
    assert not (tmp_path / "p" / ".stepwire" / "runs").exists()
    call("eval", path)
    assert "by the stored trials" in call("eval", path, "--plan").out


def test_without_its_library_all_runs_and_what_is_missing_says_how_to_have_it(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    called = call("eval", experiment_project(tmp_path / "p"))
    assert called.code == 0, called.err
    assert "0." in called.out.splitlines()[1]
    assert "unknown" in called.out.splitlines()[1]
    assert "need a library that is not installed. Run: " in called.out


def test_an_experiment_that_is_not_there_is_told(call: Call, tmp_path: Path) -> None:
    called = call("eval", tmp_path / "nothing.json")
    assert called.code == 2
    assert "There is no experiment" in called.err


def test_a_file_is_checked_as_a_dataset(call: Call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,question\na,?\nb,?\n", "utf-8")
    called = call("datasets", "check", tmp_path / "rows.csv")
    assert called.code == 0
    assert called.out.startswith("2 rows (")
    assert "columns: id, question" in called.out
    wrong = call("datasets", "check", tmp_path / "rows.csv", "--as", "jsonl")
    assert wrong.code == 2
    assert "line 1" in wrong.err


def test_where_trials_are_executed_is_said_or_refused(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", count=2)
    refused = call("eval", path, "--executor", "elsewhere")
    assert (refused.code, "`ray://HOST:PORT`" in refused.err) == (2, True)
    called = call("eval", path, "--executor", "here", "--json")
    assert (called.code, cast("dict[str, Any]", called.json)["ran"]) == (0, 4)


def test_stored_trials_are_discarded_only_when_it_is_meant(call: Call, tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 1, variants=ALONE)
    call("eval", path)
    told = call("eval", path, "--discard")
    assert (told.code, "1 trial, 1 run, " in told.out, "Pass `--yes`" in told.out) == (0, True, True)
    assert "0 trials to run, 1 stored" in call("eval", path).err
    path.unlink()
    assert call("eval", path, "--discard", "--yes").out.startswith("Deleted 1 trial, 1 run, ")
    assert call("eval", tmp_path / "p" / "experiments" / "none.json", "--discard").code == 2


@pytest.mark.process
@pytest.mark.parametrize("executor", ["here", "workers"])
def test_ctrl_c_ends_it_within_a_second_and_it_goes_on(tmp_path: Path, executor: str) -> None:
    environ = {**os.environ, "STEPWIRE_CONFIG": str(tmp_path / "config")}
    with counting_endpoint() as counting:
        counting.held = "second"
        path = asking_project(tmp_path / "p", counting.url)
        process = subprocess.Popen(  # noqa: S603  # our own interpreter
            [sys.executable, "-m", "studio", "eval", str(path), "--executor", executor],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        counting.wait_for(4)  # so both trials have their first answer
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        took = time.monotonic() - began
        counting.let_go()
        table = run(path)
    assert (process.returncode, "run it again to resume" in told) == (130, True), told
    assert took < patience(1.0)
    assert {one.state for one in table.trials.values()} == {TrialState.DONE}
    assert {n for (system, _), n in counting.asked.items() if "alone" in system} == {1}


def test_a_provider_that_fails_for_a_third_of_all_rows_is_told_apart(call: Call, tmp_path: Path) -> None:
    with counting_endpoint() as counting:
        counting.refused = ("box 1?", "box 4?")
        path = asking_project(tmp_path / "p", counting.url, 6)
        told = call("eval", path)
        assert "2 trials of `twice` (33 %) failed at the provider, not in the flow: left out" in told.out
        counting.refused = ()
        assert "2 trials to run, 4 stored" in call("eval", path).err
