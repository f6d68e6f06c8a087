"""Actions that a search tries in copies of an environment, which itself stays as it is."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from studio.building_blocks.agents.caller_identity import acting_as
from studio.building_blocks.agents.tool_arguments import arguments_for, call_line
from studio.building_blocks.agents.world_answers import world_answer
from studio.building_blocks.plans.search_tree import START, Branch, Said, next_form
from studio.building_blocks.values.json_kinds import is_list, is_number, is_object
from studio.building_blocks.values.json_texts import read_value
from studio.sdk import Context, Copies, Json, StepError, Tool, ToolCall, ToolError

EVERY = "*"
"""The name of who expands by every action that can be done without arguments."""

USING = "With what: the arguments as a JSON object, or the one thing that it wants"


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of an action in a copy: the answer and the state of the copy, or why it could not be done."""

    text: str
    world: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An action that somebody wants tried, and what they think of it."""

    tool: Tool
    arguments: str
    score: float | None = None

    @property
    def title(self) -> str:
        """The action in few words."""
        given: Mapping[str, Json] = json.loads(self.arguments)
        return f"{self.tool.name}({', '.join(map(str, given.values()))})"

    @property
    def did(self) -> dict[str, Json]:
        """The action as JSON."""
        return {"do": self.tool.name, "using": json.loads(self.arguments)}


@dataclass(slots=True)
class Trials:
    """The environment that a search goes through; `observes` looks around in a copy, if anything does."""

    context: Context
    actions: Sequence[Tool]
    observes: Tool | None = None
    rewards: bool = False
    """Whether the reward is the score."""

    async def start(self, seen: Json) -> Branch:
        """The state as the environment has it now; `seen` stands for what is seen where nothing looks."""
        first = copies_of(self.actions[0])
        root = Branch(START, {}, "start")
        root.world = first.snapshot(self.context.memory)
        if self.observes is not None:
            looked = await self._try(self.observes, "{}", "", root.world)
            seen, root.world = looked.error or world_answer(looked.text).result, looked.world
        root.state = state_of(Trial(""), "" if seen is None else seen)
        return root

    def prompt(self, goal: str, branch: Branch, most: int) -> str:
        """What is asked of who expands a state."""
        way = "\n".join(f"{number}. {one.title}" for number, one in enumerate(branch.way[1:], 1))
        lines = "\n".join(map(call_line, self.actions))
        seen = json.dumps(branch.state, ensure_ascii=False)
        return (
            f"What is sought: {goal}\n\nDone so far:\n{way or '(nothing)'}\n\nThe state:\n{seen}\n\n"
            f"You can do:\n{lines}\n\nGive at most {most} next actions, the most promising first."
        )

    def form(self, *, scored: bool) -> dict[str, Any]:
        """The form in which a language model gives next actions."""
        do = {"type": "string", "enum": [one.name for one in self.actions]}
        return next_form({"do": do, "using": {"type": "string", "description": USING}}, scored=scored)

    def every(self) -> list[Json]:
        """Every action that can be done without arguments, as somebody would answer with it."""
        return [{"do": one.name} for one in self.actions if not one.parameters.get("required")]

    def wanted(self, answered: Json) -> Iterator[Wanted]:
        """Read next actions: a list of `do` and `using`, or of names; raises `StepError` for what is none."""
        if is_object(answered):
            answered = answered.get("next")
        if not is_list(answered):
            raise StepError("Next actions are to be a list, or stand as a list under `next`.")
        by_name = {one.name: one for one in self.actions}
        for one in answered:
            fields = one if is_object(one) else {"do": one}
            tool, using = by_name.get(str(fields.get("do"))), fields.get("using")
            if tool is None:
                names = ", ".join(f"`{name}`" for name in by_name)
                raise StepError(f"`{fields.get('do')}` cannot be done in the environment; there is {names}.")
            given = read_value(using) if isinstance(using, str) else using
            score = fields.get("score")
            try:
                arguments = arguments_for(tool, {} if given in (None, "") else given)
            except ToolError as error:
                raise StepError(f"`{tool.name}`: {error.message}") from error
            yield Wanted(tool, arguments, float(score) if is_number(score) else None)

    async def tried(self, wanted: Sequence[tuple[Branch, Wanted]]) -> list[Said]:
        """Try actions at once, each in a copy of the state of its branch; gives what they lead to."""
        calls = [
            partial(self._try, one.tool, one.arguments, branch.id, branch.world) for branch, one in wanted
        ]
        trials = await self.context.gather(calls)
        # All acted before anybody looks: how calls are numbered must not depend on who is quicker.
        places = [
            (branch.id, one.world) for (branch, _), one in zip(wanted, trials, strict=True) if not one.error
        ]
        seen = iter(await self._seen(places))
        found: list[Said] = []
        for (_, one), trial in zip(wanted, trials, strict=True):
            state = state_of(trial, "" if trial.error else next(seen))
            score = world_answer(trial.text).reward if self.rewards else one.score
            found.append(Said(state, one.title, 1.0, score, trial.world, one.did, trial.error))
        return found

    async def do(self, actions: Sequence[Mapping[str, Json]]) -> list[Json]:
        """Do actions in the environment itself, until one cannot be done; gives each with what came of it."""
        done: list[Json] = []
        by_name = {one.name: one for one in self.actions}
        for number, one in enumerate(actions, 1):
            tool = by_name[str(one["do"])]
            call = ToolCall(f"action_{number}", tool.name, json.dumps(one["using"], ensure_ascii=False))
            try:
                came = await self.context.call(tool, call, raises=True)
            except ToolError as error:
                return [*done, {**one, "came_of_it": str(error)}]
            done.append({**one, "came_of_it": world_answer(came).result})
        return done

    async def _seen(self, places: Sequence[tuple[str, Json]]) -> list[Json]:
        """What is seen in copies; nothing, where nothing looks."""
        looks = self.observes
        if looks is None:
            return ["" for _ in places]
        trials = await self.context.gather([partial(self._try, looks, "{}", *one) for one in places])
        return [one.error or world_answer(one.text).result for one in trials]

    async def _try(self, tool: Tool, arguments: str, part: str, world: Json) -> Trial:
        """Call a tool in a copy, as a call that says so."""
        copies, left = copies_of(tool), list[Json]()

        async def run(given: Mapping[str, object]) -> str:
            """Do it, and keep the copy."""
            text, after = await copies.run(given, world)
            left[:] = [after]
            return text

        trial = replace(tool, name=f"try_{tool.name}", run=run, copies=None, of=tool.of or tool)
        try:
            text = await self.context.call(trial, ToolCall(part, trial.name, arguments), raises=True)
        except ToolError as error:
            return Trial("", error=str(error))
        if not left:
            return Trial("", error="A person answered in its place, and no copy was changed.")
        return Trial(text, left[0])


def trials_in(
    context: Context, world: Sequence[Tool], observes: str, acts_as: str, *, rewards: bool
) -> Trials | None:
    """Make them of what an environment lends; None without one. Raises `StepError` for what has no copies."""
    if not world:
        if observes or rewards:
            raise StepError("There is no environment to look around in.", hint="Wire one to `world`.")
        return None
    for one in world:
        if one.copies is None:
            raise StepError(
                f"`{one.name}` cannot be tried in a copy, so the search would change what it works on.",
                hint="Wire the tools of an environment to `world`, and others to `tools`.",
            )
    tools = acting_as(acts_as, world)
    looks = [one for one in tools if one.name == observes]
    if observes and not looks:
        raise StepError(
            f"The environment has no tool `{observes}`; it has {', '.join(one.name for one in tools)}."
        )
    return Trials(context, [one for one in tools if one not in looks] or tools, *looks, rewards=rewards)


def copies_of(tool: Tool) -> Copies:
    """The copies in which a tool is tried; raises `StepError` where it has none."""
    if tool.copies is None:
        raise StepError(f"`{tool.name}` cannot be tried in a copy.")
    return tool.copies


def state_of(trial: Trial, seen: Json) -> dict[str, Json]:
    """What rules and scorers are told of a copy."""
    answer = world_answer(trial.error or trial.text)
    return {"came_of_it": answer.result, "seen": seen, "reward": answer.reward, "done": answer.is_done}
