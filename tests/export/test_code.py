"""Code of a flow runs in a script as it does in a run: in the box, within its limits."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from tests.export.equality import Row, both
from tests.nodes.plan.mazes import in_a_maze
from tests.runtime.bench import flow_of

CODE = """
from dataclasses import dataclass

@dataclass
class Seen:
    bird: str
    letters: int

def main(text: str) -> Seen:
    print("at", text)
    if text == "dodo":
        raise ValueError("none left")
    return Seen(text, len(text))
"""
OUT = "io.flow_output"
COUNT = "count = 0\ndef main(by: int) -> int:\n global count\n count += by\n return count"
SCORE = "def score(value, wanted):\n    return {'score': len(value) / 8, 'reason': wanted}"
CALLED = flow_of(
    {
        "word": ("io.flow_input", {"default": "owl"}),
        "code": ("control.python", {"code": CODE}),
        "bird": OUT,
        "letters": OUT,
    },
    ["word.value -> code.text", "code.bird -> bird.value", "code.letters -> letters.value"],
)


def alone(code: str, **settings: Any) -> Flow:
    """Code that is given nothing."""
    nodes = {"code": ("control.python", {"code": code, **settings}), "out": OUT}
    return flow_of(nodes, ["code.result -> out.value"])


ROWS = {
    "what it gives": Row(CALLED),
    "what it fails with": Row(CALLED, {"word": "dodo"}),
    "a function that is lent": Row(
        flow_of(
            {
                "call": ("control.call_tool", {}, {"arguments": {"number": 2}}),
                "double": "tools.python_function",
                "out": OUT,
            },
            ["double.tool -> call.tool[0]", "call.json -> out.value"],
        )
    ),
    "a session": Row(
        flow_of(
            {
                "start": ("value.json", {"value": 2}),
                "rounds": ("control.loop", {"max_rounds": 4}),
                "code": ("control.python", {"code": COUNT, "session": "tally"}),
                "out": OUT,
            },
            [
                "start.value -> rounds.start",
                "rounds.value -> code.by",
                "code.result -> rounds.again",
                "rounds.history -> out.value",
            ],
        )
    ),
    "a score": Row(
        flow_of(
            {
                "check": (
                    "check.score",
                    {"by": "Python", "code": SCORE, "enough": 0.4},
                    {"value": "wren", "wanted": "w"},
                ),
                "out": OUT,
            },
            ["check.score -> out.value"],
        )
    ),
    "a search in copies of an environment": Row(in_a_maze("all actions")),
    "what it sees of the machine": Row(
        alone("import os\ndef main():\n return [os.environ.get('HOME'), os.listdir('.')]")
    ),
    "a limit of memory": Row(alone("def main():\n return len(bytearray(2**31))", memory=64)),
    "an error": Row(alone("def main():\n return 1 / 0")),
    "what is no JSON": Row(alone("def main():\n return object()")),
}


@pytest.mark.box
@pytest.mark.parametrize("name", ROWS)
def test_code_does_in_a_script_what_it_does_in_a_run(name: str, tmp_path: Path) -> None:
    assert both(ROWS[name], tmp_path, run=asyncio.run, has_box=True).differences() == []
