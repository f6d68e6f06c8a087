"""What tools give goes through a flow before an agent reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nodes.tools.result_filter import result_filter
from studio.errors import StepError
from studio.llm.client import ToolCall
from studio.runtime.replay.takeover import replayed
from studio.sdk import Effect, LentFlow, Tool, ToolError
from studio.sdk.testing import ScriptedContext, call_tools
from studio.trace.differences.compare import first_difference
from studio.trace.events.calls import ChatRequested, ToolAnswered
from tests.nodes.tools.filtered import FLOWS, RULES, reading
from tests.runtime.bench import Ran, run
from tests.runtime.called import bound


async def read(folder: Path, **settings: Any) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(RULES, "utf-8")
    return await run(reading(**settings), script=path, flows=FLOWS)


def heard(ran: Ran) -> str:
    """All that the agent was sent."""
    events = [one.event for one in ran.entries if one.step and str(one.step).startswith("agent#chat")]
    return "\n".join(str(one.request) for one in events if isinstance(one, ChatRequested))


async def test_an_agent_reads_what_the_flow_makes_of_it_and_the_run_shows_both(tmp_path: Path) -> None:
    ran = await read(tmp_path, flow="mask.json")
    assert ran.outputs["out"] == "The door opens with [number]."
    assert "The door opens with [number]." in heard(ran)
    assert "4711" not in heard(ran)
    said = {str(one.step): one.event.text for one in ran.entries if isinstance(one.event, ToolAnswered)}
    assert said == {
        "agent#tool.1/filter#tool.1": "The door opens with 4711.",
        "agent#tool.1": "The door opens with [number].",
    }
    assert any(str(one.step).startswith("agent#tool.1/filter/guard") for one in ran.entries)


async def test_what_is_refused_is_told_as_that_and_not_read(tmp_path: Path) -> None:
    ran = await read(tmp_path, flow="block.json")
    assert ran.outputs["out"].startswith("The result of `look` was refused: ")
    assert "was refused" in heard(ran)
    assert "opens with" not in heard(ran)
    [told] = [
        one.event
        for one in ran.entries
        if str(one.step) == "agent#tool.1" and isinstance(one.event, ToolAnswered)
    ]
    assert told.is_error


async def test_only_what_is_long_is_summed_up(tmp_path: Path) -> None:
    ran = await read(tmp_path, flow="sum_up.json", from_length=10)
    assert ran.outputs["out"] == "look: a door"
    ran = await read(tmp_path, flow="sum_up.json", from_length=100)
    assert ran.outputs["out"] == "The door opens with 4711."


async def test_a_replay_does_the_same_without_asking_anybody(tmp_path: Path) -> None:
    first = await read(tmp_path, flow="sum_up.json")
    flow = reading(flow="sum_up.json")
    again = await run(flow, past=replayed(first.entries, flow, bound(FLOWS)), flows=FLOWS)
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


def flow_giving(outputs: Mapping[str, Any] | Exception, *takes: str) -> LentFlow:
    """A flow that gives this, or fails."""

    async def call(arguments: Mapping[str, object]) -> Mapping[str, Any]:
        if isinstance(outputs, Exception):
            raise outputs
        return {name: one if one is not None else arguments for name, one in outputs.items()}

    names = takes or ("result",)
    return LentFlow("check", "", {"properties": {one: {} for one in names}}, Effect.PURE, call)


def tool(gives: str | Exception) -> Tool:
    async def work(_: Mapping[str, object]) -> str:
        if isinstance(gives, Exception):
            raise gives
        return gives

    return Tool("look", "Look.", {"type": "object", "properties": {}}, work)


async def looked(
    outputs: Mapping[str, Any] | Exception, gives: str | Exception = "x", *takes: str, **settings: Any
) -> str:
    context = ScriptedContext(flows={"check.json": flow_giving(outputs, *takes)})
    inputs = {"tools": [tool(gives)]}
    calls = [ToolCall("1", "look", "{}")]
    [said] = await call_tools(result_filter, {"flow": "check.json", **settings}, calls, context, inputs)
    return said


async def test_the_flow_is_given_what_it_takes() -> None:
    given = '{"result": "x", "tool": "look", "arguments": {}, "is_error": false}'
    assert await looked({"result": None}, "x", "result", "tool", "arguments", "is_error") == given
    assert await looked({"result": None}) == '{"result": "x"}'


async def test_errors_go_through_it_too() -> None:
    assert await looked({"result": "No."}, ToolError("The file 4711 is gone.")) == "No."


@pytest.mark.parametrize("outputs", [StepError("broken"), {}, {"one": 1, "two": 2}])
async def test_a_flow_that_fails_lets_nothing_pass(outputs: Any) -> None:
    assert (await looked(outputs, "secret")).startswith("The result of `look` could not be checked")
    with pytest.raises(StepError, match="could not be checked"):
        await looked(outputs, "secret", on_failure="fail")


async def test_what_is_too_long_is_cut_and_that_is_said() -> None:
    said = await looked({"result": "a" * 1234}, longest=34)
    assert said == f"{'a' * 34}\n(1,200 more characters were left out.)"
    assert await looked({"result": "a" * 34}, longest=34) == "a" * 34


async def test_what_is_not_there_is_said_by_name() -> None:
    with pytest.raises(StepError, match="no tool `find` to filter; attached: `look`"):
        await looked({"result": "x"}, only=["find"])
    with pytest.raises(StepError, match=r"`check\.json` has no input `result`"):
        await looked({"result": "x"}, "x", "text")


async def test_of_several_tools_only_those_that_are_named_are_filtered() -> None:
    other = Tool("find", "", {"type": "object", "properties": {}}, tool("plain").run)
    context = ScriptedContext(flows={"check.json": flow_giving({"result": "filtered"})})
    inputs = {"tools": [tool("x"), other]}
    calls = [ToolCall("1", name, "{}") for name in ("look", "find")]
    settings: dict[str, Any] = {"flow": "check.json", "only": ["look"]}
    assert await call_tools(result_filter, settings, calls, context, inputs) == ["filtered", "plain"]
