"""A tool as a step of its own."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from nodes.control.call_tool import call_tool
from studio.errors import StepError, ToolError
from studio.flow.records import Node
from studio.runtime.replay.takeover import replayed
from studio.sdk import Tool
from studio.sdk.testing import run_bench
from studio.workspace.catalog import builtin_registry
from tests.export.equality import Row, both
from tests.runtime.bench import REGISTRY, flow_of, run


def tool(name: str, answers: str | Exception = "", wants: tuple[str, ...] = ("text",)) -> Tool:
    """A tool that says what it was given, or `answers`."""

    async def run(arguments: Mapping[str, object]) -> str:
        if isinstance(answers, Exception):
            raise answers
        return answers or repr(dict(arguments))

    properties = {name: {"type": "string"} for name in wants}
    return Tool(name, "", {"type": "object", "properties": properties, "required": list(wants)}, run)


async def called(*tools: Tool, **inputs: object) -> dict[str, object]:
    settings = {"fields": [name for name in inputs if name not in {"arguments", "tool_name"}]}
    name = str(inputs.pop("tool_name", ""))
    return await run_bench(call_tool, {"tool": list(tools), **inputs}, {**settings, "tool_name": name})


async def test_one_value_is_what_a_tool_that_wants_one_thing_is_given() -> None:
    assert (await called(tool("one"), arguments="owl"))["text"] == "{'text': 'owl'}"


async def test_inputs_of_their_own_go_before_the_object_of_arguments() -> None:
    one = tool("one", wants=("place", "time"))
    assert (await called(one, arguments={"place": "pond", "time": "dawn"}, time="dusk"))["text"] == (
        "{'place': 'pond', 'time': 'dusk'}"
    )
    with pytest.raises(StepError, match="not an object"):
        await called(one, arguments="pond", time="dusk")


async def test_what_is_json_is_given_as_such_too() -> None:
    assert await called(tool("one", "[1]"), arguments="owl") == {"text": "[1]", "json": [1]}
    assert await called(tool("one", "an owl"), arguments="owl") == {"text": "an owl", "json": None}


async def test_of_several_tools_the_one_that_is_named_is_called() -> None:
    assert (await called(tool("one"), tool("two", "2"), tool_name="two", arguments=""))["json"] == 2
    with pytest.raises(StepError, match="No tool"):
        await called(tool("one"), tool("two"), arguments="")
    with pytest.raises(StepError, match="no tool `three`; attached: `one`"):
        await called(tool("one"), tool_name="three", arguments="")


async def test_what_the_tool_does_not_want_is_not_asked_of_it() -> None:
    with pytest.raises(StepError, match="lacks `text`"):
        await called(tool("one"), other="owl")
    with pytest.raises(StepError, match="`one`: It is closed"):
        await called(tool("one", ToolError("It is closed.")), arguments="owl")


def test_what_makes_no_input_is_a_problem_of_the_setting() -> None:
    problems = builtin_registry().problems
    assert "makes no input" in problems(Node(kind="control.call_tool", settings={"fields": ["A b"]}))[0]
    assert "makes no input" in problems(Node(kind="control.call_tool", settings={"fields": ["a", "a"]}))[0]
    assert "another meaning" in problems(Node(kind="control.call_tool", settings={"fields": ["tool"]}))[0]


FLOW = flow_of(
    {
        "word": ("io.flow_input", {"default": "owl"}),
        "call": ("control.call_tool", {"tool_name": "find_lines", "fields": ["text"]}),
        "shelf": ("tools.files", {"folder": ""}),
        "out": "io.flow_output",
    },
    ["shelf.tool -> call.tool[0]", "word.value -> call.text", "call.text -> out.value"],
)


async def test_the_call_is_a_child_step_that_a_replay_does_not_do_again(tmp_path: Path) -> None:
    (tmp_path / "birds.txt").write_text("wren\nowl", "utf-8")
    ran = await run(FLOW, root=tmp_path)
    assert ran.outputs == {"out": "birds.txt:2: owl"}
    assert ran.events("call#tool.1") == ["tool_called", "tool_answered"]
    again = await run(FLOW, past=replayed(ran.entries, FLOW, REGISTRY))
    assert again.outputs == ran.outputs


def test_a_script_calls_the_same_tool(tmp_path: Path) -> None:
    row = Row(FLOW, files={"birds.txt": "wren\nowl"})
    assert both(row, tmp_path).outputs == {"out": "birds.txt:2: owl"}
