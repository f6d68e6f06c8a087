"""Adding nodes of a kind, on their own or at the loose end of a wire."""

from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import Port
from studio.flow.records import Flow, Node, Point, Socket
from studio.flow.wiring import acceptable
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.geometry import FIRST_ROW, HEADER, WIDTH


def add_kind(
    board: Board, kind: str, at: tuple[float, float], end: tuple[Socket, bool] | None
) -> NodeId | None:
    """Add a node of a kind at a scene point and, given a loose wire's fixed end, wire it: one step."""
    look = board.document.describe(kind)
    if look is None:
        board.refused.tell(f"There is no kind of node called `{kind}`.")
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


def fitting_kinds(board: Board, fixed: Socket, *, is_output: bool) -> frozenset[str]:
    """The kinds that have a port at which a wire from `fixed` may end."""
    kinds = [look.kind for look in board.document.kinds()]
    trial = {NodeId(f"trial_{index}"): Node(kind=kind) for index, kind in enumerate(kinds)}
    grown = Change("Try", {node: (None, record) for node, record in trial.items()}).applied_to(board.flow)
    fits = acceptable(grown, fixed, board.document.library, is_output=is_output)
    return frozenset(
        trial[socket.node].kind for socket in fits if socket.node in trial and not _is_order(socket)
    )


def _ends(board: Board, flow: Flow, fixed: Socket, *, is_output: bool, node: NodeId) -> list[Socket]:
    """The accepting ports of one node, in its own order of ports."""
    library = board.document.library
    fits = acceptable(flow, fixed, library, is_output=is_output)
    signature = library.signature(flow.nodes[node])
    if signature is None:
        return []
    ports: tuple[Port, ...] = signature.inputs if is_output else signature.outputs
    return [socket for port in ports if (socket := Socket(node, port.name)) in fits]


def _is_order(socket: Socket) -> bool:
    return socket.port in {"after", "then"}
