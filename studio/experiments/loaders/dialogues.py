"""Dialogues of an agent with a user over a database: tau-bench and tau²-bench.

tau-bench has its tasks in Python (`envs/DOMAIN/tasks_test.py`), which is read and never executed, and the
results of runs in JSON (`historical_trajectories/*.json`); tau²-bench has `domains/DOMAIN/tasks.json`.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import cast

from studio.errors import ExperimentFileError
from studio.experiments.loaders.columns import Object, objects_in, text_in, texts_in
from studio.experiments.readers import Columns, Read, RowError, Source, converted, lines_of, read_any
from studio.flow.records import Json

_CALLS = {"Task", "Action"}
_POLICIES = ("policy.md", "main_policy.md", "wiki.md")
_MANUAL = "tech_support_manual.md"
_DATABASES = ("db.json", "db.toml")
_SPLITS = "split_tasks.json"


def read_tau_bench(source: Source) -> Iterator[Read]:
    """Read tasks: `instruction` of the user, `actions` that leave the right database, `outputs` to be said.

    Of results of runs, also `messages`, `reward` and `trial`. A task is named by its place from 0.
    """
    beside = _beside(source)
    is_python = source.path.suffix == ".py"
    rows = _python_rows(source) if is_python else read_any(source)
    place = -1

    def row(columns: Columns) -> Columns:
        nonlocal place
        place += 1
        return {**_tau_row(columns, place), **beside}

    yield from converted(source, rows, row)


def read_tau2_bench(source: Source) -> Iterator[Read]:
    """Read tasks: the user's `persona` and `instruction`, `actions`, `outputs` to be said, and more.

    `reward_basis` names what of it counts for the authors' reward; `split` is where `split_tasks.json` beside
    it has the task.
    """
    beside, splits = _beside(source), _splits(source)

    def row(columns: Columns) -> Columns:
        made = _tau2_row(columns)
        return {**made, "split": splits.get(str(made["id"]), ""), **beside}

    yield from converted(source, read_any(source), row)


def _tau_row(columns: Columns, place: int) -> Columns:
    info = columns.get("info")
    task: Object = columns
    more: dict[str, Json] = {}
    name = str(columns.get("id") or place)
    if isinstance(info, dict):
        if not isinstance(info.get("task"), dict):
            raise RowError("`info` has no `task`.")
        task = cast("Object", info["task"])
        name = f"{columns.get('task_id')}/{columns.get('trial', 0)}"
        more = {
            "messages": columns.get("traj"),
            "reward": columns.get("reward"),
            "trial": columns.get("trial"),
        }
    actions: list[Json] = [
        {"name": text_in(one, "name"), "arguments": one.get("kwargs", one.get("arguments")) or {}}
        for one in objects_in({"actions": task.get("actions") or []}, "actions")
    ]
    return {
        "id": name,
        "user": task.get("user_id"),
        "instruction": text_in(task, "instruction"),
        "actions": actions,
        "outputs": [*texts_in(task, "outputs")],
        **more,
    }


def _tau2_row(columns: Columns) -> dict[str, Json]:
    scenario = columns.get("user_scenario")
    if "base_seed" in columns and "configs" in columns:
        raise RowError("these are the voices of tasks, which are not covered; the tasks are in `tasks.json`.")
    if not isinstance(scenario, dict):
        raise RowError("there is no `user_scenario` that is an object.")
    wanted = cast("Object", columns.get("evaluation_criteria") or {})
    initial = cast("Object", columns.get("initial_state") or {})
    actions: list[Json] = [
        {
            "name": text_in(one, "name"),
            "arguments": one.get("arguments") or {},
            "requestor": one.get("requestor") or "assistant",
            "compared": one.get("compare_args"),
        }
        for one in objects_in({"actions": wanted.get("actions") or []}, "actions")
    ]
    told = columns.get("description")
    return {
        "id": text_in(columns, "id"),
        "purpose": told.get("purpose") if isinstance(told, dict) else None,
        "persona": str(scenario.get("persona") or ""),
        "instruction": _instructions(scenario.get("instructions")),
        "ticket": columns.get("ticket"),
        "actions": actions,
        "outputs": [*texts_in(wanted, "communicate_info")],
        "reward_basis": wanted.get("reward_basis") or ["DB", "COMMUNICATE"],
        "user_tools": columns.get("user_tools") or [],
        "env_assertions": wanted.get("env_assertions") or [],
        "nl_assertions": wanted.get("nl_assertions") or [],
        "initial": initial.get("initialization_data"),
        "initial_actions": initial.get("initialization_actions") or [],
        "history": initial.get("message_history") or [],
    }


def _instructions(value: Json) -> str:
    """Write a user's instructions as the authors show them to who plays the user."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise RowError("`user_scenario` has no `instructions`.")
    lines = [f"Domain: {value.get('domain', '')}"]
    for title, key in (
        ("Reason for call", "reason_for_call"),
        ("Known info", "known_info"),
        ("Unknown info", "unknown_info"),
        ("Task instructions", "task_instructions"),
    ):
        text = value.get(key)
        if isinstance(text, str):
            lines.append(f"{title}:\n{indent(text, chr(9))}")
    return "\n".join(lines)


def _beside(source: Source) -> dict[str, Json]:
    """What stands beside the tasks: the policy as a text, and where in the project the database is."""
    folder = source.path if source.path.is_dir() else source.path.parent
    policy = next((folder / one for one in _POLICIES if (folder / one).is_file()), None)
    files: dict[str, Json] = {
        one.stem: source.beside(f"data/{one.name}") for one in sorted(folder.glob("data/*.json"))
    }
    single = next((one for one in _DATABASES if (folder / one).is_file()), None)
    text = _text(policy) if policy else None
    manual = folder / _MANUAL
    if text and policy and policy.name == "main_policy.md" and manual.is_file():  # as the domain telecom does
        parts = (("main_policy", text), ("tech_support_policy", _text(manual)))
        text = "\n".join(f"<{name}>\n{part}\n</{name}>" for name, part in parts)
    return {"policy": text, "database": source.beside(single) if single else files or None}


def _text(path: Path) -> str:
    return "".join(line for _, line in lines_of(Source(path)))


def _splits(source: Source) -> dict[str, str]:
    """In which set each task is: `train` or `test` rather than one that has both."""
    path = source.path.parent / _SPLITS
    try:
        plain: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    sets = cast("Mapping[str, list[str]]", plain if isinstance(plain, dict) else {})
    order = sorted(sets, key=lambda one: one in {"train", "test"})
    return {str(task): name for name in order for task in sets[name]}


def _python_rows(source: Source) -> Iterator[Read]:
    """Read the list of tasks that a module of tau-bench assigns: `Task(…)`, `Action(…)` and plain values."""
    text = "".join(line for _, line in lines_of(source))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", 0) or 0
        source.fault(
            line,
            f"this is not Python: {getattr(error, 'msg', error)}.",
            column=getattr(error, "offset", 0) or 0,
        )
        return
    lists = [
        one.value for one in tree.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.List)
    ]
    if not lists:
        raise ExperimentFileError(f"`{source.path.name}` assigns no list of tasks.")
    for one in lists[-1].elts:
        try:
            value = _literal(one)
        except ValueError as error:
            source.fault(one.lineno, f"{error}.", column=one.col_offset + 1)
            continue
        if isinstance(value, dict):
            yield Read(value, one.lineno)
        else:
            source.fault(one.lineno, "a task is `Task(…)` or an object.")


def _literal(node: ast.expr) -> Json:
    """Give a plain value, `Task(…)` and `Action(…)` as objects; raises `ValueError` for all else."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _CALLS
        and not node.args
    ):
        return {one.arg: _literal(one.value) for one in node.keywords if one.arg}
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(one) for one in node.elts]
    if isinstance(node, ast.Dict):
        if not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
            raise ValueError("a key is no text")
        keys = [str(cast("ast.Constant", key).value) for key in node.keys]
        return {key: _literal(one) for key, one in zip(keys, node.values, strict=True)}
    value: object = ast.literal_eval(node)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise ValueError("this is no plain value")
