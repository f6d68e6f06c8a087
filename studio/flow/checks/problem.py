"""One thing that is wrong with a flow, and what its checks need to know of the flow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from studio.flow.change import Change
from studio.flow.ports import Signature
from studio.flow.records import Flow, Library, Socket, Wire, title_of
from studio.flow.structure.regions import RegionTree
from studio.flow.structure.types import Types
from studio.ids import NodeId, PortName


@dataclass(frozen=True, slots=True)
class Remedy:
    """An edit that would mend a problem, in words for a button."""

    label: str
    change: Change


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that stops a run (`error`), or that is likely a mistake (`warning`)."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    node: NodeId | None = None
    wires: tuple[Wire, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    port: PortName | None = None
    """The input of the node that it is about."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A flow that is being checked, with what is known of it."""

    flow: Flow
    library: Library
    tree: RegionTree
    types: Types
    into: Mapping[Socket, Sequence[Wire]]
    """The wires by where they arrive."""

    @property
    def signatures(self) -> Mapping[NodeId, Signature | None]:
        """The ports of every node; None for kinds that are not installed."""
        return self.tree.graph.signatures

    def title(self, node: NodeId) -> str:
        """The title of a node as people read it."""
        return title_of(self.flow, node)

    def remedy(self, label: str, change: Change) -> Remedy:
        """An edit under the words of its button."""
        return Remedy(label, change.labelled(label))


def error(
    code: str,
    message: str,
    node: NodeId | None,
    wires: Sequence[Wire] = (),
    remedies: Sequence[Remedy] = (),
    port: PortName | None = None,
) -> Problem:
    """Something that stops a run."""
    return Problem(code, "error", message, node, tuple(wires), tuple(remedies), port)


def warning(
    code: str,
    message: str,
    node: NodeId | None,
    wires: Sequence[Wire] = (),
    remedies: Sequence[Remedy] = (),
) -> Problem:
    """Something that is likely a mistake."""
    return Problem(code, "warning", message, node, tuple(wires), tuple(remedies))
