r"""Make plan: let a model plan a task for the attached agents and tools.

A plan is data: tasks, each with an `id`, a `title`, in `do` the agent or tool that does it, in `with` what
that is given, and in `after` the tasks that it waits for. `{{id}}` in what is given stands for the result of
another task, `{{id.field}}` for a part of it, and is a dependence by itself; `{{name}}` stands for one of the
*Values* as well, which are known when the plan is followed.

The plan is checked: who is named is lent, what tools are given fits them, ids are there once, and no tasks
wait for one another. A plan that will not do is sent back with what is wrong with it; when no repair is left,
the step fails. *Run plan* follows it, and so it can be looked at, edited and approved before.

With *Tools shown at most*, of many tools only those are shown whose names and descriptions fit the task best
(all, where none fits), which saves tokens and mistakes; and only those may be planned with.

What a memory at `library` finds for the task, such as plans that worked before, is shown along; plans are
kept there by *Remember*.

```json
{
  "inputs": {"task": "Is it warm enough for a walk?"},
  "lent": {"tools": [{"name": "weather", "argument": "place", "answers": "12 degrees"}]},
  "agents": [{"name": "guide", "instructions": "You know walks."}],
  "chat": [
    "{\"tasks\": [{\"id\": \"now\", \"do\": \"forecast\", \"with\": {\"place\": \"Ely\"}}]}",
    "{\"tasks\": [{\"id\": \"now\", \"do\": \"weather\", \"with\": {\"place\": \"Ely\"}}]}"
  ],
  "outputs": {
    "plan": [
      {"id": "now", "title": "now", "do": "weather", "with": {"place": "Ely"}, "after": []}
    ],
    "text": "1. now (now: weather)",
    "repaired": 1
  }
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from studio.building_blocks.agents.tool_retrieval import fitting
from studio.building_blocks.plans.plan import (
    PLAN_FORM,
    RULES,
    Task,
    doers_in_words,
    doers_of,
    plan_in_words,
    read_plan,
)
from studio.building_blocks.plans.plan_requests import ask_for_plan
from studio.building_blocks.settings.models import ChatProfile, Repairs, Temperature
from studio.sdk import Agent, Context, Effect, In, Json, Memory, Out, Query, Setting, StepError, Tool, node


@dataclass(frozen=True, slots=True)
class MadePlan:
    """A plan that can be followed."""

    plan: Annotated[list[Json], Out("plan", "The tasks, in an executable order")]
    text: Annotated[str, Out("text", "The plan as numbered lines")]
    repaired: Annotated[int, Out("repaired", "How often it was repaired")]


@node(
    "plan.make_plan",
    title="Make plan",
    effect=Effect.PAID_READ,
    only_reads=True,
    keywords=("planner", "tasks", "decompose", "routine", "todo", "steps", "compiler", "dag"),
)
async def make_plan(
    context: Context,
    task: Annotated[str, In("The task")],
    agents: Annotated[Sequence[Agent], In("Agents that can do tasks")] = (),
    tools: Annotated[Sequence[Tool], In("Tools that tasks can call")] = (),
    library: Annotated[Sequence[Memory], In("Memory of plans for similar tasks")] = (),
    *,
    instructions: Annotated[
        str, Setting("Instructions", editor="text", help="What makes a good plan")
    ] = "You make a plan, in as few tasks as will do.",
    most: Annotated[int, Setting("Max. tasks", minimum=1, maximum=200)] = 20,
    offered: Annotated[
        int, Setting("Max. tools shown", minimum=0, help="The best matches for the task; 0: all")
    ] = 0,
    values: Annotated[
        tuple[str, ...], Setting("Values", editor="list", help="Additional names for placeholders")
    ] = (),
    recalled: Annotated[int, Setting("Max. recalled", minimum=1, help="From each memory")] = 3,
    repairs: Repairs = 2,
    temperature: Temperature = None,
    profile: ChatProfile = "",
) -> MadePlan:
    """Ask for a plan of `task`; raises `StepError` where none of the answers can be followed."""
    if offered:
        tools = fitting(tools, task, offered) or tools
    doers = doers_of(agents, tools)
    if not doers:
        raise StepError("There is no agent or tool to plan for.", hint="Attach agents or tools.")
    told = f"{instructions}\n\n{RULES}\n\nTasks are done by these alone:\n{doers_in_words(doers)}"
    if values:
        told = f"{told}\n\nThese are known by then: {', '.join(f'{{{{{name}}}}}' for name in values)}."
    asked = await with_plans(context, task, library, recalled)

    def read(answer: Any) -> tuple[list[Task], str]:
        """Read an answer, and say what is wrong with it."""
        tasks, problem = read_plan(answer, doers, values)
        if not problem and len(tasks) > most:
            problem = f"The plan has {len(tasks)} tasks; the limit is {most}."
        return tasks, problem

    tasks, repaired = await ask_for_plan(
        context, told, asked, PLAN_FORM, read, repairs=repairs, temperature=temperature, profile=profile
    )
    return MadePlan([one.plain() for one in tasks], plan_in_words(tasks), repaired)


async def with_plans(context: Context, task: str, library: Sequence[Memory], recalled: int) -> str:
    """The task, behind the plans that memories find for the like."""
    found = [one for memory in library for one in await memory.recall(context, Query(task, recalled))]
    if not found:
        return task
    plans = "\n\n".join(f"<plan>\n{one.item.text}\n</plan>" for one in found)
    return f"Plans that are known for the like:\n\n{plans}\n\nThe task: {task}"
