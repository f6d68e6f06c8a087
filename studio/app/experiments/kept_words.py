"""What the file of an experiment says that a form does not show, in words."""

from collections.abc import Iterator

from studio.app.experiments.drafts import BOUNDED
from studio.experiments.experiment import Experiment, ScorerUse
from studio.experiments.formats import FORMATS
from studio.experiments.patches import Edit, LimitsEdit, ProfileEdit, PromptEdit, RunEdit, SettingEdit


def kept_of(experiment: Experiment) -> Iterator[str]:
    """Name what a file says of an experiment and a form does not show, without variants and scorers."""
    use = experiment.dataset
    others = [name for name in experiment.limits if name not in BOUNDED]
    told = [
        *experiment.variants.items(),
        *(one for levels in experiment.factors.values() for one in levels.items()),
    ]
    faulty = [name for name, one in told if one.faults]
    usual = Experiment.model_fields
    for is_said, words in (
        (experiment.description, "the description"),
        (use.form, f"the dataset’s format {use.form}"),
        (_scores_itself(experiment), "the scorer of that format, unless one is added here"),
        (use.id, f"the column that names rows, {use.id}"),
        (use.where, f"the choice of rows by {', '.join(use.where)}"),
        (use.first, f"the limit to the first {use.first} rows"),
        (experiment.row_passes != usual["row_passes"].default, "the share of repeats by which a row passes"),
        (experiment.seed != usual["seed"].default, f"the seed {experiment.seed}"),
        (faulty, f"the injected faults of {' and '.join(faulty)}"),
        (others, f"the limit on {' and '.join(others)}"),
    ):
        if is_said:
            yield words


def _scores_itself(experiment: Experiment) -> bool:
    """Whether the dataset's format names the scorer, since the file names none."""
    form = FORMATS.get(experiment.dataset.form)
    return form is not None and bool(form.scorers) and not experiment.scorers


def edit_words(edit: Edit) -> str:
    """Say what an edit of a patch does that a form does not show."""
    match edit:
        case ProfileEdit(node=node, profile=profile):
            return f"{node} asks {profile}"
        case LimitsEdit(node=node, limits=limits):
            return f"limits of {node} on {' and '.join(limits)}"
        case RunEdit(node=node, run=run):
            return f"{' and '.join(run)} of {node}"
        case SettingEdit(node=node, name=name) | PromptEdit(node=node, name=name):
            return f"{name} of {node}"
        case _:
            return f"input {edit.port} of {edit.node}"


def scorer_words(use: ScorerUse) -> str:
    """Say what scores that a form does not show."""
    return use.check or use.flow


def extra_settings(use: ScorerUse) -> list[str]:
    """Name the settings of a scorer that a form shows the rest of."""
    return [name for name in use.settings if name != "by" or use.check != "check.score"]
