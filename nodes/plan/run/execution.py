"""Following a plan: what can be done at once is, what each task gave is known to those that wait for it.

Tasks run in rounds of what can be done at once: calls then have the same numbers however long answers take,
so that forks and resumed runs find what was done.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from nodes.plan.run.task_inputs import arguments_filled, prompt_filled, prompt_of
from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.building_blocks.agents.turns import speak
from studio.building_blocks.plans.plan import Doers, Task
from studio.building_blocks.values.json_kinds import is_object
from studio.sdk import Context, Json, Part, StepError, Tool, ToolCall, ToolError, Turn
from studio.sdk.part import PartStatus
from studio.sdk.templates import PLACEHOLDER


@dataclass
class Following:
    """Does the tasks of a plan, and of those that come in its place; knows how each came out."""

    context: Context
    doers: Doers
    values: Mapping[str, Json]
    purpose: str = ""
    """What the plan is for, as agents are told."""
    at_once: int = 8
    results: dict[str, str] = field(default_factory=dict[str, str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Why tasks failed, by id."""
    dropped: dict[str, str] = field(default_factory=dict[str, str])
    """Why tasks were not begun, by id."""
    report: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])

    @property
    def known(self) -> dict[str, Json]:
        """What placeholders stand for."""
        return {**self.values, **self.results}

    async def follow(self, tasks: Sequence[Task], *, stops: bool) -> str:
        """Do the tasks, in rounds of those that can be done; with `stops` none begins after a failure.

        Gives the id of the first that failed, if any.
        """
        for one in tasks:
            self.failed.pop(one.id, None)
            self.dropped.pop(one.id, None)
            self.tell(one, "waiting")
        left = list(tasks)
        while ready := [one for one in left if self.known.keys() >= {*one.after}]:
            over = await self.context.gather([partial(self.do, one) for one in ready], self.at_once)
            # One after the other: what is told first must not depend on who is quicker.
            for one, (given, text, error) in zip(ready, over, strict=True):
                self.settle(one, given, text, error)
            left = [one for one in left if one not in ready]
            if stops and any(one.id in self.failed for one in tasks):
                break
        for one in left:
            gone = [name for name in one.after if name in self.failed or name in self.dropped]
            reason = f"It needs `{gone[0]}`." if gone else "The plan was left before."
            self.dropped[one.id] = reason
            self.tell(one, "dropped", reason=reason)
        return next((one.id for one in tasks if one.id in self.failed), "")

    async def do(self, task: Task) -> tuple[Json, str, str]:
        """Do one task; gives what it was done with, and what came of it or why it failed."""
        given: Json = None
        try:
            doer = self.doers[task.do]
            if isinstance(doer, Tool):
                given = arguments_filled(task, doer, self.known)
                self.tell(task, "running", given=given)
                call = ToolCall(task.id, doer.name, arguments_for(doer, given))
                return given, await self.context.call(doer, call, raises=True), ""
            given = prompt_filled(task, self.known)
            self.tell(task, "running", given=given)
            role = f"You do one task of a plan. The plan is for this: {self.purpose}" if self.purpose else ""
            said = await speak(self.context, doer, Turn(given, role=role), part=task.id, raises=True)
        except (ToolError, StepError) as error:
            return given, "", str(error) or "It failed."
        return given, said.reply, ""

    def settle(self, task: Task, given: Json, text: str, error: str) -> None:
        """Keep how a task came out, and tell it."""
        if error:
            self.failed[task.id] = error
            self.tell(task, "failed", given=given, reason=error)
        else:
            self.results[task.id] = text
            self.tell(task, "done", given=given, text=text)

    def tell(
        self, task: Task, status: PartStatus, *, given: Json = None, text: str = "", reason: str = ""
    ) -> None:
        """Tell how a task is now, and keep it for the report."""
        detail: dict[str, Json] = {"do": task.do, "with": task.given if given is None else given}
        if reason:
            detail["reason"] = reason
        kind, settings = self.as_node(task)
        waits = tuple(one for one in task.after if one not in self.values)
        self.context.tell(
            Part(
                task.id,
                task.title,
                status,
                after=waits,
                kind=kind,
                settings=settings,
                text=text,
                detail=detail,
            )
        )
        said: dict[str, Json] = {"id": task.id, "title": task.title, "status": status, **detail}
        self.report[task.id] = {**said, "result": text} if status == "done" else said

    def as_node(self, task: Task) -> tuple[str, dict[str, Json]]:
        """What a task would be as a node, and its settings."""
        doer = self.doers[task.do]
        if not isinstance(doer, Tool):
            told = [one for one in (doer.instructions, prompt_of(task)) if one.strip()]
            return "llm.agent", {"instructions": "\n\n".join(told)}
        settings: dict[str, Json] = {"tool_name": task.do}
        if is_object(task.given):
            asked = [name for name, one in task.given.items() if PLACEHOLDER.search(json.dumps(one))]
            settings["fields"] = list[Json](asked)
        return "control.call_tool", settings
