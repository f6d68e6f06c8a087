"""An experiment with all that it names: flows patched and checked, rows mapped, chat profiles found.

Whatever can be wrong is told here, all of it at once, before a trial runs or anything is bought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.errors import ExperimentFileError, UsageError
from studio.experiments.datasets import Dataset, completed_mapping, load_dataset, mapping_problems
from studio.experiments.experiment import Experiment, ScorerUse
from studio.experiments.files import (
    FOLDER,
    experiment_of,
    experiment_path,
    experiments_in,
    read_experiment,
    refuse,
)
from studio.experiments.scorers import FlowScorer, Scorer, open_scorers
from studio.experiments.variants import OpenVariant, PatchError, open_variant, refusals
from studio.llm.solvers.problems import Problems
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.trust import require_trust


@dataclass(frozen=True, slots=True)
class OpenExperiment:
    """An experiment of a project, checked. `text` is its file's, by which a worker process opens the same."""

    name: str
    project: Project
    experiment: Experiment
    text: str
    dataset: Dataset
    variants: Mapping[str, OpenVariant]
    scorers: Mapping[str, Scorer]
    problems: Problems | None = None
    """What solvers are asked, by the names of the rows, where that does not stand in their own files."""


def find_experiment(wanted: Path) -> tuple[Project, Path]:
    """Find the file of an experiment: a path, or a name in this folder's project; raises `UsageError`."""
    path = place_of(wanted)
    if not path.is_file():
        there = [one.stem for one in experiments_in(Path())]
        hint = (
            f"Here are {', '.join(there)}." if there else f"Name a file, or one of `{FOLDER}/` in a project."
        )
        raise UsageError(f"There is no experiment `{wanted}`.", hint=hint)
    return Project.open(path.parent.parent), path


def place_of(wanted: Path) -> Path:
    """Give the place of the file of an experiment, by path or name, whether it is there or not."""
    path = wanted if wanted.suffix == ".json" else experiment_path(Path(), str(wanted))
    return path.expanduser().resolve()


def open_experiment(project: Project, path: Path, environ: Mapping[str, str]) -> OpenExperiment:
    """Read an experiment of a project and look up what it names.

    Raises `ExperimentFileError` with all that is wrong in it. Chat profiles that lack something (a key, a
    script) raise as they do for a run.
    """
    experiment, text = read_experiment(path)
    return opened(project, experiment, text, path.stem, environ)


def require_trusted(opened: OpenExperiment, environ: Mapping[str, str]) -> None:
    """Raise `UnapprovedError` where its variants or scorers would execute what nobody has approved."""
    scoring = [one.prepared for one in opened.scorers.values() if isinstance(one, FlowScorer)]
    for one in (*(variant.prepared for variant in opened.variants.values()), *scoring):
        require_trust(opened.project, (one.flow, *one.flows.values()), one.registry, environ)


def described(opened: OpenExperiment) -> dict[str, Any]:
    """Tell as JSON what another process needs to open the same experiment, and to see that it is the same."""
    project = opened.project
    return {
        "project": str(project.root if project.is_folder else project.main_flow),
        "name": opened.name,
        "text": opened.text,
        "dataset": opened.dataset.digest,
        "versions": {name: [one.version, one.answered] for name, one in opened.variants.items()},
        "scorers": {name: one.digest for name, one in opened.scorers.items()},
    }


def opened_again(
    told: Mapping[str, Any], project: Project, environ: Mapping[str, str]
) -> OpenExperiment | None:
    """Open what another process `described`; None where flows, rows or who answers are others here."""
    text, name = str(told["text"]), str(told["name"])
    found = opened(project, experiment_of(text, name), text, name, environ)
    now = described(found)
    return found if all(now[one] == told[one] for one in ("dataset", "versions", "scorers")) else None


def opened(
    project: Project, experiment: Experiment, text: str, name: str, environ: Mapping[str, str]
) -> OpenExperiment:
    """Look up all that an experiment names; raises as `open_experiment`."""
    registry = project_registry(project, builtin_registry())
    problems: list[tuple[str, str]] = []
    if experiment.compared_with not in experiment.tried:
        problems.append(("baseline", f"there is no variant `{experiment.baseline}`."))
    if experiment.stop is not None and not (experiment.scorers and len(experiment.tried) > 1):
        problems.append(("stop", "it ends early by comparing variants: name two at least, and a scorer."))
    dataset: Dataset | None = None
    try:
        dataset = load_dataset(project.root, experiment.dataset)
    except ExperimentFileError as error:
        problems.append(("dataset", " ".join((error.message, *error.details, error.hint))))
    variants: dict[str, OpenVariant] = {}
    for label, variant in experiment.tried.items():
        place = f"variants.{label}" if label in experiment.variants else "factors"
        try:
            one = open_variant(project, experiment, label, variant, registry, environ)
        except PatchError as error:
            where = (f"{place}.patch[{at}]" if place != "factors" else place for at, _ in error.wrong)
            problems += [(path, words) for path, (_, words) in zip(where, error.wrong, strict=True)]
            continue
        except ExperimentFileError as error:
            problems.append((place, error.message))
            continue
        variants[label] = one
        problems += ((place, words) for words in refusals(project, one, experiment))
        if dataset is not None:
            mapped = mapping_problems(dataset, one.fields, experiment.dataset.inputs)
            problems += (("dataset.inputs", f"for `{label}`: {words}") for words in mapped)
    refuse(text, name, list(dict.fromkeys(problems)))
    assert dataset is not None  # noqa: S101  # what is missing was told
    experiment = _completed(experiment, dataset, [*variants.values()])
    scorers, wrong = open_scorers(experiment, project, registry, list(variants.values()), dataset, environ)
    refuse(text, name, wrong)
    return OpenExperiment(name, project, experiment, text, dataset, variants, scorers)


def _completed(experiment: Experiment, dataset: Dataset, variants: Sequence[OpenVariant]) -> Experiment:
    """Add what the dataset's format says where the file says nothing: columns of inputs, and scorers."""
    inputs = dict(experiment.dataset.inputs)
    for one in variants:
        inputs = {**completed_mapping(dataset, one.fields, experiment.dataset.inputs), **inputs}
    use = experiment.dataset.model_copy(update={"inputs": inputs})
    scorers = experiment.scorers or {
        name: ScorerUse.model_validate(one) for name, one in dataset.form.scorers.items()
    }
    return experiment.model_copy(update={"dataset": use, "scorers": scorers})
