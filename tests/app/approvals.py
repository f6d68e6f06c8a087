"""A flow that pays for a text and then has a person approve it."""

from collections.abc import Mapping

from tests.documents import document


def approving(*, settings: Mapping[str, object] | None = None) -> dict[str, object]:
    """Describe it: what was approved, and why it was rejected, are its outputs."""
    approve = {"kind": "human.approve", "settings": dict(settings or {}), "inputs": {"question": "Send it?"}}
    return document(
        "Send with care",
        {
            "writer": {"kind": "llm.chat", "inputs": {"prompt": "Why?"}},
            "approve": approve,
            "sent": "io.flow_output",
            "why": "io.flow_output",
        },
        "writer.reply -> approve.value",
        "approve.approved -> sent.value",
        "approve.reason -> why.value",
    )
