"""Cases: what a step is given, and what it is expected to give; kept in the project's folder `cases`.

A file is JSON lines, one for each flow, a case a line. Lines that nobody understands stay as they are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from studio.flow.records import Json
from studio.ids import RunId
from studio.trace.events.values import Plain
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


def read_cases(project: Project) -> list[Case]:
    """Read all cases of a project, by flow and in their order; what cannot be read is left out."""
    return [
        case for path in _files(project) for line in _lines(path) if (case := case_of_line(line)) is not None
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
    _write(path, [*before, line_of_case(kept)])
    return kept


def remove_case(project: Project, case: Case) -> None:
    """Take a case out of its file; raises `SaveError`. `keep_case` brings it back."""
    path = _file(project, case.flow)
    lines = _lines_kept(path)
    left = [line for line in lines if case_of_line(line) != case]
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


def line_of_case(case: Case) -> str:
    """Write a case as its line; what only checks have is left out elsewhere."""
    plain = asdict(case)
    if not case.made_up:
        del plain["made_up"]
    for one in plain["expected"].values():
        if one["match"] != "check":
            del one["check"], one["settings"]
    return json.dumps(plain, ensure_ascii=False)


def case_of_line(line: str) -> Case | None:
    """Read it; None where it is no case."""
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
