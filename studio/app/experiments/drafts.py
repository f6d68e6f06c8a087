"""A new experiment, as a form has it: what is guessed for it, and the file that comes of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from studio.errors import StepwireError, UsageError
from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse, Experiment, ScorerUse, Variant
from studio.experiments.files import experiment_path, write_experiment
from studio.experiments.patches import Edit, PromptEdit, SettingEdit
from studio.flow.records import Flow, Json, title_of
from studio.ids import MADE_UP, NodeId
from studio.llm.profiles import BUILT_IN
from studio.sdk.registry import Registry
from studio.workspace.inputs import input_fields
from studio.workspace.profiles import choose_profile
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

ENDINGS = (".jsonl", ".csv", ".parquet")
"""What files with rows are called."""

LOOKED_AT = 50
"""Rows of which the columns are looked at."""

EXPECTED = ("answer", "expected", "wanted", "reference", "target", "output", "label", "solution")
"""What the column with the right answer is called, most likely first."""

ScorerKind = Literal["exact", "contains", "number", "judge", ""]
VariantKind = Literal["as it is", "profile", "prompt", "setting", "flow"]


@dataclass(frozen=True, slots=True)
class VariantDraft:
    """A variant in the making: its name, and what is different in it.

    `value` is a chat profile, the path of another flow, or the text of a prompt or a setting of `node`.
    """

    name: str
    kind: VariantKind = "as it is"
    node: str = ""
    setting: str = ""
    value: Json = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """An experiment in the making; `expected` is the column with the answer, `output` what is scored."""

    name: str
    flow: str
    dataset: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    variants: Sequence[VariantDraft] = (VariantDraft("as it is"),)
    scorer: ScorerKind = "exact"
    expected: str = ""
    output: str = ""
    repeats: int = 1
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Changeable:
    """A setting of a node that a variant can have otherwise; `is_prompt` where it is a text to be written."""

    node: str
    title: str
    setting: str
    label: str
    value: Json
    is_prompt: bool


def datasets_of(project: Project) -> list[str]:
    """List the files of a project that may hold rows, those with problems first, as paths in it."""
    found = (one for ending in ENDINGS for one in project.root.rglob(f"*{ending}"))
    names = (one.relative_to(project.root).as_posix() for one in found if _is_shown(one, project.root))
    return sorted(names, key=lambda name: (not name.startswith("data/"), name.startswith("cases/"), name))


def columns_of(project: Project, dataset: str) -> list[str]:
    """Name the columns of a dataset, in their order; raises `ExperimentFileError` where they are no rows."""
    rows = load_dataset(project.root, DatasetUse(file=dataset, first=LOOKED_AT)).rows
    return list(dict.fromkeys(name for row in rows for name in row.columns))


def mapping_of(flow: Flow, registry: Registry, columns: Sequence[str]) -> dict[str, str]:
    """Guess which column fills which input: that of its name or its label, else the one that is left over."""
    fields = input_fields(flow, registry)
    names = [str(one.node) for one in fields]
    alike = {_plain(column): column for column in reversed(columns)}
    found = {
        str(one.node): alike[_plain(called)]
        for one in fields
        for called in (one.label, str(one.node))
        if _plain(called) in alike
    }
    missing = [name for name in names if name not in found]
    free = [one for one in columns if one not in found.values() and one not in ("id", *EXPECTED)]
    if len(missing) == 1 and len(free) == 1:
        found[missing[0]] = free[0]
    return {name: found.get(name, "") for name in names}


def expected_in(columns: Sequence[str]) -> str:
    """Guess the column with the right answer; empty where none looks like it."""
    by_name = {_plain(one): one for one in reversed(columns)}
    return next((by_name[name] for name in EXPECTED if name in by_name), "")


def changeable_in(flow: Flow, registry: Registry) -> list[Changeable]:
    """List the settings that variants usually try: prompts first, then numbers, flags and choices."""
    found: list[Changeable] = []
    for name, node in flow.nodes.items():
        kind = registry.get(node.kind)
        if kind is None or kind.kind.startswith("io."):
            continue
        for spec in kind.settings:
            value = cast("Json", node.settings.get(spec.name, spec.default))
            is_prompt = spec.editor == "text" or spec.name == "instructions"
            if spec.editor == "profile" or not (is_prompt or isinstance(value, str | int | float | bool)):
                continue
            title = title_of(flow, NodeId(name))
            found.append(Changeable(str(name), title, spec.name, spec.label or spec.name, value, is_prompt))
    return sorted(found, key=lambda one: not one.is_prompt)


def unfilled(flow: Flow, registry: Registry, inputs: Mapping[str, str]) -> list[str]:
    """List the inputs, by label, that have neither a column nor a default."""
    fields = input_fields(flow, registry)
    return [one.label for one in fields if one.is_required and not inputs.get(str(one.node))]


def unchanged(variants: Sequence[VariantDraft], changeable: Sequence[Changeable]) -> list[str]:
    """List the variants, by name, whose edit gives what the flow has already."""
    now = {(one.node, one.setting): one.value for one in changeable}
    return [
        one.name for one in variants if one.setting and now.get((one.node, one.setting), ...) == one.value
    ]


def is_made_up(project: Project, profile: str, environ: Mapping[str, str]) -> bool:
    """Tell whether the answers of a chat profile (empty: the default) say nothing of a model."""
    name = profile or default_profile(project, environ)
    found = project.profiles.get(name) or BUILT_IN.get(name)
    return found is not None and found.provider == MADE_UP


def default_profile(project: Project, environ: Mapping[str, str]) -> str:
    """Name the chat profile of experiments that name none; empty where nothing says which."""
    try:
        found = choose_profile(project, "", environ)
    except StepwireError:
        return ""
    return found.name if found is not None else ""


def experiment_of(draft: Draft, *, is_made_up: bool = False) -> Experiment:
    """Make the experiment; raises `UsageError` with what is missing in the draft."""
    names = [one.name.strip() for one in draft.variants]
    if len(set(names)) != len(names) or not all(names):
        raise UsageError("Each variant needs a name of its own.")
    inputs = {name: column for name, column in draft.inputs.items() if column}
    scorers = {draft.scorer: _scorer(draft)} if draft.scorer else {}
    try:
        return Experiment(
            name=draft.name.strip(),
            dataset=DatasetUse(file=draft.dataset, inputs=inputs),
            variants={one.name.strip(): _variant(one, draft) for one in draft.variants},
            repeats=draft.repeats,
            chat=draft.chat,
            scorers=scorers,
            made_up=is_made_up,
        )
    except ValueError as error:  # pydantic's own words are for those who write files
        raise UsageError(
            "A variant cannot be called like that.", hint="Use letters, digits, spaces and `_ . + -`."
        ) from error


def write_draft(project: Project, draft: Draft, environ: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Write the file of a new experiment, and give its place; raises `UsageError`."""
    name = re.sub(r"[^\w-]+", "_", draft.name.strip().lower()).strip("_")
    if not name:
        raise UsageError("The experiment needs a name.")
    path = experiment_path(project.root, name)
    if path.exists():
        raise UsageError(f"There is an experiment `{name}` already.", hint="Choose another name.")
    chosen = {draft.chat, *(str(one.value) for one in draft.variants if one.kind == "profile")}
    made_up = any(is_made_up(project, one, environ) for one in chosen)
    text = write_experiment(experiment_of(draft, is_made_up=made_up))
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise UsageError(f"`{path}` could not be written: {error.strerror or error}.") from error
    return path


def _variant(one: VariantDraft, draft: Draft) -> Variant:
    match one.kind:
        case "as it is":
            return Variant(flow=draft.flow)
        case "profile":
            return Variant(flow=draft.flow, chat=str(one.value))
        case "flow":
            return Variant(flow=str(one.value))
        case "prompt":
            edit: Edit = PromptEdit(edit="prompt", node=one.node, name=one.setting, text=str(one.value))
        case "setting":
            edit = SettingEdit(edit="setting", node=one.node, name=one.setting, value=one.value)
    return Variant(flow=draft.flow, patch=(edit,))


def _scorer(draft: Draft) -> ScorerUse:
    given = {"value": f"outputs.{draft.output}"} if draft.output else {}
    if draft.scorer == "judge":
        question = next((name for name in draft.inputs), "")
        asked = {"question": f"inputs.{question}"} if question else {}
        reference = {"reference": f"row.{draft.expected}"} if draft.expected else {}
        return ScorerUse(check="check.judge", given={**given, **asked, **reference})
    if not draft.expected:
        raise UsageError(
            "The scorer needs the column with the right answer.", hint="Choose it, or let a judge score."
        )
    settings: dict[str, Json] = {"by": draft.scorer}
    return ScorerUse(
        check="check.score", settings=settings, given={**given, "wanted": f"row.{draft.expected}"}
    )


def _is_shown(path: Path, root: Path) -> bool:
    return not any(part.startswith(".") for part in path.relative_to(root).parts)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()
