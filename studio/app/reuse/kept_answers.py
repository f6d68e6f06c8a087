"""The answers of a run kept as a script: what was made up or typed answers again, without either."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from studio.app.profiles.profile_edits import save_profiles
from studio.errors import UsageError
from studio.ids import MADE_UP, PERSON, StepId, step_parts
from studio.llm.client import ChatProfile
from studio.llm.profiles import BUILT_IN
from studio.trace.events import ChatAnswered, ChatRequested, Entry, InputsEdited
from studio.workspace.files import SaveError
from studio.workspace.profiles import profile_names
from studio.workspace.project import Project
from studio.workspace.whole_file import write_whole

FOLDER = "scripts"
NUMBERED = re.compile(r"([^/.]+)\.(\d+)")
MARKS = ("{{", "{%", "{#")
ASKED = 300
"""Characters of a question by which chats are told apart that nothing else tells apart."""

HEAD = """\
# What answered in the run {run}, kept as scripted answers: {what}
# Each rule is one answer, by the node that asked and which of its chats it was. The format is that of all
# scripted answers; edit it freely.

"""


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer: who asked, in which of its chats, and what was said."""

    node: str
    scope: str
    call: int
    asked: str
    message: Mapping[str, Any]
    others: tuple[Mapping[str, Any], ...]


def keep_as_script(project: Project, entries: Sequence[Entry]) -> tuple[Project, str]:
    """Write the script and a profile that answers from it; gives the project as it is then, and the name.

    Raises `UsageError` for a run in which nothing was made up or typed, `SaveError` and `ProjectError` where
    a file cannot be written.
    """
    answers, who = _answers(entries)
    if not answers:
        message = "No answers were made up or typed in this run."
        raise UsageError(
            message, hint="Run the flow with made-up answers or your own, and save those of that run."
        )
    names = (f"kept_{number}" for number in range(1, 10_000))
    taken = {*profile_names(project), *BUILT_IN}
    name = next(
        one for one in names if one not in taken and not (project.root / FOLDER / f"{one}.yaml").exists()
    )
    path = project.root / FOLDER / f"{name}.yaml"
    text = script_text(answers, entries[0].run, who)
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        said = f"`{path}` could not be written: {error.strerror or error}."
        raise SaveError(said, hint="Make the project's folder writable.") from error
    profile = ChatProfile(name, "scripted", script=f"{FOLDER}/{name}.yaml")
    return save_profiles(project, [*project.profiles.values(), profile], project.default_profile), name


def can_keep(entries: Sequence[Entry]) -> bool:
    """Whether anything was made up or typed in a run."""
    return bool(_answers(entries)[0])


def script_text(answers: Sequence[_Answer], run: str, who: Sequence[str]) -> str:
    """Write rules, one for each answer."""
    import yaml  # late: it takes a while to import

    counted = Counter((one.node, one.scope, one.call + at) for one in answers for at in range(_said(one)))
    rules = [rule for one in answers for rule in _rules(one, counted)]
    written = yaml.safe_dump({"rules": rules}, allow_unicode=True, sort_keys=False, width=100)
    return HEAD.format(run=run, what=", ".join(who)) + written


def _answers(entries: Sequence[Entry]) -> tuple[list[_Answer], list[str]]:
    """The answers that no language model gave, the last of each chat, and what they were."""
    asked: dict[StepId, Mapping[str, Any]] = {}
    typed: set[StepId] = set()
    found: dict[StepId, _Answer] = {}
    who: dict[str, None] = {}
    for entry in entries:
        event, step = entry.event, entry.step
        if isinstance(event, ChatRequested):
            asked[step] = cast("Mapping[str, Any]", event.request)
        elif isinstance(event, InputsEdited) and "answer" in event.values:
            typed.add(step)
        elif isinstance(event, ChatAnswered) and step in asked:
            if event.llm not in (MADE_UP, PERSON) and step not in typed:
                continue
            who["made-up answers" if event.llm == MADE_UP else "answers typed by a person"] = None
            scope, node, call, _ = step_parts(step)
            others = tuple(cast("Mapping[str, Any]", one) for one in event.others)
            number = int(call.rpartition(".")[2])
            message = cast("Mapping[str, Any]", event.message)
            key = StepId(f"{scope}/{node}#{number}")
            found[key] = _Answer(node, scope, number, _question(asked[step]), message, others)
    return list(found.values()), list(who)


def _said(one: _Answer) -> int:
    return 1 + len(one.others)


def _rules(one: _Answer, counted: Mapping[tuple[str, str, int], int]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    for at, message in enumerate((one.message, *one.others)):
        sample = one.call + at
        when: dict[str, Any] = {"node": one.node, "sample": sample}
        rounds = {name: int(number) for name, number in NUMBERED.findall(one.scope)}
        if rounds:
            when["round"] = rounds
        if counted[one.node, one.scope, sample] > 1:
            when["asked"] = re.escape(one.asked[:ASKED])
        rules.append({"when": when, **_given(message)})
    return rules


def _given(message: Mapping[str, Any]) -> dict[str, Any]:
    """What a rule answers with."""
    calls = cast("Sequence[Mapping[str, Any]]", message.get("tool_calls", ()))
    text = str(message.get("content", ""))
    given: dict[str, Any] = {"reply": _literal(text)} if text or not calls else {}
    if calls:
        given["tool_calls"] = [
            {"name": _literal(str(one["name"])), "arguments": _literals(json.loads(str(one["arguments"])))}
            for one in calls
        ]
    return given


def _literal(text: str) -> str:
    """Give a template that says just this text."""
    if any(mark in text for mark in MARKS) or text.endswith("\n"):
        return "{{ " + json.dumps(text, ensure_ascii=False) + " }}"
    return text


def _literals(value: Any) -> Any:
    if isinstance(value, str):
        return _literal(value)
    if isinstance(value, dict):
        return {name: _literals(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_literals(one) for one in cast("list[Any]", value)]
    return value


def _question(request: Mapping[str, Any]) -> str:
    messages = cast("Sequence[Mapping[str, Any]]", request.get("messages", ()))
    return next((str(one.get("content", "")) for one in reversed(messages) if one.get("role") == "user"), "")
