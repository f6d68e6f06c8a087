"""What binding nodes lend: opened at first use, closed when the run ends.

Bindings form no cycles. They live as long as the run, one set for each flow, however often it is called.
Whoever is lent to an agent as a colleague may hand the conversation over to every other, and back, unless it
names to whom; `hand_overs` and `turns` bound it, and all of them work in the step of the agent that the
conversation began with.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Self, TypeAlias

from studio.errors import StepError
from studio.flow.records import Json
from studio.ids import ROOT, NodeId, Scope, StepId, step_id
from studio.runtime.calls.call_place import UNDER_WAY, LendFlow
from studio.runtime.calls.context import StepContext
from studio.runtime.failures import describe
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.resources.keeper import Keeper
from studio.runtime.services import Services
from studio.sdk.agent import Agent
from studio.sdk.memory import Memory
from studio.sdk.tool import LentFlow, Tool
from studio.trace.events import BindingClosed, BindingOpened

LendTo: TypeAlias = Callable[[PlannedNode, str | Mapping[str, Json], int], LentFlow]
"""Gives a node a flow to run in the call of a tool, so many calls deep."""


class Bindings:
    """Opens each binding node of a flow at most once. Use as an async context manager.

    `scope` is where the nodes of a called flow stand; those of the run's own flow stand at the root.
    """

    def __init__(
        self,
        nodes: dict[NodeId, PlannedNode],
        services: Services,
        lend_flow: LendTo,
        scope: Scope = ROOT,
    ) -> None:
        self._nodes = nodes
        self._lend_flow = lend_flow
        self._services = services
        self._scope = scope
        self._open: dict[NodeId, list[object]] = {}
        self._turns: dict[NodeId, asyncio.Lock] = {}
        self._labels: dict[int, Callable[[], frozenset[str]]] = {}
        self._lenders: dict[int, NodeId] = {}
        self._contexts: dict[NodeId, StepContext] = {}
        self._keeper = Keeper()
        self._blamed: tuple[Exception, StepId] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._keeper.close()

    def add(self, node: PlannedNode) -> None:
        """Make known a node that lends something; raises `StepError` for two of one name."""
        if self._nodes.setdefault(node.id, node) is not node:
            message = f"Two things that are lent are called `{node.id}`."
            raise StepError(message, hint="Give each a name of its own.")

    async def lent_to(self, node: PlannedNode) -> dict[str, object]:
        """What is bound to the binding inputs of `node`: a list for each `many` port, else one thing.

        A lender may lend several things as a list.
        """
        many = {str(port.name): port.many for port in node.type.inputs}
        lent: dict[str, object] = {}
        for name, lenders in node.lenders.items():
            things = [thing for lender in lenders for thing in await self._lend(lender)]
            self._require_names(things)
            if many.get(name):
                lent[name] = things
            elif things:
                lent[name] = things[0]
        return lent

    def _require_names(self, things: Sequence[object]) -> None:
        """Raise `StepError` for two tools of one name, which nobody who calls them could tell apart."""
        first: dict[str, Tool] = {}
        for tool in things:
            if isinstance(tool, Tool) and first.setdefault(tool.name, tool) is not tool:
                lenders = {f"`{self.lender_of(one)}`": None for one in (first[tool.name], tool)}
                message = f"Two tools are named `{tool.name}`, from {' and '.join(lenders)}."
                raise StepError(message, hint="Rename one of them, or set a prefix, in its settings.")

    def labels_of(self, thing: object) -> frozenset[str]:
        """The labels of what the binding that lent `thing` has read to be able to lend it."""
        found = self._labels.get(id(thing))
        return frozenset() if found is None else found()

    def lender_of(self, thing: object) -> str:
        """The node that lent `thing`; empty where none did."""
        return self._lenders.get(id(thing), "")

    def blamed(self, error: Exception) -> StepId | None:
        """The binding node, named as a step, that could not be opened for this error; None where none is."""
        return self._blamed[1] if self._blamed is not None and self._blamed[0] is error else None

    def flows_for(self, node: PlannedNode) -> LendFlow:
        """What gives a node flows to run."""
        return partial(self._lend_flow, node)

    async def _lend(self, node: NodeId) -> list[object]:
        async with self._turns.setdefault(node, asyncio.Lock()):
            if node not in self._open:
                try:
                    lent: Any = await self._keeper.open(self._opened(self._nodes[node]))
                except Exception as error:
                    if self.blamed(error) is None:  # or one that lends to it has failed, and is told
                        self._blamed = error, step_id(self._scope, node)
                        self._services.recorder.record(describe(error), self._blamed[1])
                    raise
                if isinstance(lent, Memory):
                    await self._services.memories.open(lent.place)
                self._open[node] = lent if isinstance(lent, list) else [lent]
                for thing in self._open[node]:
                    self._labels[id(thing)] = partial(self._labels_read_by, node)
                    self._lenders[id(thing)] = node
                    if isinstance(thing, Agent) and thing.work is not None:  # by another name it works alike
                        self._lenders[id(thing.work)] = node
            return self._open[node]

    def _labels_read_by(self, node: NodeId) -> frozenset[str]:
        context = self._contexts.get(node)
        read: frozenset[str] = frozenset() if context is None else context.labels
        lent = (
            thing
            for lenders in self._nodes[node].lenders.values()
            for one in lenders
            for thing in self._open.get(one, ())
        )
        return read.union(*(self.labels_of(thing) for thing in lent))

    @asynccontextmanager
    async def _opened(self, node: PlannedNode) -> AsyncGenerator[object]:
        function: Callable[..., Any] | None = node.type.function
        if function is None:
            message = f"`{node.type.kind}` lends nothing"
            raise TypeError(message)
        arguments: dict[str, Any] = {**node.own_settings(), **await self.lent_to(node)}
        if node.type.context_name:
            UNDER_WAY.set(None)  # what it does to open is done for all who call its tools, and no call of one
            context = StepContext(
                self._services,
                node.id,
                self._scope,
                labels_of=self.labels_of,
                lender_of=self.lender_of,
                lend_flow=self.flows_for(node),
            )
            arguments[node.type.context_name] = self._contexts[node.id] = context
        async with asynccontextmanager(function)(**arguments) as thing:
            name = step_id(self._scope, node.id)
            self._services.recorder.record(BindingOpened(name))
            try:
                yield thing
            finally:
                self._services.recorder.record(BindingClosed(name))
