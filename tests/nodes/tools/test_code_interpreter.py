"""Code that an agent writes keeps what it assigns, and calls tools; replays and scripts do the same."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from nodes.tools.code_interpreter import code_interpreter
from nodes.tools.code_interpreter.interpreter import shortened
from studio.errors import ToolError
from studio.ids import StepId
from studio.llm.client import ToolCall
from studio.runtime.replay.takeover import replayed
from studio.sandbox.wasm import WasmBox
from studio.sdk import Tool
from studio.sdk.testing import ScriptedContext, call_tools
from studio.trace.differences.compare import first_difference
from tests.export.equality import Row, both
from tests.runtime.bench import REGISTRY, flow_of, run


@pytest.fixture
async def box() -> AsyncIterator[WasmBox]:
    async with WasmBox() as made:
        yield made


def counting(calls: list[str]) -> Tool:
    async def count(arguments: Mapping[str, object]) -> str:
        calls.append(str(arguments["what"]))
        if arguments["what"] == "dragons":
            raise ToolError("There are no dragons.")
        return json.dumps({"n": len(str(arguments["what"]))})

    return Tool(
        "count", "Count.", {"type": "object", "properties": {"what": {}}, "required": ["what"]}, count
    )


async def ran(box: WasmBox, *codes: str, lent: list[str] | None = None, **settings: Any) -> list[str]:
    asked = [ToolCall(str(n), "run_python", json.dumps({"code": code})) for n, code in enumerate(codes)]
    given = {"tools": [counting(lent)]} if lent is not None else {}
    return await call_tools(
        code_interpreter, {"name": "it", **settings}, asked, ScriptedContext(box=box), given
    )


async def test_what_code_assigns_and_defines_is_there_the_next_time(box: WasmBox) -> None:
    said = await ran(
        box,
        "import math\nfrom dataclasses import dataclass",
        "@dataclass\nclass Owl:\n    age: int\nseen = {Owl(3).age}",
        "def double(x):\n    return 2 * x\nowl = Owl(4)\nprint('made')",
        "(double(owl.age), seen, math.floor(2.5))",
        "owl.age += 1; owl",
        "owl",
    )
    assert said == [*["(It printed nothing.)"] * 2, "made", "(8, {3}, 2)", "Owl(age=5)", "Owl(age=5)"]


async def test_an_error_is_told_with_its_line_and_what_was_assigned_before_it_stays(box: WasmBox) -> None:
    said = await ran(box, "a = 1\nb = a / 0", "a", "c = (", "lock = (x for x in 'ab')", "lock")
    assert said[0] == "ZeroDivisionError: division by zero (line 2)"
    assert said[1] == "1"
    assert said[2].startswith("SyntaxError: '(' was never closed")
    assert said[3] == "Not kept: lock."
    assert said[4].startswith("NameError")


async def test_tools_are_functions_each_called_once_however_often_the_code_is_run(box: WasmBox) -> None:
    calls: list[str] = []
    code = "print('begin')\ntotal = sum(count(w)['n'] for w in ('ab', 'cde'))\ntotal"
    dragons = "try:\n    count(what='dragons')\nexcept RuntimeError as error:\n    print(error)\ntotal"
    assert await ran(box, code, dragons, lent=calls) == ["begin\n5", "There are no dragons.\n5"]
    assert calls == ["ab", "cde", "dragons"]


async def test_too_many_calls_and_code_that_changes_its_mind_are_refused(box: WasmBox) -> None:
    calls: list[str] = []
    [said] = await ran(box, "for n in range(5):\n    count(str(n))", lent=calls, calls=2)
    assert "more than 2 tools" in said
    assert calls == ["0", "1"]
    restless = "import time\ncount(str(time.perf_counter_ns()))\ncount('x')"
    [changed] = await ran(box, restless, lent=[])
    assert "did not call the same tools" in changed


def test_a_long_answer_loses_its_middle() -> None:
    text = shortened("a" * 500 + "b" * 500, 300)
    assert text == f"{'a' * 150}\n… 700 characters left out …\n{'b' * 150}"


NODES: dict[str, Any] = {
    "count": (
        "tools.python_function",
        {"code": "def count(what: str) -> int:\n    'Count.'\n    return len(what)"},
    ),
    "python": "tools.code_interpreter",
    "agent": ("llm.agent", {}, {"prompt": "How many?"}),
    "out": "io.flow_output",
}
WIRES = ["count.tool -> python.tools", "python.tool -> agent.tools", "agent.reply -> out.value"]
CODES = ("n = count('owls')\nn", "n + count('ab')")
RULES = {
    "rules": [
        *(
            {"when": {"turn": turn}, "tool_calls": [{"name": "run_python", "arguments": {"code": code}}]}
            for turn, code in enumerate(CODES)
        ),
        {"reply": "{{ tool_results[-1].text }}"},
    ]
}


async def test_in_a_run_calls_from_code_stand_in_the_call_and_a_replay_needs_no_box(
    tmp_path: Path, box: WasmBox
) -> None:
    flow = flow_of(NODES, WIRES)
    script = tmp_path / "answers.yaml"
    script.write_text(json.dumps(RULES), "utf-8")
    first = await run(flow, script=script, box=box)
    assert first.outputs == {"out": "6"}
    inner = first.state.steps[StepId("agent#tool.2/python#tool.1")]
    assert (inner.tool, inner.arguments) == ("count", {"what": "ab"})
    again = await run(flow, past=replayed(first.entries, flow, REGISTRY))
    assert first_difference(first.entries, again.entries) is None


@pytest.mark.box
def test_its_script_does_the_same(tmp_path: Path) -> None:
    row = Row(flow_of(NODES, WIRES), rules=json.dumps(RULES))
    assert both(row, tmp_path, run=asyncio.run, has_box=True).outputs == {"out": "6"}
