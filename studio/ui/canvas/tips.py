"""What the pointer is told about whatever lies under it."""

from studio.flow.ports import Conversion, Refusal
from studio.flow.wiring import conversion_of
from studio.ui.canvas.board import Board, Hit, Target


def tip_for(board: Board, hit: Hit) -> str:
    """A port's name, type and purpose; a node's problem; a wire's ends and what it does to values."""
    if hit.target is Target.PORT and hit.node is not None and hit.spot is not None:
        spot = hit.spot
        head = f"{spot.port}" if spot.is_order else f"{spot.port}: {spot.type}"
        return f"{head}\n{spot.help}" if spot.help and spot.help != spot.port else head
    if hit.node is not None:
        return board.cards.shown.problems.get(hit.node, "")
    if hit.wire is not None:
        happens = conversion_of(board.flow, hit.wire, board.document.library)
        if isinstance(happens, Refusal):
            return f"{hit.wire}\n{happens.reason}"
        return f"{hit.wire}\n{happens}" if happens is not Conversion.NONE else str(hit.wire)
    return ""
