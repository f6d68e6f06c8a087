"""A flow that pays for a text and then has a person approve it."""

from collections.abc import Mapping


def approving(*, settings: Mapping[str, object] | None = None) -> dict[str, object]:
    """Describe it: what was approved, and why it was rejected, are its outputs."""
    approve = {"kind": "human.approve", "settings": dict(settings or {}), "inputs": {"question": "Send it?"}}
    return {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Send with care",
        "nodes": {
            "writer": {"kind": "llm.chat", "inputs": {"prompt": "Why?"}},
            "approve": approve,
            "sent": {"kind": "io.flow_output"},
            "why": {"kind": "io.flow_output"},
        },
        "wires": [
            "writer.reply -> approve.value",
            "approve.approved -> sent.value",
            "approve.reason -> why.value",
        ],
    }
