"""The node types that are installed, by kind; what the document asks of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from studio.errors import SettingsError, UnknownKindError
from studio.flow.ports import Signature
from studio.flow.records import Node
from studio.sdk.node import NodeType

CACHE_SIZE = 50_000


class Registry:
    """Node types by kind. Implements `studio.flow.records.Library`."""

    def __init__(self, types: Iterable[NodeType]) -> None:
        self._types: dict[str, NodeType] = {}
        self._signatures: dict[int, tuple[Node, Signature | None]] = {}
        for one in types:
            if one.kind in self._types:
                reason = f"two node types are called `{one.kind}`"
                raise ValueError(reason)
            self._types[one.kind] = one

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
            raise UnknownKindError(message, hint="Install the package that brings it, or replace the node.")
        return found

    def signature(self, node: Node) -> Signature | None:
        """The ports of `node`; None when its kind is not installed or its settings do not fit."""
        cached = self._signatures.get(id(node))
        if cached is not None and cached[0] is node:
            return cached[1]
        found = self._types.get(node.kind)
        try:
            made = found.signature(node.settings) if found is not None else None
        except SettingsError:
            made = None
        if len(self._signatures) > CACHE_SIZE:
            self._signatures.clear()
        self._signatures[id(node)] = (node, made)
        return made

    def problems(self, node: Node) -> Sequence[str]:
        """What is wrong with the settings of `node`, one sentence each; unknown kinds have none."""
        found = self._types.get(node.kind)
        if found is None:
            return ()
        try:
            found.complete_settings(node.settings)
            found.signature(node.settings)
        except SettingsError as error:
            return error.details
        return ()

    def settings(self, node: Node) -> Mapping[str, Any]:
        """The validated settings of `node`, defaults filled in; raises `SettingsError`."""
        return self.require(node.kind).complete_settings(node.settings)
