"""What the pointer is told about whatever lies under it."""

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import quoted
from studio.flow.ports import Conversion, Refusal
from studio.flow.structure.wiring import conversion_of
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.details import Marked, Typed
from studio.ui.canvas.cards.words import break_words
from studio.ui.canvas.hits import Hit, Target
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.ghosts import GhostHit

translate = QCoreApplication.translate


def tip_for(board: Board, hit: Hit) -> str:
    """A port's name, type and purpose; a node's problem; a wire's ends and what it does to values."""
    if isinstance(hit.detail, Marked):
        told = "\n".join(quoted(problem.message) for problem in hit.detail.problems[:3])
        return f"{told}\n{translate('canvas', 'Click to see what you can do')}"
    if isinstance(hit.detail, Typed):
        spot = hit.detail.spot
        return f"{_named(spot)}\n{translate('canvas', 'Click to type a value')}"
    if hit.target is Target.PORT and hit.node is not None and hit.spot is not None:
        return _lines(_named(hit.spot), _break_tip(board, f"{hit.node}.{hit.spot.port}"))
    if hit.node is not None:
        return _lines(board.cards.shown.problems.get(hit.node, ""), _break_tip(board, hit.node))
    if hit.ghost is not None:
        return _ghost_tip(board, hit.ghost)
    if hit.wire is not None:
        happens = conversion_of(board.flow, hit.wire, board.document.library)
        if isinstance(happens, Refusal):
            return f"{hit.wire}\n{happens.reason}"
        return f"{hit.wire}\n{happens}" if happens is not Conversion.NONE else str(hit.wire)
    return ""


def _ghost_tip(board: Board, hit: GhostHit) -> str:
    ghost = board.cards.ghosts.ghost(hit)
    if ghost is not None:
        return ghost.tip
    return translate("canvas", "What this node generates as it runs. Click to fold or unfold it")


def _break_tip(board: Board, place: str) -> str:
    """What the breakpoint of a place does; empty where there is none."""
    mark = board.cards.shown.breakpoints.get(place)
    if mark is None:
        return ""
    words = break_words(mark)
    return _lines(words[:1].upper() + words[1:], board.cards.shown.break_tips.get(place, ""))


def _lines(*said: str) -> str:
    return "\n".join(one for one in said if one)


def _named(spot: Spot) -> str:
    head = f"{spot.port}" if spot.is_order else f"{spot.port}: {spot.type}"
    return f"{head}\n{quoted(spot.help)}" if spot.help and spot.help != spot.port else head
