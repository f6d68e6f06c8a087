"""Cases: what a step is given, and what it is expected to give; kept in the project's folder `cases`.

A file is JSON lines, one for each flow, a case a line. Lines that nobody understands stay as they are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from studio.errors import UsageError
from studio.flow.records import CallingLibrary, Flow, Json
from studio.flow.subflows.alone import why_not_alone
from studio.ids import NodeId, RunId
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Plain
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepState, StepStatus
from studio.workspace.files import SaveError
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

FOLDER = "cases"
Match: TypeAlias = Literal["equals", "contains", "check"]


@dataclass(frozen=True, slots=True)
class Expected:
    """What one output is to be: this very value, a text that contains it, or what a check lets pass.

    `check` is the kind of that check, such as `check.judge`; `value` is then what it compares with.
    """

    value: Any
    match: Match = "equals"
    check: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def refusal(self, given: Plain) -> str:
        """Say in one sentence why a value is not what was expected; empty where it is."""
        if self.match == "contains":
            text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            wanted = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
            is_in = wanted in text
            return "" if is_in else f"it does not contain {_short(self.value)}, but is {_short(given)}"
        # 1 and True are equal, and not the same.
        is_same = json.dumps(given, sort_keys=True) == json.dumps(self.value, sort_keys=True)
        return "" if is_same else f"it is {_short(given)}, not {_short(self.value)}"


@dataclass(frozen=True, slots=True)
class Case:
    """A step that is known: its node, in a flow of the project, by name; `absent` has what it does not give.

    `run` and `step` are where it comes from.
    """

    name: str
    flow: str
    node: str
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expected: Mapping[str, Expected] = field(default_factory=dict[str, Expected])
    absent: tuple[str, ...] = ()
    run: str = ""
    step: str = ""
    made_up: bool = False
    """Whether answers that were made up are in what is expected: then it is no example of what is right."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a case went: `reasons` says by output what is not as expected; `run` is where to see it.

    `remarks` has what checks said of what passes, with their scores.
    """

    run: RunId
    reasons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether all was as expected."""
        return not self.reasons


_CASE = TypeAdapter(Case)


def case_of(step: StepState, run: RunId, flow: Flow, name: str, library: CallingLibrary) -> Case:
    """Make a case of a step that is done; `flow` is the one that its node stands in, called `name`.

    Raises `UsageError` for a call, a step that gave nothing, and a node that means nothing alone.
    """
    if step.call:
        raise UsageError("A call is part of a step; turn that step into a case.")
    if step.status is not StepStatus.DONE:
        raise UsageError("Only a finished step can be turned into a case with expectations.")
    reason = why_not_alone(flow, step.node, library)
    if reason:
        raise UsageError(reason)
    signature = library.signature(flow.nodes[step.node])
    ports = [one.name for one in signature.outputs if not one.type.is_binding] if signature else []
    return Case(
        step.node,
        name,
        step.node,
        {port: one.data for port, one in step.inputs.items()},
        {port: Expected(one.data) for port, one in step.outputs.items()},
        tuple(one for one in ports if one not in step.outputs),
        run,
        step.id,
        any(MADE_UP_LABEL in one.labels for one in (*step.inputs.values(), *step.outputs.values())),
    )


def judge(
    case: Case,
    state: RunState,
    outputs: Mapping[str, NodeId],
    checks: Mapping[str, Mapping[str, NodeId]] | None = None,
) -> Verdict:
    """Compare what a run of the case gave with what was expected; `outputs` names its ports' flow outputs.

    `checks` names those of what checks said, by port.
    """
    if state.status is not RunStatus.FINISHED:
        why = state.error.message if state.error is not None else f"it was {state.status.value}"
        return Verdict(state.run, (why,))
    reasons: list[str] = []
    remarks: list[str] = []
    for port, expected in case.expected.items():
        if expected.match == "check":
            is_passed, said = _checked(state, (checks or {}).get(port, {}))
            (remarks if is_passed else reasons).append(f"`{port}`: {said}")
            continue
        shown = state.outputs.get(outputs.get(port, NodeId("")))
        refusal = expected.refusal(shown.data) if shown is not None else "it was not produced"
        if refusal:
            reasons.append(f"`{port}`: {refusal}")
    if state.made_up:
        remarks.append("answers were made up, so this says nothing about a real model")
    reasons += [f"`{port}` was produced" for port in case.absent if outputs.get(port) in state.outputs]
    return Verdict(state.run, tuple(reasons), tuple(remarks))


def _checked(state: RunState, said: Mapping[str, NodeId]) -> tuple[bool, str]:
    """Whether a check let a value pass, and its score and reason in words."""
    found = {name: state.outputs[node].data for name, node in said.items() if node in state.outputs}
    if "ok" not in found:
        return False, "it was not produced"
    score = f"{found['score']:.2f}" if isinstance(found.get("score"), int | float) else ""
    words = [one for one in (score, str(found.get("reason") or "")) if one]
    return found["ok"] is True, " · ".join(words) or ("passes" if found["ok"] is True else "does not pass")


def read_cases(project: Project) -> list[Case]:
    """Read all cases of a project, by flow and in their order; what cannot be read is left out."""
    return [
        case for path in _files(project) for line in _lines(path) if (case := _case_of_line(line)) is not None
    ]


def keep_case(project: Project, case: Case) -> Case:
    """Add a case to the file of its flow, under a name that none of the flow's has; raises `SaveError`."""
    path = _file(project, case.flow)
    before = _lines_kept(path)
    taken = {one.name for one in read_cases(project) if one.flow == case.flow}
    name, number = case.name.strip() or case.node, 1
    while name in taken:
        number += 1
        name = f"{case.name.strip() or case.node} {number}"
    kept = replace(case, name=name)
    _write(path, [*before, _line_of(kept)])
    return kept


def remove_case(project: Project, case: Case) -> None:
    """Take a case out of its file; raises `SaveError`. `keep_case` brings it back."""
    path = _file(project, case.flow)
    lines = _lines_kept(path)
    left = [line for line in lines if _case_of_line(line) != case]
    if len(left) < len(lines):
        _write(path, left)


def _file(project: Project, flow: str) -> Path:
    return project.root / FOLDER / f"{PurePosixPath(flow).stem}.jsonl"


def _files(project: Project) -> Sequence[Path]:
    return sorted((project.root / FOLDER).glob("*.jsonl"))


def _lines(path: Path) -> list[str]:
    try:
        return _lines_kept(path)
    except SaveError:
        return []


def _lines_kept(path: Path) -> list[str]:
    """The lines of a file that is about to be written anew; raises `SaveError` where they would be lost."""
    try:
        return [line for line in path.read_text("utf-8").split("\n") if line.strip()]
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or error if isinstance(error, OSError) else "it is not UTF-8"
        raise SaveError(
            f"`{path}` could not be read and was left unchanged: {reason}.",
            hint="Fix it, or move it away.",
        ) from error


def _line_of(case: Case) -> str:
    """A case as its line; what only checks have is left out elsewhere."""
    plain = asdict(case)
    if not case.made_up:
        del plain["made_up"]
    for one in plain["expected"].values():
        if one["match"] != "check":
            del one["check"], one["settings"]
    return json.dumps(plain, ensure_ascii=False)


def _case_of_line(line: str) -> Case | None:
    try:
        return _CASE.validate_json(line)
    except ValidationError:
        return None


def _write(path: Path, lines: Sequence[str]) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    except OSError as error:
        raise SaveError(
            f"`{path}` could not be written: {error.strerror or error}.",
            hint="Make the project's folder writable.",
        ) from error


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
