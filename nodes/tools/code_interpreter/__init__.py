r"""Code interpreter: python for an agent: calls tools as functions and keeps variables.

The agent writes code; it is told what the code printed, what its last line is, and what went wrong, with the
line. What the code assigned, and the functions and classes that it defined, are there at the next call, of
this agent or of another to whom the same interpreter is lent. What is lent at *Tools* are functions in the
code: `search(query="owl")` gives what the tool answers, JSON as what it says; what a tool says no to is
raised. Each such call is a step of its own inside the call of the interpreter.

The code runs in a fresh box each time: Python compiled to WebAssembly, with the pure part of the standard
library, and without files, network or processes. It is run once more from its start for each tool that it
calls, with what the tools before answered, so what it prints is told once, and what it computes is computed
again. The session is kept as a memory is, by the *Name*, and can be looked at where memories are.

```json
{
  "settings": {"name": "notebook"},
  "lent": {"tools": [{"name": "count", "argument": "what", "answers": "3"}]},
  "calls": [
    {"tool": "run_python", "arguments": {"code": "owls = count('owls')\nprint(owls, 'owls')"}},
    {"tool": "run_python", "arguments": {"code": "owls * 2"}}
  ],
  "outputs": {"tool": ["3 owls", 6]}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator

from nodes.tools.code_interpreter.interpreter import Interpreter, as_functions
from studio.building_blocks.agents.tool_parameters import parameters
from studio.building_blocks.settings.code import CodeMemory, CodeSeconds
from studio.sdk import (
    Context,
    Effect,
    In,
    MemoryPlace,
    Setting,
    Tool,
    Yields,
    binding,
    lendable_name,
    strongest,
)


@binding(
    "tools.code_interpreter",
    title="Code interpreter",
    effect=Effect.PURE,
    keeps_items=True,
    accesses={"code": ""},
    keywords=("python", "code", "codeact", "notebook", "session", "repl", "execute", "jupyter"),
)
async def code_interpreter(
    context: Context,
    tools: Annotated[Sequence[Tool], In("Tools that the code can call as functions")] = (),
    *,
    tool_name: Annotated[
        str, Setting("Tool name", help="Tool name, as agents see it"), AfterValidator(lendable_name)
    ] = "run_python",
    description: Annotated[str, Setting("Description", editor="text", help="Tool description for agents")] = (
        "Run Python, and see what it prints and what its last line is. What it assigns stays."
    ),
    name: Annotated[
        str, Setting("Name", help="Nodes with the same name share one session; empty: its own")
    ] = "",
    calls: Annotated[int, Setting("Max. tool calls", minimum=0, maximum=200, help="Per execution")] = 20,
    answer: Annotated[
        int, Setting("Max. result characters", minimum=200, maximum=100_000, help="The middle is cut")
    ] = 8000,
    seconds: CodeSeconds = 10,
    memory: CodeMemory = 256,
) -> Yields[Tool]:
    """Lend the interpreter."""
    place = MemoryPlace(name or context.node, "tools.code_interpreter")
    session = Interpreter(context, place, tools, calls, answer, seconds, memory)

    async def run(arguments: Mapping[str, object]) -> str:
        """Run the code in the session."""
        return await session.run(str(arguments["code"]))

    taken = parameters({"code": {"type": "string", "description": "Python code"}})
    effect = strongest(*(tool.effect for tool in tools))
    yield Tool(tool_name, f"{description}{as_functions(tools)}", taken, run, effect, runs_steps=True)
