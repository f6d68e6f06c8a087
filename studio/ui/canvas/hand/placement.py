"""Adding nodes of a kind, on their own, at the loose end of a wire or in the middle of one."""

from collections.abc import Iterator

from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits import splices
from studio.flow.records import Flow, Node, Point, Socket, Wire
from studio.flow.structure.wiring import acceptable
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.geometry import FIRST_ROW, HEADER, WIDTH
from studio.ui.canvas.scene.wires import points_on

APART = 72
"""Scene units between a node and one that is added beside it."""


def add_kind(
    board: Board, kind: str, at: tuple[float, float], end: tuple[Socket, bool] | None
) -> NodeId | None:
    """Add a node of a kind at a scene point and, given a loose wire's fixed end, wire it: one step."""
    look = board.document.describe(kind)
    if look is None:
        board.refused.tell(f"There is no node type `{kind}`.")
        return None
    x, y = at[0] - WIDTH / 2, at[1] - HEADER / 2
    if end is not None:
        x, y = (at[0] if end[1] else at[0] - WIDTH), at[1] - FIRST_ROW
    flow, library = board.flow, board.document.library
    node, change = edits.add_node(flow, kind, look.title, Point(round(x / 8) * 8, round(y / 8) * 8))
    if end is not None:
        grown = change.applied_to(flow)
        fixed, is_output = end
        for other in _ends(board, grown, fixed, is_output=is_output, node=node):
            source, target = (fixed, other) if is_output else (other, fixed)
            try:
                change = change.then(edits.connect(grown, source, target, library))
            except EditRefusedError:
                continue
            break
    board.document.history.do(change)
    return node


def add_on_wire(board: Board, kind: str, wire: Wire) -> NodeId | None:
    """Add a node of a kind in the middle of a wire, which then leads through it: one step."""
    look = board.document.describe(kind)
    if look is None:
        board.refused.tell(f"There is no node type `{kind}`.")
        return None
    flow, library = board.flow, board.document.library
    x, y = board.free_point(*wire_middle(board, wire))
    node, change = edits.add_node(flow, kind, look.title, Point(round(x / 8) * 8, round(y / 8) * 8))
    try:
        inserted = splices.insert_on(change.applied_to(flow), wire, node, library)
    except EditRefusedError as error:
        board.refused.tell(error.message)
        return None
    board.document.history.do(change.then(inserted).labelled(inserted.label))
    return node


def add_beside(board: Board, kind: str, node: NodeId) -> NodeId | None:
    """Add a node of a kind joined with another one: one step.

    It takes what the other gives, from its right; else it gives what the other lacks, from its left, or lends
    it something, from below. Where neither fits, it stands beside it.
    """
    look = board.document.describe(kind)
    if look is None or node not in board.flow.nodes:
        return None
    flow, library, rect = board.flow, board.document.library, board.scene.rect(node)
    name, change = edits.add_node(flow, kind, look.title, Point(0, 0))
    joined, way = None, "after"
    grown = change.applied_to(flow)
    for source, target, found in _joints(board, grown, node, name):
        try:
            joined, way = edits.connect(grown, source, target, library), found
        except EditRefusedError:
            continue
        break
    across = {"after": rect.right + APART, "before": rect.x - APART - WIDTH, "below": rect.x}[way]
    down = rect.bottom + APART if way == "below" else rect.y
    x, y = board.free_point(across + WIDTH / 2, down + HEADER * 2)
    place = Point(round(x / 8) * 8, round(y / 8) * 8)
    change = edits.add_node(flow, kind, look.title, place)[1]
    board.document.history.do(change if joined is None else change.then(joined).labelled(change.label))
    return name


def add_part(board: Board, part: Flow, at: tuple[float, float]) -> frozenset[NodeId]:
    """Put a ready part about a scene point, or below everything where that is not free: one step."""
    across = [place.x for place in part.layout.nodes.values()] or [0]
    down = [place.y for place in part.layout.nodes.values()] or [0]
    wide, high = max(across) - min(across) + WIDTH, max(down) - min(down) + HEADER * 4
    x, y = at[0] - wide / 2, at[1] - high / 2
    around = board.scene.extent(None)
    if around is not None and len(board.scene.rows_in(Rect(x, y, wide, high).grown(APART))):
        x, y = around.x, around.bottom + APART
    nodes, change = edits.paste(board.flow, part, Point(round(x / 8) * 8, round(y / 8) * 8))
    board.document.history.do(change.labelled(f"Add {part.name}"))
    return nodes


def _joints(board: Board, flow: Flow, node: NodeId, fresh: NodeId) -> Iterator[tuple[Socket, Socket, str]]:
    """The wires by which a fresh node could be joined with one that stands, the likeliest first."""
    library = board.document.library
    spots = [spot for spot in board.scene.spots(node) if not spot.is_order]
    wired = board.scene.wired[node][0]
    for spot in spots:
        if spot.is_output and not spot.type.is_binding:
            source = Socket(node, spot.port)
            for target in _ends(board, flow, source, is_output=True, node=fresh):
                yield source, target, "after"
    signature = library.signature(flow.nodes[fresh])
    for output in signature.outputs if signature is not None else ():
        for spot in spots:
            if not spot.is_output and (spot.port not in wired or spot.type.is_binding):
                way = "below" if output.type.is_binding else "before"
                yield Socket(fresh, output.name), Socket(node, spot.port), way


def wire_middle(board: Board, wire: Wire) -> tuple[float, float]:
    """The scene point halfway along a wire."""
    scene = board.scene
    pieces = scene.pieces(scene.wire_row[wire])
    on = points_on(scene.curves[pieces], 16).reshape(-1, 2)
    x, y = on[len(on) // 2].tolist()
    return x, y


def kinds_for_wire(board: Board, wire: Wire) -> frozenset[str]:
    """The kinds through which a wire could lead."""
    into = fitting_kinds(board, wire.source, is_output=True)
    return into & fitting_kinds(board, wire.target, is_output=False)


def fitting_kinds(board: Board, fixed: Socket, *, is_output: bool) -> frozenset[str]:
    """The kinds that have a port at which a wire from `fixed` may end."""
    kinds = [look.kind for look in board.document.kinds()]
    trial = {NodeId(f"trial_{index}"): Node(kind=kind) for index, kind in enumerate(kinds)}
    grown = Change("Try", {node: (None, record) for node, record in trial.items()}).applied_to(board.flow)
    fits = acceptable(grown, fixed, board.document.library, is_output=is_output)
    return frozenset(
        record.kind for node, record in trial.items() if any(not _is_order(one) for one in fits.of(node))
    )


def _ends(board: Board, flow: Flow, fixed: Socket, *, is_output: bool, node: NodeId) -> list[Socket]:
    """The accepting ports of one node, in its own order of ports."""
    found = acceptable(flow, fixed, board.document.library, is_output=is_output).of(node)
    return [socket for socket in found if not _is_order(socket)]


def _is_order(socket: Socket) -> bool:
    return socket.port in {"after", "then"}
