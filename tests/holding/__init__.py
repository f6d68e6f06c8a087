"""The studio with one more kind of node, `test.hold`, which lets nothing else in its process go on."""

from pathlib import Path

import nodes
from tests.documents import document

LET_GO = "STEPWIRE_TEST_LET_GO"
"""Where this is in the environment, the node gives its value on at once."""

HELD = "STEPWIRE_TEST_HELD"
"""Names a folder that the node makes before it holds."""

HOLDING = "now it holds"
"""What the node says on standard error before it does."""


def add_kind() -> None:
    """Have the catalogue of this process find it."""
    nodes.__path__.append(str(Path(__file__).parent / "kinds"))


def holding(way: str) -> dict[str, object]:
    """Describe a flow that asks a chat, and then holds its process."""
    return document(
        "Holding",
        {
            "question": {"kind": "io.flow_input", "settings": {"default": "Why?"}},
            "writer": "llm.chat",
            "hold": {"kind": "test.hold", "settings": {"way": way}},
            "answer": "io.flow_output",
        },
        "question.value -> writer.prompt",
        "writer.reply -> hold.value",
        "hold.value -> answer.value",
    )
