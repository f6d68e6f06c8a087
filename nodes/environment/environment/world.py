"""A world of a class in Python: its object is made anew for each call from the state that was kept.

The state is what the object has assigned to itself, as plain JSON, in the one item of a memory. So a replay,
a fork or a run that goes on has it as it was, and it can be looked at wherever memories can.
"""

import json
from asyncio import Lock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from studio.building_blocks.agents.tool_parameters import parameters
from studio.building_blocks.memories.kept_text import text_kept
from studio.sdk import (
    Context,
    Copies,
    Item,
    Json,
    KeptItems,
    MemoryPlace,
    Method,
    StepError,
    Tool,
    ToolError,
)

CALL = "__world__"
"""The function that the class is used by: with the state, the class, the method, and so on."""

STATE = "state"
"""The id of the item that has the state."""

RESET = "reset"
SNAPSHOT = "snapshot"
RESTORE = "restore"

SOURCE = r"""
def __world__(state, made, method, arguments, setup, seed):
    import json, random

    random.seed(seed)
    made = globals()[made]
    if state is None:
        world = made(**setup)
    else:
        world = made.__new__(made)
        world.__dict__.update(state)
    result = getattr(world, method)(**arguments) if method else None
    told = {"result": result}
    told.update((name, getattr(world, name)) for name in ("reward", "done") if hasattr(world, name))
    left = {}
    for name, value in vars(world).items():
        try:
            left[name] = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise TypeError(f"`self.{name}` cannot be kept: {error}") from None
        if left[name] != value:
            raise TypeError(f"`self.{name}` cannot be kept: use lists, and objects whose keys are texts")
    return {"told": told, "state": left}
"""
"""What is put at the end of the code."""


@dataclass
class World:
    """One world; `setup` is what its class is made with, `prefix` stands before the names of its tools."""

    context: Context
    place: MemoryPlace
    code: str
    made: str
    setup: Mapping[str, Json]
    prefix: str = ""
    seconds: float = 10
    memory: int = 256
    turn: Lock = field(default_factory=Lock)
    """Who acts finds what those before left."""

    def tool(self, method: Method) -> Tool:
        """Lend one of its methods."""

        async def run(arguments: Mapping[str, Any]) -> str:
            """Do it; what the code does not permit is said in its words."""
            return await self.used(method.name, arguments)

        told = method.summary or f"{method.name.replace('_', ' ').capitalize()}."
        name = f"{self.prefix}{method.name}"
        copies = Copies(self.snapshot, partial(self.tried, method.name))
        return Tool(name, told, method.parameters, run, runs_steps=True, caller=method.caller, copies=copies)

    def reset(self) -> Tool:
        """Lend what begins it anew."""

        async def run(_: Mapping[str, object]) -> str:
            """Begin anew."""
            return await self.used("", {}, anew=True)

        told = "Begin anew, as if nothing had been done."
        return Tool(f"{self.prefix}{RESET}", told, parameters({}), run, runs_steps=True)

    def keeping(self) -> list[Tool]:
        """Lend what keeps the state under a name, and what brings it back."""

        async def keep(arguments: Mapping[str, Any]) -> str:
            """Keep it."""
            async with self.turn:
                kept = self.context.memory(self.place)
                text = text_kept(kept, STATE, "the state, to keep it") or "null"
                self._put(kept, f"{SNAPSHOT}/{arguments['name']}", text, SNAPSHOT)
            return f"Kept as `{arguments['name']}`."

        async def bring(arguments: Mapping[str, Any]) -> str:
            """Bring it back."""
            async with self.turn:
                kept = self.context.memory(self.place)
                text = text_kept(kept, f"{SNAPSHOT}/{arguments['name']}", "what was kept, to restore it")
                if not text:
                    raise ToolError(f"There is no snapshot `{arguments['name']}`.")
                self._put(kept, STATE, text, RESTORE)
            return f"All is as it was when `{arguments['name']}` was kept."

        name = parameters({"name": {"type": "string", "description": "Under which name"}})
        told = "Keep all as it is now, so that you can come back to it."
        back = "Go back to what was kept under a name, as if nothing had been done since."
        return [
            Tool(f"{self.prefix}{SNAPSHOT}", told, name, keep, runs_steps=True),
            Tool(f"{self.prefix}{RESTORE}", back, name, bring, runs_steps=True),
        ]

    def snapshot(self, memory: Callable[[MemoryPlace], KeptItems]) -> Json:
        """The state as a step sees it; None where nothing was done yet."""
        text = text_kept(memory(self.place), STATE, "the state, to try things in copies of it")
        return json.loads(text) if text else None

    async def tried(self, method: str, arguments: Mapping[str, Any], state: Json) -> tuple[str, Json]:
        """Call a method in a copy of a state; gives what it answers, and the state that it leaves."""
        gave = await self._gave(method, arguments, state)
        return as_told(gave["told"]), gave["state"]

    async def used(self, method: str, arguments: Mapping[str, Json], *, anew: bool = False) -> str:
        """Call a method on the world as it is, and keep what became of it."""
        asked = f"the state, to {method or RESET}"
        async with self.turn:
            kept = self.context.memory(self.place)
            gave, before, now = None, "", text_kept(kept, STATE, asked)
            while gave is None or now != before:  # another node that lends this world was quicker
                before = now
                gave = await self._gave(
                    method, arguments, json.loads(before) if before and not anew else None
                )
                now = text_kept(kept, STATE, asked)
            after = json.dumps(gave["state"], ensure_ascii=False)
            if after != before:
                self._put(kept, STATE, after, method or RESET)
        return "It begins anew." if not method else as_told(gave["told"])

    async def _gave(self, method: str, arguments: Mapping[str, Json], state: Json) -> Any:
        """What a method of an object with this state gives, and the state then."""
        asked: dict[str, Json] = {
            "state": state,
            "made": self.made,
            "method": method,
            "arguments": dict(arguments),
            "setup": dict(self.setup),
            # What is alike in all runs is chance enough for code that asks for none.
            "seed": self.context.random().getrandbits(32) if "random" in self.code else 0,
        }
        code = f"{self.code}\n\n{SOURCE}"
        try:
            return await self.context.run_code(code, CALL, asked, seconds=self.seconds, memory=self.memory)
        except StepError as error:
            raise ToolError(error.message) from error

    def _put(self, kept: KeptItems, item: str, text: str, by: str) -> None:
        kept.put(Item(item, text, at=self.context.now().isoformat(), by=by))


def as_told(told: Mapping[str, Any]) -> str:
    """What a method gave, a text as it is; with the reward, and whether all is over, where these are said."""
    given = told["result"] if len(told) == 1 else told
    if given is None:
        return "Done."
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
