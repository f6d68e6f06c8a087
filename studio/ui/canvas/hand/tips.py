"""What the pointer is told about whatever lies under it."""

from PySide6.QtCore import QCoreApplication

from studio.flow.ports import Conversion, Refusal
from studio.flow.wiring import conversion_of
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.details import Marked, Typed
from studio.ui.canvas.hits import Hit, Target
from studio.ui.canvas.scene.geometry import Spot

translate = QCoreApplication.translate


def tip_for(board: Board, hit: Hit) -> str:
    """A port's name, type and purpose; a node's problem; a wire's ends and what it does to values."""
    if isinstance(hit.detail, Marked):
        told = "\n".join(problem.message for problem in hit.detail.problems[:3])
        return f"{told}\n{translate('canvas', 'Click to see what can be done')}"
    if isinstance(hit.detail, Typed):
        spot = hit.detail.spot
        return f"{_named(spot)}\n{translate('canvas', 'Click to type a value')}"
    if hit.target is Target.PORT and hit.node is not None and hit.spot is not None:
        return _named(hit.spot)
    if hit.node is not None:
        return board.cards.shown.problems.get(hit.node, "")
    if hit.wire is not None:
        happens = conversion_of(board.flow, hit.wire, board.document.library)
        if isinstance(happens, Refusal):
            return f"{hit.wire}\n{happens.reason}"
        return f"{hit.wire}\n{happens}" if happens is not Conversion.NONE else str(hit.wire)
    return ""


def _named(spot: Spot) -> str:
    head = f"{spot.port}" if spot.is_order else f"{spot.port}: {spot.type}"
    return f"{head}\n{spot.help}" if spot.help and spot.help != spot.port else head
