"""Flows with lent tools as scripts: nothing that a linter or type checker would find."""

from pathlib import Path

from tests.export.scripts import call, complaints, export
from tests.nodes.tools.test_http_request import flow as http_flow
from tests.nodes.tools.test_mcp_server import FLOW as MCP
from tests.nodes.tools.test_sqlite_query import FLOW as SQLITE
from tests.runtime.bench import flow_of

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


def test_linter_and_type_checker_find_nothing(tmp_path: Path) -> None:
    for name, flow in FLOWS.items():
        export(flow, tmp_path / f"{name}_flow.py")
    assert complaints(tmp_path) == ""
