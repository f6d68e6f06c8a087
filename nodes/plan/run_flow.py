r"""Run flow: run a flow that is chosen or generated during the run.

**A name**: what arrives at `flow` names one of the flows that are lent as tools (*Flow as tool*), with
`inputs` by name. So a language model, a table or a bandit may choose which flow goes on. A name that nobody
lends fails the step.

**A flow**: what arrives is the document of a flow, as JSON or its text, such as a language model writes it.
It is checked as flows are that are opened, and then run; its nodes are told as parts of this step, and may be
kept in the canvas. It may call flows of the project that are lent here, ask language models and compute, but
change nothing outside: no files, no network, no commands, no memory that the project keeps. Calls within
calls are bounded.

With *When it cannot run* at *say so*, what is wrong with a flow that is none, fails its check or fails while
it runs leaves at `problem`, for whoever is to mend it, and the other outputs are absent.

```json
{
  "inputs": {"flow": "count_birds", "inputs": {"place": "hedge"}},
  "lent": {
    "tools": [
      {"name": "count_birds", "argument": "place", "answers": "2 wrens"},
      {"name": "call_home", "argument": "text", "answers": "Hello."}
    ]
  },
  "outputs": {"reply": "2 wrens", "outputs": "2 wrens"}
}
```
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.building_blocks.values.json_kinds import is_object
from studio.building_blocks.values.json_texts import read_value
from studio.sdk import (
    Context,
    Effect,
    In,
    Json,
    Out,
    Part,
    Setting,
    StepError,
    Tool,
    ToolCall,
    ToolError,
    node,
)
from studio.sdk.part import PartStatus
from studio.sdk.templates import as_text


@dataclass(frozen=True, slots=True)
class RanFlow:
    """What a flow gave, or why it could not."""

    reply: Annotated[str | None, Out("reply", "Its only output as text, or all outputs as JSON")] = None
    outputs: Annotated[Json, Out("outputs", "Its only output, or all outputs by name")] = None
    problem: Annotated[str | None, Out("problem", "Why it could not run")] = None


@node(
    "plan.run_flow",
    title="Run flow",
    effect=Effect.PAID_READ,
    accesses={"code": "", "network": "", "files": ""},  # what flows may that are made as it runs
    keywords=("dynamic", "generated", "workflow", "self", "meta", "subflow", "choose", "evolve"),
)
async def run_flow(
    context: Context,
    flow: Annotated[Json, In("The name of an attached flow, or the flow itself")],
    inputs: Annotated[dict[str, Json], In("Its inputs, by name")] = {},  # noqa: B006  # read, never written
    tools: Annotated[Sequence[Tool], In("The flows to choose from")] = (),
    *,
    given: Annotated[
        Literal["a name", "a flow"], Setting("What arrives", help="A flow's name, or the flow itself")
    ] = "a name",
    on_failure: Annotated[
        Literal["fail", "say so"], Setting("If it cannot run", help="Fail, or report the reason at “problem”")
    ] = "fail",
    max_depth: Annotated[
        int, Setting("Max. nesting", minimum=1, maximum=64, matters_with="given=a flow")
    ] = 8,
) -> RanFlow:
    """Run the flow that is named, or check and run the one that arrives; raises `StepError`."""
    if given == "a name":
        return await run_named_flow(context, as_text(flow).strip(), inputs, tools, on_failure)
    document = read_value(flow) if isinstance(flow, str) else flow
    if not is_object(document):
        return failed("The value is not a flow: a flow is a JSON object.", on_failure)
    nodes = document.get("nodes")
    told = nodes if is_object(nodes) else {}
    try:
        lent = context.flow(document, max_depth=max_depth)
        tell_nodes(context, document, told, "running")

        async def run(arguments: Mapping[str, object]) -> str:
            """Run the flow, for whoever may edit what it is given."""
            return json.dumps(dict(await lent.call(arguments)), ensure_ascii=False)

        tool = Tool(lent.name, lent.description, lent.parameters, run, lent.effect, runs_steps=True)
        call = ToolCall(lent.name, lent.name, arguments_for(tool, inputs))
        said = read_value(await context.call(tool, call, raises=True))
    except (ToolError, StepError) as error:
        tell_nodes(context, document, told, "failed")
        return failed(str(error), on_failure)
    tell_nodes(context, document, told, "done")
    outputs = next(iter(said.values())) if is_object(said) and len(said) == 1 else said
    return RanFlow(as_text(outputs), outputs)


async def run_named_flow(
    context: Context, name: str, inputs: dict[str, Json], tools: Sequence[Tool], on_failure: str
) -> RanFlow:
    """Run the flow that is lent under a name."""
    found = next((one for one in tools if one.name == name), None)
    if found is None:
        names = ", ".join(f"`{one.name}`" for one in tools) or "nothing"
        return failed(f"No flow `{name}` is attached; attached: {names}.", on_failure)
    try:
        call = ToolCall(name, name, arguments_for(found, inputs))
        text = await context.call(found, call, raises=True)
    except ToolError as error:
        return failed(str(error), on_failure)
    return RanFlow(text, read_value(text))


def failed(problem: str, on_failure: str) -> RanFlow:
    """Say why nothing could run, or raise it as `StepError`."""
    if on_failure == "fail":
        raise StepError(problem)
    return RanFlow(problem=problem)


def tell_nodes(
    context: Context, document: Mapping[str, Json], nodes: Mapping[str, Json], status: PartStatus
) -> None:
    """Tell the nodes of a flow as parts, each after those that are wired to it."""
    wires = document.get("wires")
    ends = [str(one).split(" -> ") for one in wires] if isinstance(wires, list) else []
    pairs = [(one[0].partition(".")[0], one[1].partition(".")[0]) for one in ends if len(one) == 2]
    for name, record in nodes.items():
        if not is_object(record):
            continue
        after = tuple(dict.fromkeys(source for source, target in pairs if target == name and source in nodes))
        settings = record.get("settings")
        kind, title = str(record.get("kind", "")), str(record.get("title") or name)
        context.tell(
            Part(
                name,
                title,
                status,
                after=after,
                kind=kind,
                settings=settings if is_object(settings) else {},
            )
        )
