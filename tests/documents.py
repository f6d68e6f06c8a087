"""Flows as they stand in their files: `document("Name", {"a": "llm.chat"}, "a.reply -> out.value")`."""

from collections.abc import Mapping


def document(name: str, nodes: Mapping[str, object], *wires: str, **more: object) -> dict[str, object]:
    """Write a flow as its file has it; a node that has nothing set is its kind alone."""
    written = {node: {"kind": one} if isinstance(one, str) else one for node, one in nodes.items()}
    head = {"format": "stepwire.flow", "version": 1, "name": name}
    return {**head, "nodes": written, "wires": list(wires), **more}
