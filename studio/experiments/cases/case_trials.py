"""Cases as an experiment in memory: steps alone are its variants, cases its rows, what they expect scores.

Each run is one of the project's, so that it opens in the window; no table is kept.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from studio.errors import ExperimentFileError, StepwireError, UsageError
from studio.experiments.cases.case_checks import AT_FAULT, compared_with
from studio.experiments.cases.case_files import Case, Expected, Verdict
from studio.experiments.datasets import Dataset, Row, inputs_of
from studio.experiments.executors import Control, InProcess
from studio.experiments.experiment import DatasetUse, Experiment, ScorerUse, Variant
from studio.experiments.formats import FORMATS
from studio.experiments.opening import OpenExperiment, require_trusted
from studio.experiments.scorers import FlowScorer, ReadScorer, Scorer, Seen, open_scorer
from studio.experiments.scores import Score
from studio.experiments.trials import Cell, Job, Outcome, TrialState
from studio.experiments.unkept import run_jobs
from studio.experiments.variants import OpenVariant, refusals, variant_of
from studio.flow.records import Flow, Json, Node
from studio.flow.subflows.alone import step_alone
from studio.ids import NodeId, RunId
from studio.sdk.registry import Registry
from studio.store.run_ids import new_run_id
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import bound

NAME = "cases"
INPUTS, EXPECTED = "inputs", "expected"
"""The columns of a row."""

Told = Callable[[Case, Verdict], None]


def try_cases(
    project: Project,
    cases: Sequence[Case],
    flows: Mapping[str, Flow],
    told: Told,
    environ: Mapping[str, str],
    *,
    chat: str = "",
    control: Control | None = None,
) -> None:
    """Run the step of each case alone, and say how it went as it ends; one that is cancelled has no verdict.

    `flows` has, by name, the flows that the steps stand in and those that these call; `chat` names a chat
    profile. Raises `StepwireError` for what keeps any from being run.
    """
    table = _Cases(project, flows, environ, chat)
    for case in cases:
        try:
            table.add(case)
        except StepwireError as error:
            told(case, Verdict(RunId(""), (error.message,)))
    if table.jobs:
        opened = table.opened()
        require_trusted(opened, environ)
        run_jobs(opened, table.jobs, partial(table.tell, told), InProcess(environ), control)


class _Cases:
    """The experiment in the making: a variant for each step, a row and a job for each case."""

    def __init__(
        self, project: Project, flows: Mapping[str, Flow], environ: Mapping[str, str], chat: str
    ) -> None:
        self._project, self._flows, self._environ = project, flows, environ
        self._library = bound(project_registry(project, builtin_registry()), flows)
        self._experiment = Experiment(
            dataset=DatasetUse(file=NAME), variants={NAME: Variant()}, chat=chat, made_up=True
        )
        self._variants: dict[str, OpenVariant] = {}
        self._scorers: dict[str, Scorer] = {}
        self._rows: list[Row] = []
        self._mapping: dict[str, str] = {}
        self._cases: dict[str, Case] = {}
        self._began = time.time()
        self.jobs: list[Job] = []

    def add(self, case: Case) -> None:
        """Take a case in; raises `StepwireError` with the reason why it cannot be tried."""
        flow = self._flows.get(case.flow)
        if flow is None:
            raise UsageError(f"The project has no flow `{case.flow}`.")
        alone = step_alone(flow, NodeId(case.node), case.inputs, self._library)
        label = "\n".join((case.flow, case.node, *sorted(alone.inputs)))
        variant = self._variants.get(label) or self._opened(label, alone.flow)
        key = f"{case.flow}\n{case.name}"
        fields = {str(one.node): one for one in variant.fields}
        given: dict[str, Json] = {
            str(name): fields[str(name)].written(case.inputs[port]) for port, name in alone.inputs.items()
        }
        expected: dict[str, Json] = {port: {"value": one.value} for port, one in case.expected.items()}
        row = Row(key, {INPUTS: given, EXPECTED: expected})
        mapping = {name: f"{INPUTS}.{name}" for name in given}
        inputs_of(row, variant.fields, mapping)
        at = str(len(self._rows))
        scorers: dict[str, Scorer] = {}
        for port, one in case.expected.items():
            output = str(alone.outputs.get(port, port))
            scorers[f"{at}.{port}"] = self._scorer(port, one, output, variant)
        for port in case.absent:
            if port in alone.outputs:
                scorers.setdefault(f"{at}.{port}", _absent(port, str(alone.outputs[port])))
        self._variants[label] = variant
        self._scorers |= scorers
        self._mapping |= mapping
        run = new_run_id(lambda: self._began + len(self._rows) / 4096)
        self.jobs.append(Job(Cell(label, len(self._rows), 1, key), run, list(scorers)))
        self._rows.append(row)
        self._cases[key] = case

    def opened(self) -> OpenExperiment:
        """Give the experiment of the cases that were added."""
        use = self._experiment.dataset.model_copy(update={"inputs": self._mapping})
        experiment = self._experiment.model_copy(update={"dataset": use})
        dataset = Dataset(NAME, self._rows, NAME, FORMATS[NAME])
        return OpenExperiment(NAME, self._project, experiment, "", dataset, self._variants, self._scorers)

    def tell(self, told: Told, outcome: Outcome) -> None:
        """Say how the case of an outcome went."""
        trial = outcome.trial
        run = RunId(trial.run)
        if trial.state is not TrialState.DONE:
            told(self._cases[trial.key], Verdict(run, (trial.error or "it was cancelled",)))
            return
        reasons, remarks = list[str](), list[str]()
        for name, score in outcome.scores.items():
            said = f"`{name.partition('.')[2]}`: {_words(self._scorers[name], score)}"
            if score.ok is not True:
                reasons.append(said)
            elif isinstance(self._scorers[name], FlowScorer):
                remarks.append(said)
        if trial.made_up:
            remarks.append("answers were made up, so this says nothing about a real model")
        told(self._cases[trial.key], Verdict(run, tuple(reasons), tuple(remarks)))

    def _opened(self, label: str, flow: Flow) -> OpenVariant:
        one = variant_of(
            self._project,
            self._experiment,
            label,
            Variant(),
            flow,
            self._library,
            self._environ,
            flows=self._flows,
        )
        for words in refusals(self._project, one, self._experiment):
            raise ExperimentFileError(words)
        return one

    def _scorer(self, port: str, expected: Expected, output: str, variant: OpenVariant) -> Scorer:
        """What says whether an output is as expected; raises `StepwireError` where a check means nothing."""
        if expected.match != "check":
            return ReadScorer(port, port, lambda seen: _compared(expected, output, seen))
        given = {"value": f"outputs.{output}"}
        compared = _compared_with(expected, self._library)
        if compared and expected.value is not None:
            given[compared] = f"row.{EXPECTED}.{port}.value"
        settings = {name: one for name, one in expected.settings.items() if name != AT_FAULT}
        use = ScorerUse(check=expected.check, settings=settings, given=given)
        return open_scorer(
            port, use, self._experiment, self._project, self._library, [variant], self._environ
        )


def _compared_with(expected: Expected, library: Registry) -> str:
    """The input of a check that takes what is expected; empty where it needs nothing."""
    settings: dict[str, Json] = {name: one for name, one in expected.settings.items() if name != AT_FAULT}
    signature = library.signature(Node(kind=expected.check, settings=settings))
    if signature is None:
        message = f"The check `{expected.check}` is not installed, or its settings do not fit."
        raise UsageError(message, hint="Create the case again.")
    return str(compared_with(signature.inputs) or "")


def _compared(expected: Expected, output: str, seen: Seen) -> Score:
    refusal = expected.refusal(seen.outputs[output]) if output in seen.outputs else "it was not produced"
    return Score(float(not refusal), not refusal, refusal)


def _absent(port: str, output: str) -> ReadScorer:
    def read(seen: Seen) -> Score:
        is_there = output in seen.outputs
        return Score(float(not is_there), not is_there, "it was produced" if is_there else "")

    return ReadScorer(port, port, read)


def _words(scorer: Scorer, score: Score) -> str:
    """The score and the reason of a scorer, in words."""
    if not isinstance(scorer, FlowScorer):
        return score.reason
    has_score = score.score is not None and NodeId("score") in scorer.prepared.flow.nodes
    words = [f"{score.score:.2f}" if has_score else "", score.reason]
    return " · ".join(filter(None, words)) or ("passes" if score.ok else "does not pass")
