"""The node types that are installed, by kind; what the document asks of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from studio.errors import SettingsError, UnknownKindError, UsageError
from studio.flow.ports import Signature, Structure
from studio.flow.records import Flow, FlowLookup, Node
from studio.flow.subflows.calls import GivenFlows, call_signature, unusable_port
from studio.sdk.node import NodeType

NODES_KEPT = 200_000
"""Of how many nodes ports and settings are kept; each pass over a flow of more makes all of them anew."""

CALLS_KEPT = 1_000
"""Of how many called flows the ports are kept."""

BOUND_KEPT = 16
"""How many registries with the flows of runs are kept."""


class Registry:
    """Node types by kind. Implements `studio.flow.records.CallingLibrary`.

    `flows` are the flows that nodes may call: none, until it is bound to a project. Types that are given by
    kind are asked for one by one, as nodes use them; only who goes through the registry asks for all.
    """

    def __init__(
        self, types: Iterable[NodeType] | Mapping[str, NodeType], flows: FlowLookup | None = None
    ) -> None:
        self.flows: FlowLookup = flows or GivenFlows()
        is_by_kind = isinstance(types, Mapping)
        self._types = cast("Mapping[str, NodeType]", types) if is_by_kind else _by_kind(types)
        self._signatures: dict[int, tuple[Node, Signature | None]] = {}
        self._settings: dict[int, tuple[Node, Mapping[str, Any]]] = {}
        self._calls: dict[int, tuple[Flow, Signature]] = {}
        self._naming: dict[str, str] = {}
        self._bound: list[Registry] = []
        """The same types with the flows of runs, those used last at the end."""

    def with_flows(self, flows: FlowLookup) -> "Registry":
        """The same node types, bound to the flows of a project or a run.

        Runs that were given the very same flows share the registry, and with it their plans.
        """
        bound = self._bound
        for place, one in enumerate(bound):
            if _are_same(one.flows, flows):
                bound.append(bound.pop(place))
                return one
        made = Registry(self._types, flows)
        if isinstance(flows, GivenFlows):
            made._bound = bound
            bound.append(made)
            del bound[:-BOUND_KEPT]
        return made

    def __iter__(self) -> Iterator[NodeType]:
        return iter(self._types.values())

    def __contains__(self, kind: object) -> bool:
        return kind in self._types

    def get(self, kind: str) -> NodeType | None:
        """The node type called `kind`, or None when it is not installed."""
        return self._types.get(kind)

    def require(self, kind: str) -> NodeType:
        """The node type called `kind`; raises `UnknownKindError`."""
        found = self._types.get(kind)
        if found is None:
            message = f"There is no node type `{kind}`."
            raise UnknownKindError(message, hint="Install the package that provides it, or replace the node.")
        return found

    def signature(self, node: Node) -> Signature | None:
        """The ports of `node`; None when its kind is not installed or its settings do not fit."""
        cached = self._signatures.get(id(node))
        if cached is not None and cached[0] is node:
            return cached[1]
        found = self._types.get(node.kind)
        if found is not None and found.structure is Structure.SUBFLOW:
            return self._call(node)  # it changes with the flow that is called
        try:
            made = found.signature(node.settings) if found is not None else None
        except SettingsError:
            made = None
        if len(self._signatures) > NODES_KEPT:
            self._signatures.clear()
        self._signatures[id(node)] = (node, made)
        return made

    def called_name(self, node: Node) -> str:
        """The flow that `node` calls, by name; empty for nodes that call none."""
        setting = self.call_setting(node)
        name = node.settings.get(setting) if setting else None
        return name if isinstance(name, str) else ""

    def call_setting(self, node: Node) -> str:
        """The setting by which `node` names the flow that it calls; empty for kinds that call none."""
        known = self._naming.get(node.kind)
        if known is None:
            found = self._types.get(node.kind)
            if found is None:
                return ""
            known = next((spec.name for spec in found.settings if spec.editor == "flow"), "")
            self._naming[node.kind] = known
        return known

    def call_fault(self, node: Node) -> str:
        """Why the flow that `node` calls cannot be called, in one sentence; empty where it can."""
        if not self.call_setting(node):
            return ""
        name = self.called_name(node)
        try:
            called = self.flows.flow(name)
        except UsageError as error:
            return error.message
        if self._types[node.kind].structure is not Structure.SUBFLOW:
            return ""  # whoever lends it has no ports of its
        port = unusable_port(self._signature_of(called))
        return f"`{name}` has an input or output `{port}`, and no port can be called that." if port else ""

    def problems(self, node: Node) -> Sequence[str]:
        """What is wrong with `node`, its settings above all, one sentence each; unknown kinds have none."""
        found = self._types.get(node.kind)
        if found is None:
            return ()
        if found.unavailable:
            return (found.unavailable,)
        try:
            self.settings(node)
            found.signature(node.settings)
        except SettingsError as error:
            return error.details
        fault = self.call_fault(node)
        return (f"`{_label(found, self.call_setting(node))}`: {fault}",) if fault else ()

    def settings(self, node: Node) -> Mapping[str, Any]:
        """The validated settings of `node`, defaults filled in; raises `SettingsError`."""
        cached = self._settings.get(id(node))
        if cached is not None and cached[0] is node:
            return cached[1]
        made = MappingProxyType(self.require(node.kind).complete_settings(node.settings))
        if len(self._settings) > NODES_KEPT:
            self._settings.clear()
        self._settings[id(node)] = (node, made)
        return made

    def _call(self, node: Node) -> Signature | None:
        try:
            self.settings(node)
            made = self._signature_of(self.flows.flow(self.called_name(node)))
        except (SettingsError, UsageError):
            return None
        return None if unusable_port(made) else made

    def _signature_of(self, called: Flow) -> Signature:
        known = self._calls.get(id(called))
        if known is not None and known[0] is called:
            return known[1]
        if len(self._calls) > CALLS_KEPT:
            self._calls.clear()
        made = call_signature(called, self)
        self._calls[id(called)] = called, made
        return made


def _by_kind(types: Iterable[NodeType]) -> Mapping[str, NodeType]:
    found: dict[str, NodeType] = {}
    for one in types:
        if one.kind in found:
            reason = f"two node types are called `{one.kind}`"
            raise ValueError(reason)
        found[one.kind] = one
    return found


def _are_same(known: FlowLookup, flows: FlowLookup) -> bool:
    if not (isinstance(known, GivenFlows) and isinstance(flows, GivenFlows)):
        return False
    one, other = known.known, flows.known
    return one.keys() == other.keys() and all(one[name] is flow for name, flow in other.items())


def _label(found: NodeType, setting: str) -> str:
    return next(spec.label for spec in found.settings if spec.name == setting)
