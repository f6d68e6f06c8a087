"""The process that runs an experiment for a window: told over its standard input, it tells over the other.

JSON, one message a line. Told: `open`, `run`, `pause`, `resume`, `cancel`, `rescore`, `report`, `nodes` and
`page`; it ends with its input. It says `opened`, `begun`, `progress`, `report`, `ended`, `nodes`, `written`,
and `refused` with the reason. Told `cases`, it says `tried` of each that ended, and `ended`.
The window reads the table itself (`trial_pages.py`), so that nothing large passes here.
"""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from studio.errors import StepwireError, UsageError
from studio.experiments.cases.case_files import Case, Verdict, case_of_line
from studio.experiments.cases.case_trials import try_cases
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.executors import Control, Executor
from studio.experiments.files import experiment_path
from studio.experiments.html_report import html_report
from studio.experiments.labels import Labels, labels_beside
from studio.experiments.node_figures import node_figures
from studio.experiments.opening import OpenExperiment, open_experiment, require_trusted
from studio.experiments.planning import power_of
from studio.experiments.report import Report, report_of
from studio.experiments.report_files import junit, plain_report
from studio.experiments.running import Estimate, Progress, estimated, run_experiment
from studio.experiments.table import Table, table_of
from studio.experiments.trial_export import columns_of, write_csv, write_parquet
from studio.experiments.trial_index import index_path, keep_report, write_index
from studio.experiments.trial_store import TrialStore
from studio.experiments.wire import line_of, message_of
from studio.experiments.workers import Workers
from studio.flow.files import codec
from studio.store.reader import RunStore
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

TOLD_EVERY = 0.2
"""Seconds between two words of how far it is."""

REPORTED_EVERY = 3.0
"""Seconds between two reports while it runs; longer where a report takes its time."""

RARELY = 10
"""A report takes at most one part in so many of the time."""

WANTED = 0.05
"""The difference of scores for which the plan says how many rows it takes."""

Say = Callable[[str, Mapping[str, Any]], None]


def main(arguments: Sequence[str]) -> int:
    """Attend to the window that holds the other ends of standard input and output."""
    del arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the window
    told, said = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()

    def say(kind: str, message: Mapping[str, Any]) -> None:
        with lock:
            _write(said, line_of(kind, **message))

    attendant = Attendant(say, os.environ)
    for line in told:
        attendant.hear(message_of(line))
    attendant.close()
    return 0


class Attendant:
    """Does what it is told about one experiment: what takes long in turn on a thread of its own.

    `say` may be called from any thread; `workers` makes what executes trials.
    """

    def __init__(
        self, say: Say, environ: Mapping[str, str], workers: Callable[[], Executor] = Workers
    ) -> None:
        self._say, self._environ, self._workers = say, environ, workers
        self._opened: OpenExperiment | None = None
        self._control = Control()
        self._work: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._attend, name="attendant", daemon=True)
        self._thread.start()

    def hear(self, message: dict[str, Any]) -> None:
        """Take a message: to pause, go on and cancel acts at once, all else in turn."""
        match message["kind"]:
            case "pause":
                self._control.pause()
            case "resume":
                self._control.resume()
            case "cancel":
                self._control.resume()
                self._control.cancel()
            case "run" | "rescore" | "cases":
                self._control = Control()  # here, so that it is cancelled also before it begins
                self._work.put({**message, "control": self._control})
            case _:
                self._work.put(message)

    def close(self) -> None:
        """Cancel what runs, and come to an end."""
        self._control.resume()
        self._control.cancel()
        self._work.put(None)
        self._thread.join()

    def _attend(self) -> None:
        while (message := self._work.get()) is not None:
            try:
                self._do(message)
            except StepwireError as error:
                self._refuse(message["kind"], error)
            except Exception as error:  # noqa: BLE001  # whatever it is, the window is told, and goes on
                self._say(
                    "refused", {"what": message["kind"], "message": _told(error), "details": [], "hint": ""}
                )

    def _do(self, message: dict[str, Any]) -> None:
        match message["kind"]:
            case "open":
                self._open(Path(message["project"]), Path(message["file"]))
            case "run":
                self._run(message["control"], message.get("max_cost"), is_rescored=False)
            case "rescore":
                self._run(message["control"], None, is_rescored=True)
            case "cases":
                self._try_cases(message)
            case "report":
                self._report(self._found, table_of(self._found))
            case "nodes":
                store = RunStore(self._found.project.private)
                self._say("nodes", {"variant": message["variant"], **node_figures(store, message["runs"])})
            case "page":
                self._write_page(Path(message["file"]))
            case _:
                raise UsageError(f"Nothing is called `{message['kind']}`.")

    @property
    def _found(self) -> OpenExperiment:
        if self._opened is None:
            raise UsageError("The experiment is not open.")
        return self._opened

    def _open(self, project: Path, file: Path) -> None:
        """Read and check the experiment, write its index, and tell what running it would take."""
        opened = open_experiment(Project.open(project), file, self._environ)
        self._opened = opened
        write_index(opened)
        with TrialStore(opened.project, opened.name) as store:
            if self._tell_opened(opened, store).reused:
                self._report(opened, table_of(opened))

    def _tell_opened(self, opened: OpenExperiment, store: TrialStore) -> Estimate:
        found = estimated(opened, store)
        try:
            power = power_of(opened, WANTED).words if len(opened.variants) > 1 else ""
        except StatisticsMissingError as error:
            power = str(error)
        self._say(
            "opened",
            {
                "to_run": found.to_run,
                "stored": found.reused,
                "is_free": found.is_free,
                "cost": found.cost,
                "most": found.most,
                "power": power,
                "rows": len(opened.dataset.rows),
                "repeats": opened.experiment.repeats,
                "variants": list(opened.variants),
                "scorers": list(opened.scorers),
            },
        )
        return found

    def _run(self, control: Control, max_cost: float | None, *, is_rescored: bool) -> None:
        self._opened = opened = self._again()
        write_index(opened)
        self._say("begun", {})
        with TrialStore(opened.project, opened.name) as store:
            teller = _Teller(self._say)
            try:
                require_trusted(opened, self._environ)
                table = run_experiment(
                    opened,
                    store,
                    self._workers(),
                    control=control,
                    max_cost=max_cost,
                    is_rescored=is_rescored,
                    on_progress=lambda progress: self._watch(opened, teller, progress),
                )
            except StepwireError as error:
                self._refuse("run", error)
                table = table_of(opened)
            self._report(opened, table)
            self._tell_opened(opened, store)
            self._say("ended", {"stopped": table.stopped, "is_cancelled": control.is_cancelled})

    def _try_cases(self, message: Mapping[str, Any]) -> None:
        """Run cases alone, with the flows as they are edited in the window."""

        def told(case: Case, verdict: Verdict) -> None:
            self._say("tried", {"flow": case.flow, "name": case.name, **asdict(verdict)})

        flows = {name: codec.loads(text).flow for name, text in message["flows"].items()}
        cases = [case for line in message["cases"] if (case := case_of_line(line)) is not None]
        project, control = Project.open(Path(message["project"])), message["control"]
        try_cases(project, cases, flows, told, self._environ, chat=message["chat"], control=control)
        self._say("ended", {"stopped": "", "is_cancelled": control.is_cancelled})

    def _again(self) -> OpenExperiment:
        """Open it once more: its files may be others by now."""
        found = self._found
        return open_experiment(Project.open(_place(found.project)), _path(found), self._environ)

    def _watch(self, opened: OpenExperiment, teller: "_Teller", progress: Progress) -> None:
        teller.tell(progress)
        if teller.is_report_due():
            teller.note_report(lambda: self._report(opened, table_of(opened)))

    def _report(self, opened: OpenExperiment, table: Table) -> None:
        report = plain_report(_with_labels(opened, table), table)
        keep_report(index_path(opened.project, opened.name), report)
        self._say("report", {"report": report})

    def _write_page(self, file: Path) -> None:
        """Write the report, or the trials, in the form that the file's ending names."""
        opened = self._found
        table = table_of(opened)
        match file.suffix.lower():
            case ".csv":
                write_csv(file, columns_of(opened, table))
            case ".parquet":
                write_parquet(file, columns_of(opened, table))
            case ".xml":
                _write_text(file, junit(opened, table))
            case _:
                _write_text(file, html_report(opened, table, _with_labels(opened, table)))
        self._say("written", {"file": str(file)})

    def _refuse(self, what: str, error: StepwireError) -> None:
        details: Sequence[str] = getattr(error, "details", ())
        self._say(
            "refused", {"what": what, "message": error.message, "details": list(details), "hint": error.hint}
        )


class _Teller:
    """Says how far it is, seldom enough for whoever listens."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._told = 0.0
        self._next_report = time.monotonic() + REPORTED_EVERY

    def tell(self, progress: Progress) -> None:
        """Say how far it is, unless that was said just now; the last trial is always told of."""
        now = time.monotonic()
        if now - self._told < TOLD_EVERY and progress.done < progress.total:
            return
        self._told = now
        self._say(
            "progress",
            {
                "done": progress.done,
                "total": progress.total,
                "cost": progress.cost,
                "seconds": progress.seconds,
                "remaining": progress.remaining,
            },
        )

    def is_report_due(self) -> bool:
        """Whether it is time for another report."""
        return time.monotonic() >= self._next_report

    def note_report(self, report: Callable[[], None]) -> None:
        """Report, and wait the longer for the next one, the longer this one took."""
        began = time.monotonic()
        report()
        now = time.monotonic()
        self._next_report = now + max(REPORTED_EVERY, RARELY * (now - began))


def _with_labels(opened: OpenExperiment, table: Table) -> Report:
    """Tell what a table says, held against the labels that stand beside the experiment."""
    return report_of(opened, table, labels=Labels(labels_beside(_path(opened))).current)


def _write_text(file: Path, text: str) -> None:
    try:
        write_whole(file, text.encode("utf-8", "replace"))
    except OSError as error:
        message = f"`{file}` could not be written: {error.strerror or error}."
        raise UsageError(message, hint="Choose another file.") from error


def _path(opened: OpenExperiment) -> Path:
    return experiment_path(opened.project.root, opened.name)


def _place(project: Project) -> Path:
    return project.root if project.is_folder else project.main_flow


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _write(said: BinaryIO, line: bytes) -> None:
    try:
        said.write(line)
        said.flush()
    except OSError:  # the window is gone, and with it the input soon
        return
