"""Which node lends the agent that has a turn."""

from collections.abc import Mapping

from studio.building_blocks.teams.transcript import team_of
from studio.flow.records import Flow, Wire
from studio.ids import NodeId
from studio.sdk.agent import Agent
from studio.sdk.registry import Registry


def members_of(flow: Flow, registry: Registry, node: NodeId) -> Mapping[str, Wire]:
    """The agents that are lent to a node, by the names that their turns have there, each with its wire."""
    wires: list[Wire] = []
    agents: list[Agent] = []
    for wire in sorted(flow.wires, key=lambda one: (one.target.port, one.index or 0)):
        record = flow.nodes.get(wire.source.node)
        kind = registry.get(record.kind) if record is not None and wire.target.node == node else None
        if record is None or kind is None or all(port.type.base != "agent" for port in kind.outputs):
            continue
        wires.append(wire)
        name = record.settings.get("name") or registry.settings(record).get("name")
        agents.append(Agent(str(name or wire.source.node)))
    return {one.name: wire for one, wire in zip(team_of(agents), wires, strict=True)} if agents else {}
