"""Asking one after the other until somebody can answer."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from nodes.control.retry import retry
from studio.errors import StepError, ToolError
from studio.runtime.replay.takeover import replayed
from studio.sdk import Tool
from studio.sdk.testing import ScriptedContext, run_bench
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, flow_of, run


def tool(name: str, *says: str | Exception, wants: tuple[str, ...] = ("text",)) -> Tool:
    """A tool that says these in turn."""
    waiting = list(says)

    async def answer(arguments: Mapping[str, object]) -> str:
        said = waiting.pop(0)
        if isinstance(said, Exception):
            raise said
        return f"{said} {arguments[wants[0]]}"

    properties = {name: {"type": "string"} for name in wants}
    parameters = {"type": "object", "properties": properties, "required": list(wants)}
    return Tool(name, "", parameters, answer)


CLOSED = ToolError("It is closed.")


async def test_the_first_who_can_answers() -> None:
    tools = [tool("one", CLOSED), tool("two", "found"), tool("three")]
    assert await run_bench(retry, {"input": "owl", "tools": tools}) == {"result": "found owl", "used": "two"}


async def test_each_is_asked_as_often_as_is_said_with_a_pause_between() -> None:
    context = ScriptedContext()
    tools = [tool("one", CLOSED, CLOSED, "found")]
    settings = {"attempts": 3, "pause": 2}
    outputs = await run_bench(retry, {"input": "owl", "tools": tools}, settings, context)
    assert outputs["result"] == "found owl"
    assert context.slept == [2, 2]


async def test_when_all_fail_the_error_says_what_each_said() -> None:
    tools = [tool("one", CLOSED), tool("two", ToolError("It is empty."))]
    with pytest.raises(StepError, match=r"`one`: It is closed\. `two`: It is empty\."):
        await run_bench(retry, {"input": "owl", "tools": tools})


async def test_an_object_is_taken_as_the_arguments() -> None:
    tools = [tool("one", "found", wants=("place", "time"))]
    given = {"place": "hedge", "time": "dawn"}
    assert (await run_bench(retry, {"input": given, "tools": tools}))["result"] == "found hedge"


async def test_who_wants_more_than_one_thing_is_passed_over_when_given_one() -> None:
    tools = [tool("one", wants=("place", "time")), tool("two", "found")]
    assert (await run_bench(retry, {"input": "owl", "tools": tools}))["used"] == "two"


async def test_of_several_that_a_node_lends_only_those_that_are_named_are_asked() -> None:
    tools = [tool("one", "found"), tool("two", "found")]
    assert (await run_bench(retry, {"input": "owl", "tools": tools}, {"only": ["two"]}))["used"] == "two"


async def test_nobody_to_ask_is_an_error() -> None:
    with pytest.raises(StepError, match="No tool is attached"):
        await run_bench(retry, {"input": "owl", "tools": [tool("one")]}, {"only": ["other"]})


async def test_in_a_run_each_call_is_a_child_step_and_a_failed_one_leads_to_the_next(tmp_path: Path) -> None:
    flow = flow_of(
        {
            "retry": ("control.retry", {"only": ["read_file", "find_lines"]}, {"input": "owl"}),
            "shelf": ("tools.files", {"folder": ""}),
            "used": "io.flow_output",
            "said": "io.flow_output",
        },
        ["shelf.tool -> retry.tools[0]", "retry.used -> used.value", "retry.result -> said.value"],
    )
    (tmp_path / "birds.txt").write_text("wren\nowl", "utf-8")
    ran = await run(flow, root=tmp_path)
    assert ran.outputs == {"used": "find_lines", "said": "birds.txt:2: owl"}
    calls = [step for step in ran.state.steps.values() if step.call]
    assert [(step.tool, step.is_error) for step in calls] == [("read_file", True), ("find_lines", False)]
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None
