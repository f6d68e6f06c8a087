r"""Run plan: execute a plan with the attached agents and tools.

A plan is a list of tasks as *Make plan* makes them, or as they stand in a file: each has an `id`, in `do` the
agent or tool that does it, in `with` what that is given, and in `after` the tasks that it waits for. `{{id}}`
stands for the result of another task, `{{id.field}}` for a part of it, `{{name}}` for one of the *Values*. A
placeholder alone is the value itself; an agent is also shown what those gave that it waits for. A plan that
cannot be followed fails the step before anything is done.

All tasks that can be done are done at once, those that waited for them next. Where a task fails, the plan
fails (those under way are finished), or what needs it is dropped and the rest goes on, or a language model is
shown what happened and plans anew: further tasks, which may use what is there, or an answer instead. It does
so *Plans anew at most* times; after that the step fails.

With *Ask for the answer* the language model is shown all results at the end, and gives the answer, or further
tasks as long as there may be any. Otherwise `reply` is the result of the task for which no other one waits,
or of several all of them by id, or, where none of these was done, what failed. `adherence` says which part of
the plan that came in was done.

```json
{
  "inputs": {
    "plan": [
      {"id": "now", "do": "weather", "with": {"place": "Ely"}},
      {"id": "later", "do": "weather", "with": {"place": "Ely, tomorrow"}},
      {"id": "advice", "do": "guide", "with": "A walk at {{now}}?", "after": ["later"]}
    ]
  },
  "lent": {"tools": [{"name": "weather", "argument": "place", "answers": "12 degrees"}]},
  "agents": [{"name": "guide", "instructions": "You know walks."}],
  "chat": ["With a coat."],
  "outputs": {
    "reply": "With a coat.",
    "results": {"now": "12 degrees", "later": "12 degrees", "advice": "With a coat."},
    "adherence": 1
  }
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from nodes.plan.run.execution import Following
from nodes.plan.run.revision import outcome, revise
from studio.building_blocks.plans.plan import doers_of, read_plan
from studio.building_blocks.settings.models import ChatProfile, Repairs, Temperature
from studio.building_blocks.values.json_texts import read_value
from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, StepError, Tool, node


@dataclass(frozen=True, slots=True)
class FollowedPlan:
    """What came of a plan."""

    reply: Annotated[str, Out("reply", "The answer, or the result of the last task")]
    results: Annotated[dict[str, Json], Out("results", "Results of the tasks, by id")]
    report: Annotated[list[Json], Out("report", "Each task: who did it, with what, and the outcome")]
    failed: Annotated[list[str], Out("failed", "Ids of tasks that failed or were dropped")]
    adherence: Annotated[float, Out("adherence", "Share of the plan executed as given, from 0 to 1")]
    replans: Annotated[int, Out("replans", "How often tasks were added")]


@node(
    "plan.run",
    title="Run plan",
    effect=Effect.PAID_READ,
    keywords=("execute", "routine", "follow", "executor", "parallel", "dag", "compiler", "replan", "tasks"),
)
async def run(
    context: Context,
    plan: Annotated[Json, In("The tasks")],
    task: Annotated[str, In("The purpose of the plan, told to agents")] = "",
    values: Annotated[dict[str, Json], In("Additional placeholder values, by name")] = {},  # noqa: B006
    agents: Annotated[Sequence[Agent], In("Agents that do tasks")] = (),
    tools: Annotated[Sequence[Tool], In("Tools that tasks call")] = (),
    *,
    at_once: Annotated[int, Setting("Tasks at once", minimum=1, maximum=64)] = 8,
    on_failure: Annotated[
        Literal["fail", "skip", "replan"],
        Setting("When a task fails", help="Fail, skip what depends on it, or replan"),
    ] = "fail",
    answers: Annotated[
        bool, Setting("Ask for the answer", help="A final call answers, or adds tasks")
    ] = False,
    replans: Annotated[int, Setting("Max. replans", minimum=0, maximum=20)] = 2,
    instructions: Annotated[
        str, Setting("Instructions", editor="text", help="For replanning and for the answer")
    ] = "You see to it that a task is done. A plan was followed for it.",
    repairs: Repairs = 2,
    temperature: Temperature = None,
    profile: ChatProfile = "",
) -> FollowedPlan:
    """Follow `plan` to its end; raises `StepError` where it cannot be followed, or failed."""
    doers = doers_of(agents, tools)
    tasks, problem = read_plan(plan, doers, [*values])
    if problem:
        raise StepError(
            f"The plan cannot be executed. {problem}", hint="Attach what it names, or fix the plan."
        )
    work = Following(context, doers, values, task, at_once)
    answer, anew, latest = "", 0, tasks
    failed = await work.follow(latest, stops=on_failure != "skip")
    while answers or (failed and on_failure == "replan"):
        may_plan = anew < replans
        if failed and (on_failure == "fail" or not (may_plan or answers)):
            break
        answer, further = await revise(
            work,
            instructions,
            may_plan=may_plan,
            repairs=repairs,
            temperature=temperature,
            profile=profile,
        )
        if answer:
            break
        anew, latest = anew + 1, further
        failed = await work.follow(latest, stops=on_failure != "skip")
    if failed and on_failure != "skip" and not answer:
        raise StepError(f"The task `{failed}` failed: {work.failed[failed]}")
    done = [one.id for one in tasks if one.id in work.results]
    return FollowedPlan(
        answer or outcome(latest, work.results, work.failed),
        {name: read_value(text) for name, text in work.results.items()},
        [*work.report.values()],
        [*work.failed, *work.dropped],
        round(len(done) / len(tasks), 4),
        anew,
    )
