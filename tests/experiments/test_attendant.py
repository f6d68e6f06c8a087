"""What runs an experiment for a window tells each thing once, and loses nothing when it is told to stop."""

import queue
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.experiments.attendant import Attendant
from studio.experiments.executors import InProcess
from studio.experiments.trial_index import index_path, read_about
from studio.workspace.project import Project
from tests.experiments.builders import experiment_project, write_experiment
from tests.patience import patience


class Heard:
    """An attendant of this process, and what it says."""

    def __init__(self, path: Path) -> None:
        self.said: queue.Queue[tuple[str, Mapping[str, Any]]] = queue.Queue()
        self.all: list[str] = []
        self.attendant = Attendant(
            lambda kind, message: self.said.put((kind, message)), {}, lambda: InProcess({})
        )
        self.tell("open", project=str(path.parent.parent), file=str(path))

    def tell(self, kind: str, **message: Any) -> None:
        self.attendant.hear({"kind": kind, **message})

    def wait(self, wanted: str) -> Mapping[str, Any]:
        """Give the next message of a kind; what else is said in between is noted."""
        while True:
            kind, message = self.said.get(timeout=patience())
            self.all.append(kind)
            if kind == wanted:
                return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return experiment_project(tmp_path / "p", 6)


@pytest.fixture
def heard(path: Path) -> Iterator[Heard]:
    found = Heard(path)
    yield found
    found.attendant.close()


def test_it_says_what_a_run_would_take_before_it_runs(heard: Heard) -> None:
    opened = heard.wait("opened")
    assert (opened["to_run"], opened["stored"], opened["is_free"]) == (12, 0, True)
    assert opened["power"].startswith("With 6 rows, a true difference of ")


def test_a_run_ends_with_its_report_which_the_next_window_finds(heard: Heard, path: Path) -> None:
    heard.tell("run", max_cost=None)
    report = heard.wait("report")["report"]
    assert heard.wait("ended") == {"stopped": "", "is_cancelled": False}
    assert heard.all.index("begun") < heard.all.index("progress")
    assert set(report["variants"]) == {"alone", "voting"}
    kept = read_about(index_path(Project.open(path.parent.parent), "trial"))["report"]
    assert kept["variants"] == report["variants"]


def test_what_is_cancelled_at_once_runs_nothing_and_goes_on_later(heard: Heard) -> None:
    heard.wait("opened")
    heard.tell("run")
    heard.tell("cancel")
    assert heard.wait("ended")["is_cancelled"]
    heard.tell("run")
    assert heard.wait("ended")["stopped"] == ""


def test_another_scorer_scores_what_is_stored(heard: Heard, path: Path) -> None:
    heard.tell("run")
    heard.wait("ended")
    right = {"check": "check.score", "settings": {"by": "contains"}}
    write_experiment(path.parent.parent, scorers={"has": {**right, "given": {"wanted": "row.answer"}}})
    heard.tell("rescore")
    report = heard.wait("report")["report"]
    heard.wait("ended")
    assert list(report["variants"]["alone"]["scores"]) == ["has"]
    assert report["ran"] == 0


def test_what_is_wrong_is_told_with_its_line_and_loses_nothing(heard: Heard, path: Path) -> None:
    heard.wait("opened")
    text = path.read_text("utf-8")
    path.write_text(text.replace('"voting.json"', '"none.json"'), "utf-8")
    heard.tell("run")
    refused = heard.wait("refused")
    assert refused["message"] == "The experiment `trial` cannot run."
    assert "line " in refused["details"][0]
    assert "none.json" in refused["details"][0]
    path.write_text(text, "utf-8")
    heard.tell("run")
    assert heard.wait("ended")["stopped"] == ""


@pytest.mark.parametrize(
    ("name", "begins"),
    [("trials.csv", "variant,row,repeat,"), ("rows.XML", "<?xml version="), ("a", "<!doctype")],
)
def test_it_writes_the_form_that_the_ending_names(
    heard: Heard, tmp_path: Path, name: str, begins: str
) -> None:
    heard.wait("opened")
    heard.tell("page", file=str(tmp_path / name))
    assert heard.wait("written")["file"] == str(tmp_path / name)
    assert (tmp_path / name).read_text("utf-8").startswith(begins)


def test_it_writes_the_page_or_says_why_not(heard: Heard, tmp_path: Path) -> None:
    heard.tell("run")
    heard.wait("ended")
    heard.tell("page", file=str(tmp_path / "report.html"))
    heard.wait("written")
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")
    heard.tell("page", file=str(tmp_path / "none" / "report.html"))
    assert "could not be written" in heard.wait("refused")["message"]


def test_it_tells_what_nodes_took_over_runs(heard: Heard, path: Path) -> None:
    heard.tell("run")
    heard.wait("ended")
    runs = [one.stem for one in (path.parent.parent / ".stepwire" / "runs").glob("*.db")]
    heard.tell("nodes", variant=0, runs=[*runs, "gone"])
    found = heard.wait("nodes")
    assert (found["read"], found["runs"]) == (12, 13)
    agents = {name: one for name, one in found["nodes"].items() if one["tokens"]}
    assert {name: one["steps"] for name, one in agents.items()} == {"w": 6, "one": 6, "two": 6, "three": 6}
    assert agents["w"]["seconds"]["median"] > 0
    assert agents["w"]["cost"] == pytest.approx(
        sum(one["cost"] for name, one in agents.items() if name != "w") / 3, rel=0.01
    )
