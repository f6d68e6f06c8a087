"""What an experiment can be made of: datasets of a project and their columns, settings, chat profiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from studio.errors import StepwireError
from studio.experiments.datasets import load_dataset
from studio.experiments.experiment import DatasetUse
from studio.flow.records import Flow, Json, title_of
from studio.ids import MADE_UP, NodeId
from studio.llm.profiles import BUILT_IN
from studio.sdk.registry import Registry
from studio.workspace.inputs import input_fields
from studio.workspace.profiles import choose_profile
from studio.workspace.project import Project

ENDINGS = (".jsonl", ".csv", ".parquet")
"""What files with rows are called."""

LOOKED_AT = 50
"""Rows of which the columns are looked at."""

EXPECTED = ("answer", "expected", "wanted", "reference", "target", "output", "label", "solution")
"""What the column with the right answer is called, most likely first."""


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


def columns_of(project: Project, use: DatasetUse) -> list[str]:
    """Name the columns of a dataset, in their order; raises `ExperimentFileError` where they are no rows."""
    first = min(use.first or LOOKED_AT, LOOKED_AT)
    rows = load_dataset(project.root, use.model_copy(update={"first": first})).rows
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


def _is_shown(path: Path, root: Path) -> bool:
    return not any(part.startswith(".") for part in path.relative_to(root).parts)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()
