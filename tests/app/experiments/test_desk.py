"""One experiment as the window has it: asked of its process, folded from what that says."""

import queue
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.experiments.attendance import AttendantProcess
from studio.app.experiments.desk import ExperimentDesk, places_of
from studio.app.experiments.experiment_list import experiments_of
from studio.app.experiments.label_queue import Sitting, agreement_words
from studio.app.experiments.progress import Stage, Told
from studio.experiments.labels import Labels, labels_beside
from studio.experiments.trial_pages import TrialPages, Wanted
from studio.experiments.trial_store import TrialStore
from studio.process_tree import is_alive
from studio.workspace.project import Project
from tests.app.experiments.attending import HereLink
from tests.experiments.builders import experiment_project, write_experiment
from tests.experiments.running import run
from tests.patience import patience


class Heard:
    """A desk whose messages are taken here, as the window's thread takes them."""

    def __init__(self, root: Path, attend: Any = HereLink) -> None:
        self.said: queue.Queue[tuple[str, Mapping[str, Any]]] = queue.Queue()
        self.desk = ExperimentDesk(
            Project.open(root), "trial", attend, lambda kind, message: self.said.put((kind, message))
        )

    def wait(self, wanted: str) -> Mapping[str, Any]:
        while True:
            kind, message = self.said.get(timeout=patience())
            self.desk.take(kind, message)
            if kind == wanted:
                return message


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose experiment `trial` was run."""
    root = tmp_path_factory.mktemp("desk") / "p"
    experiment_project(root, 8, repeats=2)
    heard = Heard(root)
    heard.desk.open()
    heard.wait("opened")
    assert heard.desk.told.stage is Stage.READY
    assert heard.desk.told.estimate is not None
    assert heard.desk.told.estimate.to_run == 32
    heard.desk.run()
    assert heard.desk.told.stage is Stage.RUNNING
    heard.wait("ended")
    assert heard.desk.told.stage is Stage.READY
    heard.desk.close()
    return root


@pytest.fixture
def heard(ran: Path) -> Iterator[Heard]:
    found = Heard(ran)
    yield found
    found.desk.close()


def test_what_was_found_before_is_there_before_anything_is_begun(ran: Path) -> None:
    def attend(_say: object) -> Any:
        raise AssertionError

    desk = Heard(ran, attend).desk
    assert desk.variants == ["alone", "voting"]
    assert desk.told.report is not None
    assert list(places_of(desk.project, desk.name, Wanted(sort=0))) != []


def test_what_nodes_took_is_asked_of_the_listed_rows_alone(heard: Heard) -> None:
    assert heard.desk.ask_nodes(Wanted(words="p3"), 0)
    found = heard.wait("nodes")
    assert (found["read"], found["runs"]) == (2, 2)
    assert not heard.desk.ask_nodes(Wanted(words="no such row"), 0)


def test_a_process_that_is_gone_is_begun_again_by_the_next_wish(heard: Heard) -> None:
    heard.desk.take("gone", {})
    assert heard.desk.told.stage is Stage.REFUSED
    heard.desk.run()
    heard.wait("ended")
    assert heard.desk.told.problems == ()


def test_people_label_trials_without_seeing_whose_they_are(ran: Path) -> None:
    project = Project.open(ran)
    path = ran / "experiments" / "trial.json"
    with TrialPages(project, "trial") as pages:
        sitting = Sitting(pages, Labels(labels_beside(path)), "right", "Ann")
        assert sitting.total == 32
        seen = list[str]()
        for score in (1.0, 0.0, 0.5):
            assert sitting.shown is not None
            assert set(sitting.shown.outputs) == {"answer"}
            seen.append(sitting.shown.trial)
            sitting.say(score)
        sitting.undo()
        sitting.skip()
        assert sitting.done == 3
        later = Sitting(pages, Labels(labels_beside(path)), "right", "Ann")
        assert later.total == 30  # two are labelled, the third was taken back
        assert Sitting(pages, Labels(labels_beside(path)), "right", "Ben").total == 32
    kept = Labels(labels_beside(path)).current
    assert [(one.trial, one.score, one.blind) for one in kept] == [(seen[0], 1.0, True), (seen[1], 0.0, True)]
    assert [one.name for one in experiments_of(project)] == ["trial"]  # labels are no experiment


def test_agreement_is_said_as_the_report_has_it() -> None:
    told = {"mean": 0.75, "interval": [0.5, 0.9]}
    judge = {"people": ["Ann", "Ben"], "trials": 20, "sensitivity": told, "specificity": None, "kappa": told}
    agreed = [{"between": ["Ann", "Ben"], "trials": 8, "same": 7}]
    assert agreement_words({"judges": {"right": {**judge, "agreed": agreed}}}, "right") == [
        "20 trials were judged by people (Ann, Ben) and by the scorer.",
        "Of those that people call right, the scorer lets 75 % (50 to 90) pass.",
        "Cohen’s kappa is 0.75 (0.50 to 0.90).",
        "Ann and Ben agree on 7 of 8.",
    ]
    assert agreement_words({}, "right") == ["No trial has both a label and a score yet."]


def test_experiments_are_listed_also_where_one_cannot_be_read(tmp_path: Path) -> None:
    experiment_project(tmp_path / "p", 2)
    write_experiment(tmp_path / "p", "a", variants={})
    first, second = experiments_of(Project.open(tmp_path / "p"))
    assert (first.name, second.name, second.variants) == ("a", "trial", 2)
    assert any("variants" in one for one in first.wrong)
    assert second.wrong == ()


def test_an_experiment_that_a_command_ran_is_listed_as_run(tmp_path: Path) -> None:
    path = experiment_project(tmp_path / "p", 2)
    project = Project.open(tmp_path / "p")
    with TrialStore(project, "trial"):
        assert [one.has_trials for one in experiments_of(project)] == [False]  # a plan makes the file, too
    run(path)
    assert [one.has_trials for one in experiments_of(project)] == [True]


def test_a_refusal_says_what_to_do_and_a_later_run_forgets_it() -> None:
    told = Told()
    told.take("refused", {"what": "open", "message": "No.", "details": ["line 3: a"], "hint": "Do b."})
    assert (told.stage, list(told.problems)) == (Stage.REFUSED, ["No.", "line 3: a", "Do b."])
    told.begin()
    assert (told.stage, told.problems) == (Stage.RUNNING, ())
    told.take("progress", {"done": 3, "total": 9, "cost": 0.5, "remaining": 2.0})
    assert (told.done, told.total, told.cost, told.remaining) == (3, 9, 0.5, 2.0)
    told.take("gone", {})
    assert "kept" in told.problems[1]


@pytest.mark.process
def test_the_process_of_a_window_opens_an_experiment_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWIRE_CONFIG", str(tmp_path / "config"))
    experiment_project(tmp_path / "p", 2)
    processes = list[AttendantProcess]()

    def attend(say: Any) -> AttendantProcess:
        processes.append(AttendantProcess(say, {"STEPWIRE_CONFIG": str(tmp_path / "config")}))
        return processes[0]

    heard = Heard(tmp_path / "p", attend)
    heard.desk.open()
    heard.wait("opened")
    heard.desk.close()
    deadline = time.monotonic() + patience()
    while is_alive(processes[0].pid) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    assert not is_alive(processes[0].pid)
