"""An experiment as a form has it, new or from its file, and the file that comes of it.

A form shows the dataset, variants, factors, scorers, comparison, repeats and limits of most experiments.
`edited` changes of a file what was changed in the form and nothing else.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Literal

from studio.app.experiments.choices import Changeable, is_made_up
from studio.app.projects.file_changes import FileChange
from studio.errors import UsageError
from studio.experiments.experiment import (
    DatasetUse,
    Experiment,
    ScorerUse,
    Stop,
    Variant,
    combined_name,
)
from studio.experiments.files import FOLDER, experiment_of, write_experiment
from studio.experiments.patches import Edit, PromptEdit, SettingEdit
from studio.flow.records import Json
from studio.workspace.project import Project

BOUNDED = ("cost", "tokens", "seconds")
"""The limits of a trial that a form shows."""

SHOWN: Sequence[Literal["exact", "contains", "number"]] = ("exact", "contains", "number")
"""The ways of the check *Score* that a form shows."""

ScorerKind = Literal["exact", "contains", "number", "judge", ""]
"""What a form can make score; empty for whatever else a file names, which stays as it is."""


@dataclass(frozen=True, slots=True)
class ChangeDraft:
    """One difference of a variant: another text or value of a node's setting.

    `kept` is an edit of a file that a form cannot show; all else is then empty.
    """

    node: str = ""
    setting: str = ""
    value: Json = ""
    is_prompt: bool = False
    kept: Edit | None = None


@dataclass(frozen=True, slots=True)
class VariantDraft:
    """A variant in the making: its flow (a path in the project), its chat profile, what else is different.

    `was` is what the file calls it; empty for a new one.
    """

    name: str
    flow: str = ""
    chat: str = ""
    changes: Sequence[ChangeDraft] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class FactorDraft:
    """A factor in the making; of a level, an empty flow or profile is that of the other levels."""

    name: str
    levels: Sequence[VariantDraft] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class ScorerDraft:
    """A scorer in the making; `expected` is the column with the answer, `output` what is scored."""

    name: str
    kind: ScorerKind = "exact"
    expected: str = ""
    output: str = ""
    was: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """An experiment in the making; `limits` bound a trial, an empty `chat` is the project's default.

    An empty `baseline` is the first variant; one that is the file's own follows it when it is renamed.
    """

    name: str
    dataset: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    variants: Sequence[VariantDraft] = ()
    scorers: Sequence[ScorerDraft] = ()
    repeats: int = 1
    chat: str = ""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    factors: Sequence[FactorDraft] = ()
    baseline: str = ""
    rows: Literal["sample", "fixed"] = "sample"
    stop: Stop | None = None


NOTHING = Draft("", "")


def creation(
    project: Project, draft: Draft, environ: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, FileChange]:
    """Give the name of a new experiment and what makes its file; raises `UsageError` with what is missing."""
    name = re.sub(r"[^\w-]+", "_", draft.name.strip().lower()).strip("_")
    if not name:
        raise UsageError("The experiment needs a name.")
    if (project.root / _place(name)).exists():
        raise UsageError(f"There is an experiment `{name}` already.", hint="Choose another name.")
    if not draft.dataset:
        raise UsageError("The experiment needs a dataset.", hint="Put a file with a row a line into `data/`.")
    bare = Experiment(dataset=DatasetUse(file=draft.dataset), variants={"new": Variant()})
    text = write_experiment(_allowed(project, edited(bare, NOTHING, draft), draft, environ))
    return name, FileChange(f"New experiment {name}", {_place(name): (None, text)})


def revision(
    project: Project, name: str, text: str, draft: Draft, environ: Mapping[str, str] = MappingProxyType({})
) -> FileChange | None:
    """Give what changes the file of an experiment, which says `text` now; None where nothing is different.

    Raises `UsageError` with what is missing in the draft.
    """
    experiment = experiment_of(text, name)
    before = draft_of(experiment, project.name_of(project.main_flow))
    if draft == before:
        return None
    fresh = write_experiment(_allowed(project, edited(experiment, before, draft), draft, environ))
    return FileChange(f"Edit experiment {name}", {_place(name): (text, fresh)})


def draft_of(experiment: Experiment, main: str) -> Draft:
    """Give an experiment as a form has it; `main` is the main flow of its project."""
    return Draft(
        experiment.name,
        experiment.dataset.file,
        dict(experiment.dataset.inputs),
        [_variant_draft(name, one, main) for name, one in experiment.variants.items()],
        [_scorer_draft(name, one) for name, one in experiment.scorers.items()],
        experiment.repeats,
        experiment.chat,
        {name: one for name, one in experiment.limits.items() if name in BOUNDED},
        [
            FactorDraft(name, [_variant_draft(level, one, "") for level, one in levels.items()], name)
            for name, levels in experiment.factors.items()
        ],
        experiment.baseline,
        experiment.rows,
        experiment.stop,
    )


def edited(experiment: Experiment, before: Draft, after: Draft) -> Experiment:
    """Change of an experiment what is different in a form; raises `UsageError` with what is missing."""
    _refuse_names("variant", after.variants)
    _refuse_names("factor", after.factors)
    for one in after.factors:
        _refuse_names(f"level of “{one.name.strip()}”", one.levels)
        if len(one.levels) < 2:
            raise UsageError(f"The factor “{one.name.strip()}” needs two levels at least.")
    if not after.variants and not after.factors:
        raise UsageError("An experiment needs a variant.")
    _refuse_names("scorer", after.scorers)
    if after.stop is not None and not (after.scorers and len(named_variants(after)) > 1):
        raise UsageError("An early stop compares variants: add a second one and a scorer, or run all trials.")
    inputs = experiment.dataset.inputs
    if after.inputs != before.inputs:
        inputs = {**inputs, **after.inputs}
    dataset = {"file": after.dataset, "inputs": {name: column for name, column in inputs.items() if column}}
    kept = {name: one for name, one in experiment.limits.items() if name not in BOUNDED}
    was = {one.was: one for one in before.variants}
    baseline = after.baseline
    if baseline == before.baseline:
        renamed = {old: new for old, new in named_variants(after) if old}
        baseline = renamed.get(baseline, baseline)
    plain = experiment.model_copy(
        update={
            "name": after.name.strip(),
            "dataset": experiment.dataset.model_copy(update=dataset),
            "variants": {
                one.name.strip(): _variant(one, was.get(one.was), experiment.variants.get(one.was))
                for one in after.variants
            },
            "factors": dict(_factors(experiment, after)),
            "baseline": baseline if baseline in [name for _, name in named_variants(after)] else "",
            "rows": after.rows,
            "stop": after.stop,
            "scorers": dict(_scorers(experiment, before, after)),
            "repeats": after.repeats,
            "chat": after.chat,
            "limits": {**kept, **after.limits},
        }
    )
    try:
        return Experiment.model_validate(plain.model_dump(by_alias=True))
    except ValueError as error:  # pydantic's own words are for those who write files
        raise UsageError(
            "A variant, a level or a scorer cannot be called like that.",
            hint="Use letters, digits, spaces and `_ . + -`, and no name twice.",
        ) from error


def named_variants(draft: Draft) -> list[tuple[str, str]]:
    """List what is tried, in order: what the file calls it (empty: it is new), and its name now."""
    plain = [(one.was, one.name.strip()) for one in draft.variants]
    levels = [one.levels for one in draft.factors]
    for combination in product(*levels) if levels else ():
        was = [one.was for one in combination]
        now = combined_name([one.name.strip() for one in combination])
        plain.append((combined_name(was) if all(was) else "", now))
    return plain


def unchanged(
    variants: Sequence[VariantDraft], changeable: Callable[[str], Sequence[Changeable]]
) -> list[str]:
    """List the new variants, by name, of which a change gives what the flow has already.

    `changeable` gives what can be changed in a flow, by its path.
    """
    found: list[str] = []
    for one in variants:
        now = {(each.node, each.setting): each.value for each in changeable(one.flow)}
        same = (now.get((each.node, each.setting), ...) == each.value for each in one.changes)
        if not one.was and any(same):
            found.append(one.name)
    return found


def _variant_draft(name: str, one: Variant, main: str) -> VariantDraft:
    return VariantDraft(name, one.flow or main, one.chat, [_change_draft(edit) for edit in one.patch], name)


def _change_draft(edit: Edit) -> ChangeDraft:
    if isinstance(edit, PromptEdit):
        return ChangeDraft(edit.node, edit.name, edit.text, is_prompt=True)
    if isinstance(edit, SettingEdit) and isinstance(edit.value, str | int | float | bool):
        return ChangeDraft(edit.node, edit.name, edit.value)
    return ChangeDraft(kept=edit)


def _scorer_draft(name: str, use: ScorerUse) -> ScorerDraft:
    given = {where: one.partition(".") for where, one in use.given.items()}
    source, _, output = given.get("value", ("outputs", ".", ""))
    kind = _kind_of(use)
    wanted = "reference" if kind == "judge" else "wanted"
    column = given.get(wanted, ("row", ".", ""))
    if source != "outputs" or column[0] != "row":
        kind = ""
    if not kind:
        return ScorerDraft(name, "", was=name)
    return ScorerDraft(name, kind, column[2], output, name)


def _kind_of(use: ScorerUse) -> ScorerKind:
    if use.check == "check.judge":
        return "judge"
    kinds: Mapping[Json, ScorerKind] = {one: one for one in SHOWN}
    by = use.settings.get("by", "exact")
    return kinds.get(by, "") if use.check == "check.score" and isinstance(by, str) else ""


def _variant(draft: VariantDraft, before: VariantDraft | None, file: Variant | None) -> Variant:
    """The variant as it is drafted; of what the file says, what is the same in the form stays."""
    flow = file.flow if file is not None and before is not None and draft.flow == before.flow else draft.flow
    limits: Mapping[str, float] = file.limits if file is not None else {}
    patch = tuple(_edit(one) for one in draft.changes)
    faults = file.faults if file is not None else ()
    return Variant(flow=flow, chat=draft.chat, patch=patch, limits=limits, faults=faults)


def _factors(experiment: Experiment, after: Draft) -> Iterator[tuple[str, Mapping[str, Variant]]]:
    for factor in after.factors:
        file = experiment.factors.get(factor.was, {})
        yield (
            factor.name.strip(),
            {one.name.strip(): _variant(one, None, file.get(one.was)) for one in factor.levels},
        )


def _refuse_names(what: str, drafts: Sequence[VariantDraft | FactorDraft | ScorerDraft]) -> None:
    names = [one.name.strip() for one in drafts]
    if len(set(names)) != len(names) or not all(names):
        raise UsageError(f"Each {what} needs a name of its own.")


def _edit(draft: ChangeDraft) -> Edit:
    if draft.kept is not None:
        return draft.kept
    if draft.is_prompt:
        return PromptEdit(edit="prompt", node=draft.node, name=draft.setting, text=str(draft.value))
    return SettingEdit(edit="setting", node=draft.node, name=draft.setting, value=draft.value)


def _scorers(experiment: Experiment, before: Draft, after: Draft) -> Iterator[tuple[str, ScorerUse]]:
    was = {one.was: one for one in before.scorers}
    asked = next((name for name, column in after.inputs.items() if column), "") or next(
        iter(after.inputs), ""
    )
    for one in after.scorers:
        file = experiment.scorers.get(one.was)
        if file is not None and one == replace(was[one.was], name=one.name):
            yield one.name.strip(), file
        else:
            yield one.name.strip(), _scorer(one, file or ScorerUse(), asked)


def _scorer(draft: ScorerDraft, file: ScorerUse, asked: str) -> ScorerUse:
    """The scorer as it is drafted; what else the file says of the same check stays."""
    is_judge = draft.kind == "judge"
    check = "check.judge" if is_judge else "check.score"
    is_same = file.check == check
    settings: dict[str, Json] = dict(file.settings) if is_same else {}
    given = dict(file.given) if is_same else {}
    if not is_judge and not draft.expected:
        raise UsageError(
            "The scorer needs the column with the right answer.", hint="Choose it, or let a judge score."
        )
    wanted = "reference" if is_judge else "wanted"
    given.pop(wanted, None)
    if draft.output:
        given["value"] = f"outputs.{draft.output}"
    if draft.expected:
        given[wanted] = f"row.{draft.expected}"
    if is_judge:
        given |= {"question": f"inputs.{asked}"} if asked and not is_same else {}
    else:
        settings["by"] = draft.kind
    return file.model_copy(update={"check": check, "flow": "", "settings": settings, "given": given})


def _allowed(
    project: Project, experiment: Experiment, draft: Draft, environ: Mapping[str, str]
) -> Experiment:
    """Allow made-up answers where they were chosen."""
    levels = [level for one in draft.factors for level in one.levels]
    chosen = {one.chat or draft.chat for one in (*draft.variants, *levels)} | {draft.chat}
    if experiment.made_up or not any(is_made_up(project, one, environ) for one in chosen):
        return experiment
    return experiment.model_copy(update={"made_up": True})


def _place(name: str) -> str:
    return f"{FOLDER}/{name}.json"
