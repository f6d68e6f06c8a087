r"""Result filter: look at what tools give before an agent reads it, and change, shorten or refuse it.

The tools that are wired to it are lent on under their names. What one gives goes through the *Flow* first,
which is given what it takes of `result`, `tool` (its name), `arguments` and `is_error`. What leaves it at
`result`, or at its only output, is what the agent reads. Where something leaves at `refuse`, the agent reads
that the result was refused, and why: so a *Guard* in the flow blocks what it finds, and a *Chat* sums up what
is long. Errors of tools go through it as well.

With *Only from* the flow is asked about long results alone. What is longer than *Max. characters* at last is
cut, and the agent is told how much is missing. A flow that fails lets nothing pass: the agent is told that
the result could not be checked, or the step fails.

Each call has the tool's own as a step inside, with what it gave, and the steps of the flow behind it.

```json
{
  "lent": {"tools": [
    {"name": "read_log", "argument": "month", "answers": "3 May: a dunnock sang. 4 May: rain."}
  ]},
  "settings": {"longest": 22},
  "calls": [{"tool": "read_log", "arguments": {"month": "May"}}],
  "outputs": {"tool": ["3 May: a dunnock sang.\n(13 more characters were left out.)"]}
}
```
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from studio.building_blocks.settings.tools import CallDepth, CalledFlow
from studio.sdk import (
    Context,
    Effect,
    In,
    Json,
    LentFlow,
    Setting,
    StepError,
    Tool,
    ToolCall,
    ToolError,
    Yields,
    binding,
    strongest,
)

UNCHECKED = "The result of `{tool}` could not be checked, and is withheld: {why}"


@binding(
    "tools.result_filter",
    title="Result filter",
    effect=Effect.PAID_READ,
    keywords=("hook", "middleware", "guardrail", "sanitize", "redact", "shorten", "summarize", "truncate"),
)
async def result_filter(
    context: Context,
    tools: Annotated[Sequence[Tool], In("The tools whose results are filtered")] = (),
    *,
    flow: CalledFlow = "",
    only: Annotated[
        tuple[str, ...], Setting("Only these tools", editor="list", help="One name per line; empty: all")
    ] = (),
    from_length: Annotated[
        int, Setting("Only from", minimum=0, help="The flow is given results of so many characters or more")
    ] = 0,
    longest: Annotated[int, Setting("Max. characters", minimum=0, help="0: nothing is cut")] = 0,
    on_failure: Annotated[
        Literal["withhold", "fail"],
        Setting("If the flow fails", help="Withhold the result and tell the agent, or fail the step"),
    ] = "withhold",
    max_depth: CallDepth = 8,
) -> Yields[Sequence[Tool]]:
    """Lend the tools on, with what they give filtered."""
    unknown = [name for name in only if name not in {tool.name for tool in tools}]
    if unknown:
        known = ", ".join(f"`{tool.name}`" for tool in tools) or "none"
        raise StepError(f"There is no tool `{unknown[0]}` to filter; attached: {known}.")
    lent = context.flow(flow, max_depth=max_depth) if flow else None
    if lent is not None and "result" not in taken_by(lent):
        raise StepError(f"`{flow}` has no input `result` for what a tool gives.")
    kept = Filter(context, lent, from_length, longest, fails=on_failure == "fail")
    yield [kept.around(tool) if not only or tool.name in only else tool for tool in tools]


@dataclass(frozen=True, slots=True)
class Filter:
    """What every result goes through: a flow, where it is long enough, and a cut."""

    context: Context
    flow: LentFlow | None
    from_length: int
    longest: int
    fails: bool

    def around(self, tool: Tool) -> Tool:
        """The tool with what it gives filtered; it can be tried in no copies, which nothing would filter."""

        async def run(arguments: Mapping[str, object]) -> str:
            """Call the tool as a step of its own, and filter what it gives, or what it says no with."""
            call = ToolCall("", tool.name, json.dumps(dict(arguments), ensure_ascii=False))
            try:
                text, is_error = await self.context.call(tool, call, raises=True), False
            except ToolError as error:
                text, is_error = str(error), True
            passed = self.cut(await self.passed(tool.name, arguments, text, is_error=is_error))
            if is_error:
                raise ToolError(passed)
            return passed

        effect = strongest(tool.effect, self.flow.effect if self.flow else Effect.PURE)
        return replace(tool, run=run, effect=effect, runs_steps=True, of=None, copies=None)

    async def passed(self, tool: str, arguments: Mapping[str, object], text: str, *, is_error: bool) -> str:
        """What the flow makes of a text; raises `ToolError` where it refuses that, or fails."""
        if self.flow is None or len(text) < self.from_length:
            return text
        known = {"result": text, "tool": tool, "arguments": dict(arguments), "is_error": is_error}
        given = {name: one for name, one in known.items() if name in taken_by(self.flow)}
        try:
            outputs = await self.flow.call(given)
            if "refuse" not in outputs:
                return in_words(left_by(outputs))
        except (StepError, ToolError) as error:
            sort = StepError if self.fails else ToolError
            raise sort(UNCHECKED.format(tool=tool, why=error.message)) from error
        raise ToolError(f"The result of `{tool}` was refused: {in_words(outputs['refuse'])}")

    def cut(self, text: str) -> str:
        """The beginning of a text that is too long, and how much is missing."""
        missing = len(text) - self.longest
        if not self.longest or missing <= 0:
            return text
        return f"{text[: self.longest]}\n({missing:,} more characters were left out.)"


def taken_by(flow: LentFlow) -> Mapping[str, Any]:
    """The inputs of a flow, by name."""
    parameters: Mapping[str, Any] = flow.parameters
    return parameters["properties"]


def left_by(outputs: Mapping[str, Json]) -> Json:
    """What a flow lets pass; raises `StepError` where that is nothing, or several things without a name."""
    if "result" not in outputs and len(outputs) != 1:
        raise StepError("its flow gave neither `result` nor `refuse`.")
    return outputs.get("result", next(iter(outputs.values())))


def in_words(value: Json) -> str:
    """A text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
