"""Flows with lent tools as scripts: nothing that a linter or type checker would find."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.export.in_process import play
from tests.export.scripts import call, export
from tests.nodes.tools.test_http_request import flow as http_flow
from tests.nodes.tools.test_mcp_server import FLOW as MCP
from tests.nodes.tools.test_sqlite_query import FLOW as SQLITE
from tests.runtime.bench import flow_of, run

FLOWS = {"http": http_flow("127.0.0.1:1"), "sqlite": SQLITE, "mcp": MCP}

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
FLOWS["code"] = flow_of(
    {
        "word": ("io.flow_input", {"default": "owl"}),
        "code": ("control.python", {"code": CODE}),
        "bird": "io.flow_output",
        "letters": "io.flow_output",
    },
    ["word.value -> code.text", "code.bird -> bird.value", "code.letters -> letters.value"],
)
FLOWS["function"] = flow_of(
    {
        "call": ("control.call_tool", {}, {"arguments": {"number": 2}}),
        "double": "tools.python_function",
        "out": "io.flow_output",
    },
    ["double.tool -> call.tool[0]", "call.json -> out.value"],
)


def test_code_is_called_as_it_is_and_what_it_prints_is_no_output(tmp_path: Path) -> None:
    export(FLOWS["code"], tmp_path / "script.py")
    ran = call(tmp_path / "script.py")
    assert ran.outputs == {"bird": "owl", "letters": 3}
    assert "at owl" in ran.err
    failed = call(tmp_path / "script.py", ["--word=dodo"])
    assert "CodeError: ValueError: none left" in failed.err
    export(FLOWS["function"], tmp_path / "function.py")
    assert call(tmp_path / "function.py").outputs == {"out": 4}


FLOWS["session"] = flow_of(
    {
        "start": ("value.json", {"value": 2}),
        "rounds": ("control.loop", {"max_rounds": 4}),
        "code": (
            "control.python",
            {
                "code": "count = 0\ndef main(by: int) -> int:\n global count\n count += by\n return count",
                "session": "tally",
            },
        ),
        "out": "io.flow_output",
    },
    [
        "start.value -> rounds.start",
        "rounds.value -> code.by",
        "code.result -> rounds.again",
        "rounds.history -> out.value",
    ],
)


def test_a_session_goes_on_in_a_script(tmp_path: Path) -> None:
    export(FLOWS["session"], tmp_path / "script.py")
    assert call(tmp_path / "script.py").outputs == {"out": [2, 4, 8, 16]}


def test_the_code_of_a_script_runs_apart_from_it_within_its_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWIRE_TEST_SECRET", "canary")

    def said(code: str, **settings: float) -> str:
        nodes = {"code": ("control.python", {"code": code, **settings}), "out": "io.flow_output"}
        export(flow_of(nodes, ["code.result -> out.value"]), tmp_path / "script.py")
        ran = call(tmp_path / "script.py")
        return str(ran.outputs["out"]) if ran.code == 0 else ran.err

    look = "import os\ndef main():\n return [os.environ.get('STEPWIRE_TEST_SECRET'), os.listdir('.')]"
    assert said(look) == "[None, []]"
    assert "ran longer than its 0.1 s" in said("def main():\n while True: pass", seconds=0.1)
    assert "MemoryError" in said("def main():\n return len(bytearray(2**31))", memory=64)
    assert "process of the code ended with 3" in said("import os\ndef main():\n os._exit(3)")
    assert "ZeroDivisionError: division by zero (line 2)" in said("def main():\n return 1 / 0")
    assert "a value that JSON cannot say" in said("def main():\n return object()")


async def test_two_tools_of_one_name_fail_who_is_lent_them_as_in_a_run(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "warden": ("tools.human_as_tool", {"name": "ask"}),
        "keeper": ("tools.human_as_tool", {"name": "ask"}),
        "agent": ("llm.agent", {}, {"prompt": "Where?"}, {"on_error": "output"}),
        "out": "io.flow_output",
    }
    wires = ["warden.tool -> agent.tools", "keeper.tool -> agent.tools[1]", "agent.error -> out.value"]
    ran = await run(flow_of(nodes, wires), root=tmp_path)
    text = export(flow_of(nodes, wires), tmp_path / "script.py")
    told = (await asyncio.to_thread(play, text, environ={"OPENAI_API_KEY": "none"})).outputs["out"]
    assert told["error"] == ran.outputs["out"]["error"] == "StepError"
    assert told["message"] == "Two tools are named `ask`."
    assert ran.outputs["out"]["message"].startswith("Two tools are named `ask`")
