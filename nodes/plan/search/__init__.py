r"""Search: search for a goal state, most promising steps first, within a budget.

A state is JSON, such as a text with the thoughts so far, or a position. Who *expands* a state gives the next
ones, and who *scores* one says how promising it is: an agent, tool or flow that is lent, by name, or the
node's own language model where no name is given. Tools are given what they take of `state`, `goal`, `depth`
and `path`; one that takes one thing only is given the state. An expansion answers with a list of states, or
of objects with a `state` and perhaps a `title`, a `cost` (otherwise 1) and a `score`; a score is a number,
or an object with `score` and `reason`.

- *best-first* goes on from the best score, wherever in the tree that is, several *at once* if wanted.
- *beam* expands a whole level at once, and keeps the best few of the next.
- *A\** goes on where the cost of the way and the score come to the least: a score is here what is left to
  the goal. If no score is more than that, the way found is the cheapest.
- *MCTS* goes down where the mean of the scores below is high or little is known (scores from 0 to 1),
  expands there, and lets all on the way know.

**In an environment** that is wired to `world`, what is searched are actions, each tried in a copy of the
state that those before it left, while the environment itself stays as it is. Who expands answers with a list
of `{"do": NAME, "using": ARGUMENTS}`; `*` as *Expander* tries every action that needs no arguments. A state
is then `{"came_of_it": …, "seen": …, "reward": …, "done": …}`: what the last action answered, and what the
*Perception tool* does in the copy; `start` stands for what is seen at first where there is no such tool. What
leaves the same copy behind counts as reached before, and what cannot be done is told as a branch that failed.
`actions` are those on the way to the best; at the end none, the first or all of them are done in the
environment itself, as *Then do* says, and `did` has what came of them.

It ends with the first state for which *The goal is reached when* holds; otherwise when the budget of
expansions is used up, or nothing is left, with the best that was seen. A search takes a step at least: the
start is not scored. What was reached before is left out. An expansion or a score that fails ends its branch
alone; only where the start cannot be expanded the step fails. The tree grows in the run as parts of the
step, each with its score, and the reason for which it was dropped.

```json
{
  "settings": {
    "method": "best-first", "expand": "next_words", "scoring": "with the state",
    "ends_when": "\"sings\" in state", "expansions": 3
  },
  "inputs": {"start": "a", "goal": "A sentence with a verb"},
  "lent": {"tools": [{"name": "next_words", "argument": "state",
    "answers": "[{\"state\": \"a wren\", \"score\": 0.4}, {\"state\": \"a wren sings\", \"score\": 0.9}]"}]},
  "outputs": {"best": "a wren sings", "path": ["a", "a wren sings"], "score": 0.9, "ended": "goal"}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from nodes.plan.search.frontier import Method, Search
from nodes.plan.search.world_trials import EVERY, trials_in
from studio.building_blocks.plans.delegation import doers_among
from studio.building_blocks.plans.search_tree import START, Branch, Tree, shown
from studio.building_blocks.settings.models import ChatProfile, OwnInstructions
from studio.sdk import Agent, Context, Effect, In, Json, Out, Setting, StepError, Tool, node
from studio.sdk.expressions import expression_over, holds
from studio.sdk.schema_ports import answer_form


@dataclass(frozen=True, slots=True)
class Found:
    """The best state, how it was reached, and the whole tree."""

    best: Annotated[Json, Out("best", "The goal, or the best state found")]
    path: Annotated[list[Json], Out("path", "The states from the start to it")]
    score: Annotated[float | None, Out("score", "Its score; absent if nothing was scored")]
    found: Annotated[bool, Out("found", "Whether the goal was reached")]
    ended: Annotated[str, Out("ended", "Why the search ended: goal, budget or exhausted")]
    expanded: Annotated[int, Out("expanded", "How many states were expanded")]
    tree: Annotated[list[Json], Out("tree", "All branches, in the order in which they were made")]
    actions: Annotated[list[Json], Out("actions", "In an environment: the actions from the start to it")]
    did: Annotated[list[Json], Out("did", "What was then done in the environment, and what came of it")]


@node(
    "plan.search",
    title="Search",
    effect=Effect.PAID_READ,
    keywords=(
        "tree",
        "mcts",
        "beam",
        "a*",
        "best first",
        "tree of thoughts",
        "explore",
        "lookahead",
        "heuristic",
    ),
)
async def search(
    context: Context,
    start: Annotated[Json, In("The initial state; in an environment: what is seen at first")],
    goal: Annotated[str, In("The goal, told to the expander and scorer")] = "",
    agents: Annotated[Sequence[Agent], In("Agents that expand and score")] = (),
    tools: Annotated[Sequence[Tool], In("Tools, code or flows that expand and score")] = (),
    world: Annotated[Sequence[Tool], In("An environment in whose copies actions are tried")] = (),
    *,
    method: Annotated[Method, Setting("Method")] = "best-first",
    expand: Annotated[
        str,
        Setting("Expander", help="Name of an agent or tool; empty: the node's model; *: every action"),
    ] = "",
    scoring: Annotated[
        Literal["asked", "with the state", "reward"],
        Setting("Scored by", help="Asked for each state, given by the expander, or the environment's reward"),
    ] = "asked",
    score: Annotated[
        str,
        Setting(
            "Scorer",
            help="Name of an agent or tool; empty: the node's own model",
            matters_with="scoring=asked",
        ),
    ] = "",
    instructions: OwnInstructions = (
        "You look for the next steps towards a goal, and judge how promising steps are, from 0 to 1."
    ),
    state_schema: Annotated[
        dict[str, Json] | None,
        Setting("State schema", editor="schema", help="JSON Schema of a state; empty: text"),
        AfterValidator(answer_form),
    ] = None,
    ends_when: Annotated[
        str,
        Setting(
            "Goal condition",
            editor="expression",
            help="Expression over state, score, depth, cost; empty: never",
        ),
        AfterValidator(expression_over("state", "score", "depth", "cost", optional=True)),
    ] = "",
    expansions: Annotated[int, Setting("Max. expansions", minimum=1, maximum=10_000)] = 20,
    depth: Annotated[int, Setting("Max. depth", minimum=1, maximum=200, help="Steps from the start")] = 6,
    branches: Annotated[int, Setting("Max. next states", minimum=1, maximum=100)] = 3,
    width: Annotated[int, Setting("Kept of a level", minimum=1, maximum=100, matters_with="method=beam")] = 2,
    at_once: Annotated[
        int, Setting("Expanded at once", minimum=1, maximum=16, matters_with="method=best-first")
    ] = 1,
    least: Annotated[
        float | None,
        Setting("Min. score", editor="number", help="States below it are dropped; empty: none. Not with A*"),
    ] = None,
    exploration: Annotated[
        float,
        Setting(
            "Exploration", minimum=0, maximum=100, help="Weight of exploration", matters_with="method=MCTS"
        ),
    ] = 1.4,
    profile: ChatProfile = "",
    observes: Annotated[
        str, Setting("Perception tool", help="A tool of the environment; empty: what actions answer")
    ] = "",
    acts_as: Annotated[
        str, Setting("Acts as", help="Who acts, for an environment that is told; empty: nobody")
    ] = "",
    then_do: Annotated[
        Literal["nothing", "first action", "all actions"],
        Setting("Then do", help="In the environment itself, of the actions that lead to the best state"),
    ] = "nothing",
) -> Found:
    """Search from `start`; raises `StepError` for unknown names, and where it cannot be expanded."""
    doers = doers_among(context, agents, tools, instructions=instructions, profile=profile)
    if scoring == "reward" and method == "A*":
        raise StepError(
            "A* needs what is left to the goal, not a reward.", hint="Use another method or scorer."
        )
    trials = trials_in(context, world, observes, acts_as, rewards=scoring == "reward")
    doers.check(*(one for one in (expand, score) if trials is None or one != EVERY))
    root = Branch(START, start, shown(start)) if trials is None else await trials.start(start)

    def is_goal(branch: Branch) -> bool:
        """Ask the rule."""
        return holds(ends_when, branch.facts)

    looking = Search(
        doers,
        Tree(context, root),
        method,
        goal,
        expand,
        score,
        with_state=scoring != "asked",
        state_schema=state_schema,
        is_goal=is_goal,
        budget=expansions,
        depth=depth,
        branches=branches if trials is None or expand != EVERY else len(trials.actions),
        width=width,
        at_once=at_once,
        least=None if method == "A*" else least,
        exploration=exploration,
        world=trials,
        asks_score=scoring == "with the state",
    )
    ended = await looking.run()
    best = looking.best
    way = [one.state for one in best.way]
    tree: list[Json] = [one.plain() for one in looking.tree.all]
    actions = [one.did for one in best.way if one.did is not None]
    many = {"nothing": 0, "first action": 1, "all actions": len(actions)}[then_do]
    did = [] if trials is None else await trials.do(actions[:many])
    return Found(
        best.state,
        way,
        best.score,
        ended == "goal",
        ended,
        looking.expanded,
        tree,
        [dict(one) for one in actions],
        did,
    )
