"""What commands work on: the board, and what the canvas around it can do for them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from studio.flow.records import Wire
from studio.ids import NodeId

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board


class Sight(Protocol):
    """Moves what is seen of the flow."""

    def fit(self, nodes: Iterable[NodeId] | None = None) -> None:
        """Look at all of these nodes, or of the whole flow."""
        ...

    def reveal(self, node: NodeId) -> None:
        """Move just far enough that a node is in view."""
        ...

    def zoom_in(self) -> None:
        """Come nearer, about the middle."""
        ...

    def zoom_out(self) -> None:
        """Go farther away, about the middle."""
        ...


class NodeSearch(Protocol):
    """Searches for a node to add."""

    def search(self, pos: QPoint | None = None) -> None:
        """Search at `pos` (widget points), or at the pointer."""
        ...

    def search_for_wire(self, wire: Wire) -> None:
        """Search for what can stand in a wire."""
        ...

    def search_beside(self, node: NodeId) -> None:
        """Search for what can follow a node."""
        ...

    def dismiss(self) -> None:
        """Close the search, if it is open."""
        ...

    def pointer(self) -> QPoint:
        """Where the pointer is on the canvas; its middle while the pointer is elsewhere."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """One canvas, as commands know it."""

    board: "Board"
    canvas: QWidget
    sight: Sight
    adding: NodeSearch
    tell: Callable[[str], None]
    """Says a sentence to the person: why nothing happened, or what did."""
    toggle_breakpoint: Callable[[Iterable[str]], None]
    """Asks for the next state of the breakpoints of nodes, or of ports as `node.port`."""

    def pointed_at(self) -> tuple[float, float]:
        """The scene point under the pointer; the middle of what is seen while the pointer is elsewhere."""
        at = self.adding.pointer()
        return self.board.camera.to_scene(at.x(), at.y())
