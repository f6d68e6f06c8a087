"""What is wrong with a flow where one looks at single nodes and wires, and then with its regions."""

from collections import Counter

from studio.flow.records import Flow
from tests.reference.conversions import INPUTS, fits, input_type, needed, output_type
from tests.reference.document import Document, read
from tests.reference.regions import find


def faults_of(flow: Flow) -> set[str]:
    """Why the page refuses a flow; empty for one that runs."""
    found = {"unknown kind" for node in flow.nodes.values() if node.kind not in INPUTS}
    ends = {socket.node for wire in flow.wires for socket in (wire.source, wire.target)}
    if not ends <= set(flow.nodes):
        found.add("missing node")
    if found:
        return found
    document = read(flow)
    return _of_nodes(document) | _of_wires(document) or find(document).faults


def _of_nodes(document: Document) -> set[str]:
    found: set[str] = set()
    for name, node in document.flow.nodes.items():
        if node.settings.get("max_rounds") == 0:
            found.add("settings")
        fed = {*node.inputs, *(one.target.port for one in document.flow.wires if one.target.node == name)}
        if not set(needed(node)) <= fed:
            found.add("missing input")
    return found


def _of_wires(document: Document) -> set[str]:
    found: set[str] = set()
    for wire in document.flow.wires:
        leaves = output_type(document, str(wire.source.node), str(wire.source.port))
        arrives = input_type(document, str(wire.target.node), str(wire.target.port))
        if leaves is None or arrives is None:
            found.add("missing port")
        elif not fits(leaves, arrives):
            found.add("types")
    for target, wires in Counter(wire.target for wire in document.flow.wires).items():
        declared = INPUTS[document.kind(str(target.node))].get(str(target.port), "*")
        places = [one.index for one in document.flow.wires if one.target == target]
        if wires > 1 and not declared.endswith("*"):
            found.add("two wires")
        if wires > 1 and target.port != "after" and len(set(places)) < wires:
            found.add("equal places")
    return found
