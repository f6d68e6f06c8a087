"""The graph of `graphs.py` as a flow of ours, with a library whose nodes have as many ports."""

from studio.app.documents.history import History
from studio.flow.files.codec import dumps, loads
from studio.flow.records import Flow, Layout, Node, Point, Socket, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.document import KindLook
from tests.bench.canvas.graphs import PORTS, grid
from tests.flow.builders import DictLibrary, PortsOf
from tests.ui.canvas.builders import Document

TYPES = ("text", "json", "text")
CATEGORIES = ("io", "text", "llm", "value")
LOOKS = [KindLook(f"{name}.bench", "Node", name, "Three values to three") for name in CATEGORIES]
PORTS_OF_EACH = PortsOf(
    {f"in_{place}": "any" for place in range(PORTS)},
    {f"out_{place}": TYPES[place] for place in range(PORTS)},
).signature(optional=[f"in_{place}" for place in range(PORTS)])
LIBRARY = DictLibrary({look.kind: PORTS_OF_EACH for look in LOOKS})


def flow_text(count: int) -> str:
    """The flow as its file has it."""
    graph = grid(count)
    nodes = {
        NodeId(f"n{place}"): Node(kind=LOOKS[place % len(LOOKS)].kind, title=f"Node {place}")
        for place in range(count)
    }
    wires = tuple(
        Wire(
            Socket(NodeId(f"n{source}"), PortName(f"out_{out}")),
            Socket(NodeId(f"n{target}"), PortName(f"in_{into}")),
        )
        for source, out, target, into in graph.wires
    )
    places = {NodeId(f"n{place}"): Point(*point) for place, point in enumerate(graph.places)}
    return dumps(Flow(nodes=nodes, wires=wires, layout=Layout(nodes=places)))


def read(text: str) -> Document:
    """The document that a canvas shows of such a file."""
    return Document(History(loads(text).flow), LIBRARY, looks=LOOKS)
