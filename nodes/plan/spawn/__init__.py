r"""Spawn workers: create worker agents at run time from a specification.

Each worker is an object with a `name`, the `role` that it has besides the instructions of the agent that it
is made from, and its `task`; a text alone is a task. All are made from the first agent that is lent, or from
the one that `like` names. They work at once, so many at a time, or one after the other; then each is shown
what those before it said. Whatever an agent may call and remember, its workers may too.

Of workers with one name the second is called `NAME_2`. Where one fails the step fails when all are over, or
that one is left out of the `replies`; `results` has all of them, with what each said or why it failed. No
workers give no replies.

```json
{
  "settings": {"order": "in turn"},
  "inputs": {
    "task": "A bird guide",
    "workers": [
      {"name": "ears", "role": "You know songs.", "task": "How does a wren sing?"},
      {"name": "editor", "task": "Write one line."}
    ]
  },
  "agents": [{"name": "expert", "instructions": "You know birds."}],
  "chat": ["Loudly.", "A wren sings loudly."],
  "outputs": {
    "replies": ["Loudly.", "A wren sings loudly."],
    "text": "ears: Loudly.\n\neditor: A wren sings loudly."
  }
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from nodes.plan.spawn.workers import Finished, let_work, read_workers, tell_end
from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, StepError, node


@dataclass(frozen=True, slots=True)
class Spawned:
    """What the workers said."""

    replies: Annotated[list[str], Out("replies", "Replies of the workers that did not fail, in order")]
    text: Annotated[str, Out("text", "The replies as one text, with names")]
    results: Annotated[list[Json], Out("results", "Each worker, with its reply or error")]


@node(
    "plan.spawn",
    title="Spawn workers",
    effect=Effect.PAID_READ,
    keywords=("workers", "recruit", "experts", "dynamic", "fan out", "subagents", "orchestrator", "roles"),
)
async def spawn(
    context: Context,
    workers: Annotated[Json, In("The workers: a list of name, role and task")],
    agents: Annotated[Sequence[Agent], In("The agents they are based on")],
    task: Annotated[str, In("The overall task, told to all workers")] = "",
    *,
    order: Annotated[
        Literal["at once", "in turn"], Setting("Order", help="All in parallel, or one after another")
    ] = "at once",
    at_once: Annotated[
        int, Setting("Workers at once", minimum=1, maximum=64, matters_with="order=at once")
    ] = 8,
    most: Annotated[
        int, Setting("Max. workers", minimum=1, maximum=200, help="A longer list is refused")
    ] = 20,
    on_failure: Annotated[
        Literal["fail", "leave out"], Setting("When a worker fails", help="Fail, or continue without it")
    ] = "fail",
) -> Spawned:
    """Let the workers work; raises `StepError` for a specification that is none, and where one fails."""
    team, problem = read_workers(workers, agents)
    if not problem and len(team) > most:
        problem = f"There would be {len(team)} workers; the limit is {most}."
    if problem:
        raise StepError(f"These workers cannot be created. {problem}", hint="Name them, and attach an agent.")
    over = list[Finished]()
    if order == "in turn":
        for one in team:
            over.append(await let_work(context, one, task, over))
            tell_end(context, over[-1])
    else:
        calls = [partial(let_work, context, one, task) for one in team]
        over = await context.gather(calls, at_once)
        for one in over:
            tell_end(context, one)
    failed = [one for one in over if one.error]
    if failed and on_failure == "fail":
        raise StepError(f"`{failed[0].worker.name}` failed: {failed[0].error}")
    done = [one for one in over if not one.error]
    return Spawned(
        [one.reply for one in done],
        "\n\n".join(f"{one.worker.name}: {one.reply}" for one in done),
        [one.plain() for one in over],
    )
