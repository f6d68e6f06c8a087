"""The experiment that a measurement is: flows as variants, problems as rows, and solvers who know these."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from studio.errors import UsageError
from studio.experiments.datasets import Dataset, Row, digest_of
from studio.experiments.experiment import DatasetUse, Experiment, Variant
from studio.experiments.files import write_experiment
from studio.experiments.formats import FORMATS
from studio.experiments.opening import OpenExperiment
from studio.experiments.scorers import ReadScorer, Seen
from studio.experiments.scores import Score
from studio.experiments.statistics import Kind
from studio.experiments.variants import OpenVariant, open_variant, refusals
from studio.flow.records import Json
from studio.ids import NodeId
from studio.llm.client import ChatProfile
from studio.llm.solvers.problems import Problem, Problems
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.profiles import find_profile
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import profiles_used

QUESTION, ANSWER = "question", "answer"
"""The flow input and the flow output of a flow that is measured."""

RIGHT = "right"
"""What the only scorer is called."""


def opened_measurement(
    project: Project,
    flows: Sequence[Path],
    problems: Problems,
    environ: Mapping[str, str],
    *,
    chat: str,
    runs: int,
    seed: int,
    rows: Kind,
) -> tuple[OpenExperiment, Mapping[str, str]]:
    """Make the experiment, and name the flow of each variant; raises `UsageError`, as opening does."""
    free = replace(project, limits={})  # those are for runs that somebody pays for
    registry = project_registry(free, builtin_registry())
    paths = {str(number): _of_project(path, free) for number, path in enumerate(flows, 1)}
    names = {label: free.name_of(path) for label, path in paths.items()}
    experiment = Experiment(
        dataset=DatasetUse(file=problems.place),
        rows=rows,
        variants={
            label: Variant(flow=path.relative_to(free.root).as_posix()) for label, path in paths.items()
        },
        repeats=runs,
        seed=seed,
        chat=solver_profile(project, chat).name,
    )
    variants = {
        label: _opened(free, experiment, label, names[label], registry, environ) for label in experiment.tried
    }
    known = {one.id: one for one in problems}
    asked = [Row(one.id, one.model_dump(mode="json")) for one in problems]
    dataset = Dataset(problems.place, asked, digest_of([one.columns for one in asked]), FORMATS["jsonl"])
    scorer = ReadScorer(RIGHT, RIGHT, lambda seen: _score(known[seen.row.id], seen))
    text = write_experiment(experiment)
    return (
        OpenExperiment("evaluation", free, experiment, text, dataset, variants, {RIGHT: scorer}, problems),
        names,
    )


def solver_profile(project: Project, name: str = "") -> ChatProfile:
    """Give the simulated profile called `name`; without a name the project's default, or its only one."""
    simulated = [one for one in project.profiles.values() if one.provider == "simulated"]
    default = project.profiles.get(project.default_profile)
    if not name and default in simulated:
        return default
    if not name and len(simulated) == 1:
        return simulated[0]
    if not name:
        if simulated:
            names = ", ".join(f"`{one.name}`" for one in simulated)
            raise UsageError(f"Several chat profiles are simulated: {names}.", hint="Name one with `--chat`.")
        hint = "Describe solvers in `project.json`, and name them with `--chat`."
        raise UsageError("The project has no simulated chat profile.", hint=hint)
    found = find_profile(project, name)
    if found.provider != "simulated":
        hint = "An evaluation runs a flow hundreds of times, so it uses simulated solvers only."
        raise UsageError(f"The chat profile `{name}` is not simulated.", hint=hint)
    return found


def _of_project(path: Path, project: Project) -> Path:
    own = Project.open(path)
    if own.root != project.root:
        hint = "Evaluate flows of one project, whose solvers answer."
        raise UsageError(f"`{path}` does not belong to the project `{project.name}`.", hint=hint)
    return own.main_flow


def _opened(
    project: Project,
    experiment: Experiment,
    label: str,
    name: str,
    registry: Registry,
    environ: Mapping[str, str],
) -> OpenVariant:
    """Make a flow ready, of which the question alone is filled; raises `UsageError`."""
    one = open_variant(project, experiment, label, experiment.tried[label], registry, environ)
    for port, kind, what in ((QUESTION, "io.flow_input", "input"), (ANSWER, "io.flow_output", "output")):
        node = one.prepared.flow.nodes.get(NodeId(port))
        if node is None or node.kind != kind:
            hint = "An evaluated flow needs an input `question` and an output `answer`, by their ids."
            raise UsageError(f"`{name}` has no flow {what} `{port}`.", hint=hint)
    others = [str(field.node) for field in one.fields if field.is_required and field.node != QUESTION]
    if others:
        hint = "An evaluated flow is given its `question` alone; give its other inputs defaults."
        raise UsageError(f"`{name}` also needs an input `{others[0]}`.", hint=hint)
    for flow in (one.prepared.flow, *one.prepared.flows.values()):
        for profile in profiles_used(flow, one.prepared.registry) - {""}:
            if not find_profile(project, profile).is_in_process:
                hint = "An evaluation runs a flow hundreds of times, so it calls only free solvers."
                raise UsageError(f"The flow `{flow.name}` uses the chat profile `{profile}`.", hint=hint)
    for words in refusals(project, one, experiment):
        raise UsageError(f"`{name}`: {words}")
    return replace(one, fields=[field for field in one.fields if field.node == QUESTION])


def _score(problem: Problem, seen: Seen) -> Score:
    """Whether the answer that a flow comes to is the right one."""
    is_right = problem.stated_in(_text(seen.outputs.get(ANSWER))) == problem.answer
    return Score(float(is_right), is_right)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
