"""What exported scripts have in the place of the studio: a `Context` on `openai`, the terminal and the disk.

This module and its parts are never imported by the studio; they are lifted into scripts as they stand, less
what a script does not use, and as one class, without what it inherits from.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Self, TypeVar

from studio.errors import StepError, ToolError
from studio.export.lifted.code import CodeRunner
from studio.export.lifted.memories import KeptItems, Memories
from studio.export.lifted.models import LanguageModels
from studio.export.lifted.variables import Variables
from studio.llm.client import ToolCall
from studio.sdk.context import Folder
from studio.sdk.items import MemoryPlace
from studio.sdk.prelude.folder import ProjectFolder
from studio.sdk.tool import LentFlow, Tool
from studio.servers.connection import McpServers
from studio.servers.records import Listening, Server, ToolServer
from studio.web.broker import Broker
from studio.web.request import WebAnswer, WebRequest

R = TypeVar("R")


@dataclass
class Context(LanguageModels, CodeRunner):
    """What the steps use besides their arguments: a language model, tools, the terminal, files."""

    root: Path = Path()
    """The folder in which files are read and written."""
    state: Variables = field(default_factory=Variables)
    chance: Random = field(default_factory=Random)
    lent: LentFlow | None = None
    """The flow that a tool runs."""
    memories: Memories = field(default_factory=Memories)
    node: str = ""
    """The node that works, or lends."""

    def step(self, name: str) -> Self:
        """Give a step its context, which is that of all unless somebody wants to know the steps apart."""
        if self.accounts and "." not in name.rpartition("/")[2]:  # only with: accounts
            # An item of a map is none.
            self.admit("steps")
        if name:  # only with: .node
            return replace(self, node=name.rpartition("/")[2])
        return self

    def lender(self, name: str, node: str = "") -> Self:
        """Give its context to what lends something; one in a called flow is another's `node` for memories."""
        if name:  # only with: .node
            return replace(self, node=node or name)
        return self

    def inside(self, name: str) -> Self:
        """Give its context to a flow that a tool runs, inside the call of the tool."""
        del name
        return self

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run a tool; what it says no to is answered in words, or raised, as is whatever goes wrong then."""
        self.say(f"{tool.name} {call.arguments}")
        if self.accounts:  # only with: accounts
            self.admit("calls")
        if self.of_nodes:  # only with: .within
            tool = replace(tool, run=partial(self.paid, tool.run))
        try:
            answer = await self.answered(tool, call)
        except Exception as error:
            if not raises:
                raise
            raise ToolError(getattr(error, "message", "") or f"{type(error).__name__}: {error}") from error
        if raises and answer[1]:  # only with: raises
            raise ToolError(answer[0])
        return answer[0]

    async def answered(self, tool: Tool, call: ToolCall) -> tuple[str, bool]:
        """Run a tool; tells as well whether it said no."""
        try:
            return await tool.run(json.loads(call.arguments)), False
        except ToolError as error:
            return str(error), True

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls, at most `limit` at once, and give their results in the order of `calls`."""
        turns = asyncio.Semaphore(limit)

        async def one(call: Callable[[], Awaitable[R]]) -> R:
            async with turns:
                return await call()

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(call)) for call in calls]
        except BaseExceptionGroup as errors:
            _, others = errors.split(Exception)
            raise (others or errors).exceptions[0] from None
        return [task.result() for task in tasks]

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await asyncio.sleep(seconds)

    def now(self, *, working: bool = False) -> datetime:  # noqa: ARG002  # a script is never held
        """Give the time, with its zone."""
        return datetime.now().astimezone()

    def random(self) -> Random:
        """Give the source of chance."""
        return self.chance

    def memory(self, place: MemoryPlace) -> KeptItems:
        """Give a memory into the hands of a step."""
        self.memories.require(place)
        return KeptItems(self.memories, place)

    def folder(self, path: str = "") -> Folder:
        """Open a folder; nothing outside `root` can be reached."""
        return ProjectFolder(self.root, path)

    def flow(self, flow: str, *, max_depth: int = 8) -> LentFlow:
        """Give the flow that a tool runs."""
        del max_depth
        if self.lent is None:
            raise StepError(f"There is no flow `{flow}` here.")
        return self.lent

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server that lends tools; it is started when it is first asked."""
        listening = Listening(self.progress, self.asked_by_server, self.log)
        return McpServers(self.root).open(server, listening, seconds)

    async def aside(self, work: Callable[[], R]) -> R:
        """Do what takes long on a thread."""
        return await asyncio.to_thread(work)

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request within its reach, and wait for the answer."""
        return await Broker().fetch(request)
