r"""Environment: a stateful world for agents, written as a Python class.

The code defines one public class. Its object is made with what *Made with* says, and each of its public
methods is a tool: agents are told its name, the first line of its docstring, and its parameters with their
types. A method with a parameter `actor` is given the name of the agent that calls it, where that has its turn
in a team or a population; others have to say it. What a method returns is answered, as text or as JSON. Where
the object has attributes `reward` or `done`, these are answered too, as `{"result": …, "reward": …, "done":
…}`. What it raises is told in words, and leaves the world as it was.

The state is what the object assigned to itself, and has to be plain JSON: texts, numbers, flags, lists and
objects. It is kept as a memory is, by the *Name*, so it can be looked at where memories are, and a replay, a
fork or a step inside a For each has it as it was. Order the steps that use one environment by wires. Name
`reset` among the *Actions* to lend what begins it anew, `snapshot` and `restore` to lend what keeps the state
under a name and goes back to it. A *Search* tries actions in copies of the state. Chance by `random` is that
of the run.

The code runs in a fresh box each time: Python compiled to WebAssembly, with the pure part of the standard
library, and without files, network or processes.

```json
{
  "settings": {
    "code": "class Pond:\n frogs = 2\n\n def add(self, n: int):\n  self.frogs += n\n  return self.frogs"
  },
  "calls": [{"tool": "add", "arguments": {"n": 3}}, {"tool": "add", "arguments": {"n": 1}}],
  "outputs": {"tool": [5, 6]}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from nodes.environment.environment.world import RESET, RESTORE, SNAPSHOT, World
from studio.building_blocks.settings.code import CodeMemory, CodeSeconds
from studio.building_blocks.settings.memories import KeptFor
from studio.building_blocks.settings.tools import ToolPrefix
from studio.sdk import (
    Context,
    Effect,
    Json,
    MemoryPlace,
    Setting,
    StepError,
    Tool,
    Yields,
    binding,
    boxed_code,
    classed_code,
    read_class,
)

CODE = '''class World:
    """A room with a lamp."""

    def __init__(self) -> None:
        self.is_lit = False

    def look(self) -> str:
        """See what there is."""
        return "The lamp is lit." if self.is_lit else "It is dark."

    def switch(self) -> str:
        """Turn the lamp on or off."""
        self.is_lit = not self.is_lit
        return self.look()
'''


@binding(
    "environment.environment",
    title="Environment",
    effect=Effect.PURE,
    accesses={"code": ""},
    keeps_items=True,
    keywords=("world", "simulator", "state", "step", "observe", "reward", "gym", "sandbox"),
)
async def environment(
    context: Context,
    *,
    code: Annotated[
        str,
        Setting("Code", editor="code", help="One class whose methods become tools"),
        AfterValidator(boxed_code),
        AfterValidator(classed_code),
    ] = CODE,
    setup: Annotated[
        dict[str, Json], Setting("Constructor arguments", editor="json", help="Arguments by name")
    ] = {},  # noqa: B006  # read, never written
    actions: Annotated[
        tuple[str, ...],
        Setting(
            "Actions",
            editor="list",
            help="Methods to provide; also reset, snapshot, restore; empty: all methods",
        ),
    ] = (),
    name: Annotated[
        str, Setting("Name", help="Nodes with the same name share one world; empty: its own")
    ] = "",
    keep: KeptFor = "run",
    prefix: ToolPrefix = "",
    seconds: CodeSeconds = 10,
    memory: CodeMemory = 256,
) -> Yields[Sequence[Tool]]:
    """Lend what can be done in the world."""
    signature = read_class(code)
    place = MemoryPlace(name or context.node, "environment.environment", keep)
    world = World(context, place, code, signature.name, setup, prefix, seconds, memory)
    lent = {one.name: world.tool(one) for one in signature.methods}
    extras = {RESET: world.reset(), **dict(zip((SNAPSHOT, RESTORE), world.keeping(), strict=True))}
    lent = {**{name: one for name, one in extras.items() if name in actions}, **lent}
    unknown = [one for one in actions if one not in lent]
    if unknown:
        raise StepError(f"`{signature.name}` has no method `{unknown[0]}`; it has {', '.join(lent)}.")
    yield [lent[one] for one in actions or lent]
