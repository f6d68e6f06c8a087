"""Which nodes of an edited flow do something else than before, and which only go by another name."""

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Mapping

from studio.flow.edits import rename_node
from studio.flow.records import Flow, Library, Node, Wire
from studio.flow.structure.graph import INTO_BODY, is_binding_wire, read_signatures
from studio.ids import NodeId, StepId


def renamed_nodes(before: Flow, after: Flow) -> dict[NodeId, NodeId]:
    """Find nodes that `after` has under another id: one is gone, an equal one came, wired the same way."""
    gone, came = before.nodes.keys() - after.nodes.keys(), after.nodes.keys() - before.nodes.keys()
    if not gone or not came:
        return {}
    old, new = _by_likeness(before, gone, after), _by_likeness(after, came, before)
    return {
        names[0]: new[likeness][0]
        for likeness, names in old.items()
        if len(names) == len(new.get(likeness, ())) == 1
    }


def under_new_names(flow: Flow, names: Mapping[NodeId, NodeId]) -> Flow:
    """Give the flow with these nodes renamed."""
    for old, new in names.items():
        flow = rename_node(flow, old, new).applied_to(flow)
    return flow


def renamed_step(step: StepId, names: Mapping[NodeId, NodeId]) -> StepId:
    """Give the name of a step in a flow whose nodes have these new names; flows it calls keep theirs."""
    if not names:
        return step
    segments = step.split("/")
    for place, segment in enumerate(segments):
        head = re.split(r"[.#@]", segment, maxsplit=1)[0]
        segments[place] = names.get(NodeId(head), head) + segment[len(head) :]
        if "." not in segment or "#" in segment:
            break
    return StepId("/".join(segments))


def changed_nodes(before: Flow, after: Flow, library: Library) -> dict[NodeId, bool]:
    """Name the nodes of `after` whose work may give something else than in `before`.

    False means that a region has other settings, such as a loop with more rounds: what enters its body is as
    it was, only what leaves it may not be. A node that borrows from a changed one counts as changed.
    """
    old, new = _arriving(before), _arriving(after)
    signatures = read_signatures(after, library)
    changed: dict[NodeId, bool] = {}
    for name, node in after.nodes.items():
        earlier = before.nodes.get(name)
        if earlier is None or earlier.kind != node.kind or old.get(name) != new.get(name):
            changed[name] = True
        elif _record(earlier) != _record(node):
            signature = signatures.get(name)
            is_region = signature is not None and signature.structure in INTO_BODY
            changed[name] = not is_region or _state(earlier) != _state(node)
    lending = [wire for wire in after.wires if is_binding_wire(wire, signatures)]
    waiting = list(changed)
    while waiting:
        lender = waiting.pop()
        for wire in lending:
            if wire.source.node == lender and wire.target.node not in changed:
                changed[wire.target.node] = True
                waiting.append(wire.target.node)
    return changed


def _record(node: Node) -> str:
    """All of a node that bears on what it gives; not its title, nor how long and how often it is tried."""
    inputs = {str(name): value for name, value in node.inputs.items()}
    parts = [node.kind, node.version, dict(node.settings), inputs, *_state(node)]
    return json.dumps(parts, sort_keys=True)


def _state(node: Node) -> tuple[object, ...]:
    return node.run.state, node.run.on_error, node.run.default


def _arriving(flow: Flow) -> Mapping[NodeId, list[tuple[str, str, str]]]:
    """What is wired to each node, wires into a list in their order."""
    found: dict[NodeId, list[Wire]] = defaultdict(list)
    for wire in flow.wires:
        found[wire.target.node].append(wire)

    def order(wire: Wire) -> tuple[str, int, str, str]:
        index = -1 if wire.index is None else wire.index
        return wire.target.port, index, wire.source.node, wire.source.port

    return {
        node: [(wire.target.port, wire.source.node, wire.source.port) for wire in sorted(wires, key=order)]
        for node, wires in found.items()
    }


def _by_likeness(flow: Flow, names: "set[NodeId]", other: Flow) -> Mapping[Hashable, list[NodeId]]:
    """Group nodes by their record and by their wires to nodes that both flows have."""
    likes: dict[Hashable, list[NodeId]] = defaultdict(list)
    for name in sorted(names):
        wires: set[tuple[str, str, str, bool]] = set()
        for wire in flow.wires:
            for own, far, leaves in ((wire.source, wire.target, True), (wire.target, wire.source, False)):
                if own.node == name and far.node in other.nodes:
                    wires.add((own.port, far.node, far.port, leaves))
        likes[_record(flow.nodes[name]), frozenset(wires)].append(name)
    return likes
