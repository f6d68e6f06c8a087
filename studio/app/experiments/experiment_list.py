"""The experiments of a project: their files, what they are called, and what is wrong with them."""

from dataclasses import dataclass
from pathlib import Path

from studio.errors import ExperimentFileError
from studio.experiments.files import experiments_in, read_experiment
from studio.experiments.trial_store import has_trials
from studio.workspace.project import Project


@dataclass(frozen=True, slots=True)
class ListedExperiment:
    """An experiment of a project; `wrong` says why its file cannot be read, one thing a line."""

    name: str
    path: Path
    title: str
    variants: int = 0
    has_trials: bool = False
    wrong: tuple[str, ...] = ()


def experiments_of(project: Project) -> list[ListedExperiment]:
    """List them by name; those that cannot be read are there, too."""
    paths = experiments_in(project.root) if project.is_folder else []
    return [_listed(project, path) for path in paths]


def _listed(project: Project, path: Path) -> ListedExperiment:
    try:
        found, _ = read_experiment(path)
    except ExperimentFileError as error:
        return ListedExperiment(path.stem, path, path.stem, wrong=(error.message, *error.details))
    return ListedExperiment(
        path.stem, path, found.name or path.stem, len(found.tried), has_trials(project, path.stem)
    )
