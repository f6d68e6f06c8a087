"""Plans that are data: tasks that name who does them, with what, and after which others."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.bounds.schemas import mismatch
from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.building_blocks.values.json_kinds import is_list, is_object
from studio.sdk import Agent, Json, StepError, Tool, ToolError
from studio.sdk.templates import PLACEHOLDER, placeholders

TASK_ID = "^[a-z][a-z0-9_]{0,62}$"

TASK_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": TASK_ID, "description": "A short name, each once"},
        "title": {"type": "string", "description": "What is done, in a few words"},
        "do": {"type": "string", "description": "The name of the agent or tool that does it"},
        "with": {"description": "The arguments of a tool as an object, or what an agent is asked as a text"},
        "after": {"type": "array", "items": {"type": "string"}, "description": "Ids of tasks it waits for"},
    },
    "required": ["id", "do", "with"],
    "additionalProperties": False,
}
TASKS_FORM: dict[str, Any] = {"type": "array", "items": TASK_FORM}
PLAN_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"tasks": TASKS_FORM},
    "required": ["tasks"],
    "additionalProperties": False,
}

RULES = (
    "Each task has an `id` (small letters, digits and _), a short `title`, in `do` the name of who does it, "
    "and in `with` the arguments of a tool as an object, or what an agent is asked as a text. Where a task "
    "needs what another one gave, write {{id}} in its place, or {{id.field}} for a part of it; `after` names "
    "others that it has to wait for. Tasks that need nothing of one another are done at the same time."
)


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a plan: who is to `do` it, with what, and when the tasks in `after` are done."""

    id: str
    title: str
    do: str
    given: Json
    after: tuple[str, ...] = ()

    def plain(self) -> dict[str, Json]:
        """The task as JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "do": self.do,
            "with": self.given,
            "after": [*self.after],
        }


Doers = Mapping[str, Agent | Tool]


def doers_of(agents: Sequence[Agent], tools: Sequence[Tool]) -> dict[str, Agent | Tool]:
    """Who can do tasks, by name; raises `StepError` where two are called alike."""
    found: dict[str, Agent | Tool] = {}
    for one in (*agents, *tools):
        if one.name in found:
            raise StepError(
                f"Two of the attached agents and tools are named `{one.name}`.", hint="Rename one."
            )
        found[one.name] = one
    return found


def read_plan(plan: Json, doers: Doers, known: Sequence[str] = ()) -> tuple[list[Task], str]:
    """Read a plan, in an order in which it can be done; says what is wrong with it, or nothing.

    `known` are names that placeholders may have besides, and that tasks may wait for; no task may have one.
    """
    if isinstance(plan, str):
        try:
            plan = json.loads(plan)
        except ValueError:
            return [], "The plan cannot be read as JSON."
    given: Any = {"tasks": plan} if is_list(plan) else plan
    problem = mismatch(given, PLAN_FORM, "the plan")
    if problem:
        return [], problem
    tasks = [task_of(one) for one in given["tasks"]]
    problems = [*problems_of(tasks, doers, known)]
    if problems:
        return tasks, " ".join(problems)
    rounds = in_rounds(tasks, known)
    left = {one.id for one in tasks} - {one.id for several in rounds for one in several}
    if left:
        named = ", ".join(f"`{one}`" for one in sorted(left))
        return tasks, f"Some tasks wait for one another, so that none can begin: {named}."
    return [one for several in rounds for one in several], ""


def task_of(one: Mapping[str, Any]) -> Task:
    """A task from its JSON; it waits for those whose results it asks for, too."""
    asked = placeholders(json.dumps(one["with"], ensure_ascii=False))
    after = tuple(dict.fromkeys([*one.get("after", ()), *asked]))
    return Task(one["id"], one.get("title") or one["id"].replace("_", " "), one["do"], one["with"], after)


def problems_of(tasks: Sequence[Task], doers: Doers, known: Sequence[str]) -> Iterator[str]:
    """Say what is wrong with tasks, apart from their order."""
    ids = [one.id for one in tasks]
    if not tasks:
        yield "The plan has no task."
    for place, one in enumerate(tasks):
        if one.id in ids[:place]:
            yield f"Two tasks are called `{one.id}`."
        if one.id in known:
            yield f"The name `{one.id}` is taken: call the task something else."
        unknown = [name for name in one.after if name not in ids and name not in known]
        if unknown:
            yield f"`{one.id}` needs `{unknown[0]}`, and there is no such task."
        doer = doers.get(one.do)
        if doer is None:
            yield f"`{one.id}` is to be done by `{one.do}`; there is only {', '.join(doers) or 'nobody'}."
        elif isinstance(doer, Tool):
            yield from wrong_arguments(one, doer)


def wrong_arguments(task: Task, tool: Tool) -> Iterator[str]:
    """Say where a task's arguments do not fit its tool, as far as that is known before results are there."""
    if not PLACEHOLDER.search(json.dumps(task.given, ensure_ascii=False)):
        try:
            arguments_for(tool, task.given)
        except ToolError as error:
            yield f"`{task.id}`, `{tool.name}`: {error.message}"
    elif is_object(task.given):
        parameters: Mapping[str, Any] = tool.parameters
        named = parameters.get("properties", {})
        missing = [name for name in parameters.get("required", ()) if name not in task.given]
        if missing:
            yield f"`{task.id}`: `{tool.name}` wants `{missing[0]}` as well."
        if parameters.get("additionalProperties") is False:
            odd = [name for name in task.given if name not in named]
            if odd:
                yield f"`{task.id}`: `{tool.name}` knows no `{odd[0]}`."


def in_rounds(tasks: Sequence[Task], done: Sequence[str] = ()) -> list[list[Task]]:
    """The tasks in rounds, those of one can be done at once; who waits for themselves are left out."""
    over, left, rounds = set(done), list(tasks), list[list[Task]]()
    while ready := [one for one in left if over.issuperset(one.after)]:
        rounds.append(ready)
        over |= {one.id for one in ready}
        left = [one for one in left if one.id not in over]
    return rounds


def plan_in_words(tasks: Sequence[Task]) -> str:
    """The plan as numbered lines."""
    lines: list[str] = []
    for number, one in enumerate(tasks, 1):
        waits = f", after {', '.join(one.after)}" if one.after else ""
        lines.append(f"{number}. {one.title} ({one.id}: {one.do}{waits})")
    return "\n".join(lines)


def doers_in_words(doers: Doers) -> str:
    """Who can do tasks, each with what it wants."""
    lines: list[str] = []
    for name, one in doers.items():
        about = f": {one.description}" if one.description else ""
        wants = "is asked with a text"
        if isinstance(one, Tool):
            wants = f"takes {json.dumps(one.parameters.get('properties', {}), ensure_ascii=False)}"
        lines.append(f"- {name}{about} ({wants})")
    return "\n".join(lines)
