r"""Bandit: choose among agents, tools or names by past reward, with some exploration.

The arms are the names in the settings (chat profiles, methods, anything), and all agents and tools that are
lent. *Thompson* draws for each arm what it may pay by its record, so that what is little known has its
chance; *LinUCB* looks at the features of the case as well, as numbers, and takes the arm that may pay most.
A reward is a number from 0 to 1.

What was tried is kept by a memory of experience at `memory` (Thompson alone, by situations like the task),
or in a run variable: a list of objects with `arm`, `reward` and `features`. With *Gives it the task* the arm
is called, an agent or a tool, and its answer is the `reply`; who is named under *Scores* then says what that
was worth, and this is kept at once. Otherwise the flow does: with *Remember* (`fields` with `action` and
`score`), or with *Set variable* by `append` to the variable.

`trial` has what is to be kept, without its reward; `record` how often each arm was tried, what it paid on
average, and the draw or bound that was chosen by. Equal ones go to the first.

```json
{
  "settings": {"method": "LinUCB", "arms": ["quick", "thorough"], "variable": "tries"},
  "inputs": {"features": [1]},
  "variables": {"tries": [
    {"arm": "quick", "reward": 0, "features": [1]},
    {"arm": "quick", "reward": 1, "features": [0]},
    {"arm": "thorough", "reward": 1, "features": [1]}
  ]},
  "outputs": {"arm": "thorough", "trial": {"arm": "thorough", "features": [1]}}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from nodes.plan.bandit.policies import Record, counted, lin_ucb, thompson, tries_in
from studio.building_blocks.plans.delegation import Doers, doers_among
from studio.building_blocks.plans.search_tree import SCORE_FORM, score_in
from studio.building_blocks.values.json_kinds import is_number
from studio.sdk import (
    Agent,
    Context,
    Effect,
    In,
    Json,
    Memory,
    Note,
    Out,
    Query,
    Setting,
    StepError,
    Tool,
    node,
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The arm that was chosen; what it answered and was worth, where it was called and scored."""

    arm: Annotated[str, Out("arm", "The chosen arm")]
    reply: Annotated[str | None, Out("reply", "Its answer; absent if it was not called")]
    reward: Annotated[float | None, Out("reward", "Its reward; absent if it was not scored")]
    trial: Annotated[Json, Out("trial", "The trial to remember, with its reward if known")]
    record: Annotated[Json, Out("record", "Statistics of each arm")]


@node(
    "plan.bandit",
    title="Bandit",
    effect=Effect.PAID_READ,
    variable="writes",
    named_by="variable",
    keywords=("thompson", "linucb", "explore", "exploit", "route", "learn", "reward", "adaptive", "arm"),
)
async def bandit(
    context: Context,
    task: Annotated[str, In("The task")] = "",
    features: Annotated[list[float], In("Context as numbers, for LinUCB")] = [],  # noqa: B006
    agents: Annotated[Sequence[Agent], In("Arms that are agents")] = (),
    tools: Annotated[Sequence[Tool], In("Arms that are tools or flows, and the scorer")] = (),
    memory: Annotated[Sequence[Memory], In("An experience memory that keeps the trials")] = (),
    *,
    method: Annotated[Literal["Thompson", "LinUCB"], Setting("Method")] = "Thompson",
    arms: Annotated[
        tuple[str, ...], Setting("Arms", editor="list", help="In addition to those attached")
    ] = (),
    variable: Annotated[
        str, Setting("Run variable", help="Where trials are kept if there is no memory")
    ] = "tries",
    acts: Annotated[bool, Setting("Run the arm", help="Call the chosen arm with the task")] = False,
    score: Annotated[
        str, Setting("Scorer", help="Name of the agent or tool that scores the answer; empty: none")
    ] = "",
    exploration: Annotated[
        float, Setting("Exploration", minimum=0, maximum=100, matters_with="method=LinUCB")
    ] = 1.0,
) -> Chosen:
    """Choose an arm; raises `StepError` where there is none, and where it cannot be called."""
    doers = doers_among(context, agents, tools)
    doers.check(score)
    lent = [name for name in (*doers.agents, *doers.tools) if name != score]
    names = tuple(dict.fromkeys([*lent, *(arm for arm in arms if arm != score)]))
    if not names:
        raise StepError("There is nothing to choose from.", hint="Attach agents or tools, or name arms.")
    if memory:
        if method == "LinUCB":
            raise StepError("An experience memory has no features, which LinUCB needs.")
        records = await remembered(context, memory, task, names)
        chosen = thompson(records, context.random())
    else:
        tries = tries_in(context.state.read(variable))
        records = counted(names, tries)
        if method == "LinUCB":
            chosen = lin_ucb(records, tries, features, exploration)
        else:
            chosen = thompson(records, context.random())
    trial: dict[str, Json] = {"arm": chosen, "features": [*features]}
    reply, reward = None, None
    if acts:
        reply = await acted(doers, chosen, task)
        if score:
            reward = await worth(doers, score, task, reply)
            trial["reward"] = reward
            await keep(context, memory, variable, task, trial)
    return Chosen(chosen, reply, reward, trial, told(records))


async def remembered(
    context: Context, memory: Sequence[Memory], task: str, names: Sequence[str]
) -> dict[str, Record]:
    """What memories of experience say of the arms in situations like the task."""
    records = {name: Record() for name in names}
    for one in memory:
        for found in await one.recall(context, Query(task, most=1000)):
            data = found.item.data
            tries, mean, arm = data.get("tries"), data.get("mean"), str(data.get("action"))
            if arm in records and is_number(tries) and is_number(mean):
                records[arm].tries += tries
                records[arm].paid += tries * mean
    return records


async def acted(doers: Doers, arm: str, task: str) -> str:
    """Give the task to the arm; raises `StepError` for one that is only a name."""
    doers.check(arm)
    return (await doers.do(arm, task, {"task": task})).text


async def worth(doers: Doers, score: str, task: str, reply: str) -> float:
    """Let somebody say what an answer is worth; what is beyond 0 and 1 is cut."""
    prompt = f"The task: {task}\n\nThe answer:\n{reply}\n\nGive a reason, and what it is worth, from 0 to 1."
    done = await doers.do(score, prompt, {"reply": reply, "task": task}, form=SCORE_FORM)
    return min(max(score_in(done.data, done.text)[0], 0.0), 1.0)


async def keep(
    context: Context, memory: Sequence[Memory], variable: str, task: str, trial: dict[str, Json]
) -> None:
    """Keep what was tried, where the next choice finds it."""
    for one in memory:
        await one.remember(context, [Note(task, {"action": trial["arm"], "score": trial["reward"]})])
    if not memory:
        context.state.write(variable, trial, "append")


def told(records: dict[str, Record]) -> Json:
    """The record of each arm as JSON."""
    return {
        arm: {"tries": one.tries, "mean": one.mean, "chance": round(one.chance, 6)}
        for arm, one in records.items()
    }
