"""Work that a step gives out by name: to an agent or tool that is lent to it, or to its own chat."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.building_blocks.agents.turns import speak
from studio.building_blocks.answers.schema_answers import parse_json, read_structured
from studio.building_blocks.plans.plan import doers_of
from studio.sdk import Agent, ChatRequest, Context, Json, Message, StepError, Tool, ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it, as text and, where that is JSON, as data."""

    text: str
    data: Json = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Doers:
    """Who may be given work: agents and tools by name; the empty name is the step's own language model."""

    context: Context
    agents: Mapping[str, Agent]
    tools: Mapping[str, Tool]
    instructions: str = ""
    profile: str = ""

    def check(self, *names: str) -> None:
        """Raise `StepError` for a name that nobody has."""
        for name in names:
            if name and name not in self.agents and name not in self.tools:
                known = ", ".join(f"`{one}`" for one in (*self.agents, *self.tools)) or "nobody"
                raise StepError(f"There is no agent or tool `{name}`; attached: {known}.")

    async def do(
        self,
        name: str,
        prompt: str,
        given: Mapping[str, Json],
        *,
        part: str = "",
        form: Mapping[str, Any] | None = None,
    ) -> Done:
        """Give work out: an agent is asked `prompt`, in the `form`; a tool is called with `given`.

        A tool is given what it takes of that, and the first where it takes none and wants one thing only.
        Raises `StepError` or `ToolError` where it fails.
        """
        if name in self.agents:
            turn = Turn(prompt, answer_schema=form)
            said = await speak(self.context, self.agents[name], turn, part=part)
            if form is None:
                return Done(said.reply, json_in(said.reply), said.tokens)
            # A person may have answered in its place, in whatever form.
            data, problem, _ = parse_json(said.reply, form)
            if problem:
                raise StepError(f"`{name}` did not answer in the required form: {problem}")
            return Done(said.reply, data, said.tokens)
        if name in self.tools:
            tool = self.tools[name]
            call = ToolCall(part, name, arguments_for(tool, taken_by(tool, given)))
            text = await self.context.call(tool, call, raises=True)
            return Done(text, json_in(text))
        return await self._ask(prompt, form)

    async def _ask(self, prompt: str, form: Mapping[str, Any] | None) -> Done:
        """Ask the step's own language model."""
        messages = (Message("user", prompt),)
        if self.instructions.strip():
            messages = (Message("system", self.instructions), *messages)
        request = ChatRequest(messages, response_schema=form)
        answered = await self.context.chat(request, profile=self.profile)
        text, used = answered.message.content, answered.usage.total
        if form is None:
            return Done(text, json_in(text), used)
        data, said = await read_structured(self.context, request, answered.message, profile=self.profile)
        return Done(said[-1].content, data, used)


def doers_among(
    context: Context,
    agents: Sequence[Agent],
    tools: Sequence[Tool],
    *,
    instructions: str = "",
    profile: str = "",
) -> Doers:
    """Name those who are lent; raises `StepError` where two have one name, so that nobody could tell."""
    doers_of(agents, tools)
    by_name = {one.name: one for one in agents}
    return Doers(context, by_name, {one.name: one for one in tools}, instructions, profile)


def taken_by(tool: Tool, given: Mapping[str, Json]) -> Json:
    """What a tool takes of `given`; the first of it where it wants one thing that has another name."""
    parameters: Mapping[str, Any] = tool.parameters
    known: Mapping[str, Any] = parameters.get("properties", {})
    taken: dict[str, Json] = {name: value for name, value in given.items() if name in known}
    return taken if taken or not known else next(iter(given.values()))


def json_in(text: str) -> Json:
    """Read a text as JSON; None where it is something else."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None
