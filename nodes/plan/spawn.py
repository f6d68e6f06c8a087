r"""Spawn workers: let agents that nobody drew do tasks, as a specification says that arrives while running.

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

from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, StepError, node
from studio.sdk.prelude.workers import Finished, let_work, read_workers, tell_end


@dataclass(frozen=True, slots=True)
class Spawned:
    """What the workers said."""

    replies: Annotated[list[str], Out("replies", "What each said that did not fail, in their order")]
    text: Annotated[str, Out("text", "The same as one text, each behind its name")]
    results: Annotated[list[Json], Out("results", "Each worker, with what it said or why it failed")]


@node(
    "plan.spawn",
    title="Spawn workers",
    effect=Effect.PAID_READ,
    keywords=("workers", "recruit", "experts", "dynamic", "fan out", "subagents", "orchestrator", "roles"),
)
async def spawn(
    context: Context,
    workers: Annotated[Json, In("Who is made: a list of name, role and task")],
    agents: Annotated[Sequence[Agent], In("What they are made from")],
    task: Annotated[str, In("What all of it is for: they are told so")] = "",
    *,
    order: Annotated[
        Literal["at once", "in turn"], Setting("They work", help="At once, or each after those before it")
    ] = "at once",
    at_once: Annotated[
        int, Setting("Workers at once", minimum=1, maximum=64, matters_with="order=at once")
    ] = 8,
    most: Annotated[int, Setting("Workers at most", minimum=1, maximum=200, help="More are refused")] = 20,
    on_failure: Annotated[
        Literal["fail", "leave out"], Setting("When a worker fails", help="fail, or go on without it")
    ] = "fail",
) -> Spawned:
    """Let the workers work; raises `StepError` for a specification that is none, and where one fails."""
    team, problem = read_workers(workers, agents)
    if not problem and len(team) > most:
        problem = f"There would be {len(team)} workers, and may be {most}."
    if problem:
        raise StepError(f"These workers cannot be made. {problem}", hint="Name them, and lend an agent.")
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
