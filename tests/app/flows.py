"""Flows as their files say them, built from the real node types."""

from collections.abc import Mapping

from tests.documents import document

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
    return document(
        "Ask once",
        {
            "question": {"kind": "io.flow_input", "title": "Question", "settings": asked},
            "writer": {"kind": kind, "title": "Writer", "settings": dict(settings or {})},
            "answer": {"kind": "io.flow_output", "title": "Answer"},
        },
        "question.value -> writer.prompt",
        "writer.reply -> answer.value",
    )
