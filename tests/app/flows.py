"""Flows as their files say them, built from the real node types."""

from collections.abc import Mapping

SCRIPT = """
rules:
  - name: whatever is asked
    reply: "You asked: {{ last }}"
"""

SLOW_SCRIPT = """
rules:
  - name: slow
    reply: never
    delay: 60
"""


def chain(
    *, kind: str = "llm.chat", default: object = None, settings: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Describe a flow of three nodes: a question, what is done with it, and an answer."""
    asked = {"default": default} if default is not None else {}
    return {
        "format": "stepwire.flow",
        "version": 1,
        "name": "Ask once",
        "nodes": {
            "question": {"kind": "io.flow_input", "title": "Question", "settings": asked},
            "writer": {"kind": kind, "title": "Writer", "settings": dict(settings or {})},
            "answer": {"kind": "io.flow_output", "title": "Answer"},
        },
        "wires": ["question.value -> writer.prompt", "writer.reply -> answer.value"],
    }
