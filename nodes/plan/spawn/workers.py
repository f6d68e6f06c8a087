"""Workers: agents that are made of lent ones while a flow runs, each for a task of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studio.bounds.schemas import mismatch
from studio.building_blocks.agents.turns import speak
from studio.building_blocks.values.json_kinds import is_object
from studio.building_blocks.values.json_texts import read_value
from studio.llm.wire_names import sendable_name
from studio.sdk import Agent, Context, Json, Part, StepError, ToolError, Turn
from studio.sdk.part import PartStatus

WORKER_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "role": {"type": "string"},
        "task": {"type": "string", "minLength": 1},
        "like": {"type": "string"},
    },
    "required": ["task"],
}
WORKERS_FORM: dict[str, Any] = {"type": "array", "items": {"anyOf": [{"type": "string"}, WORKER_FORM]}}


@dataclass(frozen=True, slots=True)
class Worker:
    """One who is made of the agent `like`, with a role besides, to do a task."""

    name: str
    role: str
    task: str
    like: Agent


@dataclass(frozen=True, slots=True)
class Finished:
    """What a worker said, or why it failed."""

    worker: Worker
    reply: str = ""
    error: str = ""

    def plain(self) -> dict[str, Json]:
        """The same as JSON."""
        one = self.worker
        said: dict[str, Json] = {"name": one.name, "role": one.role, "task": one.task}
        return {**said, "error": self.error} if self.error else {**said, "reply": self.reply}


def read_workers(given: Json, agents: Sequence[Agent]) -> tuple[list[Worker], str]:
    """Read who is to be made; says what is wrong with it, or nothing."""
    if isinstance(given, str):
        given = read_value(given)
    listed: Any = given["workers"] if is_object(given) and "workers" in given else given
    problem = mismatch(listed, WORKERS_FORM, "the list of workers")
    if problem:
        return [], problem
    if not agents:
        return [], "No agent is attached to create them from."
    by_name, taken, made = {one.name: one for one in agents}, set[str](), list[Worker]()
    for place, said in enumerate(listed, 1):
        one: dict[str, str] = {"task": said}
        if not isinstance(said, str):
            one = said
        like = by_name.get(one.get("like", ""), agents[0])
        if one.get("like") and one["like"] not in by_name:
            return [], f"There is no agent `{one['like']}`."
        wanted = sendable_name(one.get("name") or f"worker_{place}")
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        made.append(Worker(name, one.get("role", ""), one["task"], like))
    return made, ""


async def let_work(
    context: Context, worker: Worker, purpose: str = "", before: Sequence[Finished] = ()
) -> Finished:
    """Let a worker do its task, whose begin is told; it sees what those `before` it said."""
    prompt = "\n\n".join([*(f"{one.worker.name}: {one.reply}" for one in before if one.reply), worker.task])
    goal = f"All of it is for this: {purpose}" if purpose else ""
    role = "\n\n".join(part for part in (worker.role, goal) if part)
    tell_of(context, worker, "running")
    try:
        turn = Turn(prompt, role=role, speaker=worker.name)
        said = await speak(context, worker.like, turn, part=worker.name, raises=True)
    except (ToolError, StepError) as error:
        return Finished(worker, error=str(error) or "It failed.")
    return Finished(worker, said.reply)


def tell_end(context: Context, one: Finished) -> None:
    """Tell what came of a worker; of several in their order, and not in that of their coming."""
    status: PartStatus = "failed" if one.error else "done"
    tell_of(context, one.worker, status, text=one.reply, reason=one.error)


def tell_of(
    context: Context, worker: Worker, status: PartStatus, *, text: str = "", reason: str = ""
) -> None:
    """Tell how a worker is now."""
    told = [one for one in (worker.like.instructions, worker.role) if one.strip()]
    detail: dict[str, Json] = {"task": worker.task, "like": worker.like.name}
    context.tell(
        Part(
            worker.name,
            worker.name,
            status,
            kind="llm.agent",
            settings={"instructions": "\n\n".join(told)},
            text=text,
            detail={**detail, "reason": reason} if reason else detail,
        )
    )
