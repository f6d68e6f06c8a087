"""What a script does otherwise than its flow: nodes that are missing, new, moved or renamed."""

from collections.abc import Iterator, Sequence
from typing import Final

from studio.app.scripts.edits.edits import Remark
from studio.app.scripts.edits.node_values import PLAIN, Sight
from studio.app.scripts.edits.script import FlowFunction, NodeCall
from studio.ids import NodeId

SAID_IN_PYTHON: Final = frozenset(
    {
        "io.flow_input",
        "io.flow_output",
        "control.branch",
        "control.merge",
        "control.catch",
        "control.race",
        "control.collect",
    }
)
"""What Python says without naming a node."""


def structure_remarks(function: FlowFunction, sight: Sight) -> list[Remark]:
    """Say how the calls of a function stand otherwise than the nodes of its flow."""
    found = [Remark(one.words, one.line, sight.called) for one in function.untold]
    calls = {one.node: one for one in function.calls}
    missing = [name for name in sight.flow.nodes if name not in calls and _is_expected(name, sight)]
    extra = [one for one in calls.values() if one.node not in sight.flow.nodes and one.said != "collected"]
    renamed = _renamed(missing, extra, sight)
    for name, call in renamed.items():
        words = f"“{sight.title(name)}” (`{name}`) is called `{call.node}` in the script."
        found.append(sight.remark(name, words, call.line))
    for name in missing:
        if name not in renamed:
            words = f"“{sight.title(name)}” is not in the script."
            found.append(sight.remark(name, words, function.line))
    found += [
        Remark(f"The step `{one.node}` is not in the flow.", one.line, sight.called)
        for one in extra
        if one not in renamed.values()
    ]
    for one in function.calls:
        found += _misplaced(one, sight)
    return found


def _misplaced(call: NodeCall, sight: Sight) -> Iterator[Remark]:
    """Say where a call is of another kind than its node, or stands elsewhere."""
    node = sight.flow.nodes.get(call.node)
    if node is None:
        return
    title = sight.title(call.node)
    if node.kind != call.kind:
        words = f"“{title}” is a `{node.kind}` in the flow, and a `{call.kind}` in the script."
        yield sight.remark(call.node, words, call.line)
        return
    type_ = sight.registry.get(node.kind)
    around = _around(call.node, sight)
    if call.said != "drawn" and type_ is not None and type_.form != "binding" and around != call.scope:
        places = _where(call.scope, sight), _where(around, sight)
        words = f"“{title}” is {places[0]} in the script, and {places[1]} in the flow."
        yield sight.remark(call.node, words, call.line)


def _around(node: NodeId, sight: Sight) -> tuple[NodeId, ...]:
    """The loops and maps that a node of the flow stands in, outer ones first."""
    region, found = sight.tree.of(node), list[NodeId]()
    while region is not None and region.owner is not None:
        found.insert(0, region.owner)
        region = region.parent
    return tuple(found)


def _where(scope: Sequence[NodeId], sight: Sight) -> str:
    names = [f"“{sight.title(one)}”" for one in reversed(scope)]
    return f"in {' in '.join(names)}" if names else "in no loop or map"


def _is_expected(name: NodeId, sight: Sight) -> bool:
    node = sight.flow.nodes[name]
    is_said_so = node.kind in SAID_IN_PYTHON or node.kind.startswith(PLAIN)
    return not is_said_so and not node.run.state and node.kind in sight.registry


def _renamed(missing: Sequence[NodeId], extra: Sequence[NodeCall], sight: Sight) -> dict[NodeId, NodeCall]:
    """Nodes that a script has under another name: the only one of its kind that is gone, and that came."""
    found: dict[NodeId, NodeCall] = {}
    for name in missing:
        kind = sight.flow.nodes[name].kind
        came = [one for one in extra if one.kind == kind]
        gone = [one for one in missing if sight.flow.nodes[one].kind == kind]
        if len(came) == len(gone) == 1:
            found[name] = came[0]
    return found
