"""People, agents and searches as tools, in runs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nodes.tools.agent_as_tool import agent_as_tool
from nodes.tools.human_as_tool import form_of, human_as_tool
from nodes.tools.tool_search import tool_search
from studio.building_blocks.agents.tool_retrieval import fitting, words
from studio.ids import StepId
from studio.llm.client import Message, ToolCall
from studio.runtime.replay.takeover import replayed
from studio.runtime.resources.people import GivenAnswers, NoPeople
from studio.sdk import Effect, Tool
from studio.sdk.testing import ScriptedContext, call_tools
from studio.trace.differences.compare import first_difference
from tests.export.equality import Row, both
from tests.runtime.bench import REGISTRY, flow_of, run


def flow(kind: str, tool: str, arguments: Mapping[str, object], *wires: str, **settings: Any) -> Any:
    return flow_of(
        {
            "call": ("control.call_tool", {"tool_name": tool}, {"arguments": dict(arguments)}),
            "lender": (kind, settings),
            "shelf": ("tools.files", {"folder": "notes"}),
            "out": "io.flow_output",
        },
        ["lender.tool -> call.tool[0]", "call.text -> out.value", *wires],
    )


def write_notes(root: Path) -> None:
    (root / "notes").mkdir()
    (root / "notes" / "birds.txt").write_text("wren\nowl", "utf-8")


HUMAN = flow("tools.human_as_tool", "ask_person", {"question": "Where?"})


async def test_a_person_answers_as_a_child_step_and_a_replay_asks_nobody() -> None:
    ran = await run(
        HUMAN, people=GivenAnswers({StepId("call#tool.1/lender#ask.1"): "By the pond"}, NoPeople())
    )
    assert ran.outputs == {"out": "By the pond"}
    again = await run(HUMAN, past=replayed(ran.entries, HUMAN, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_where_nobody_is_there_the_run_waits() -> None:
    ran = await run(HUMAN)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.exit_code == 4


async def test_with_choices_the_answer_is_one_of_them() -> None:
    context = ScriptedContext(answers=[{"answer": "no"}])
    calls = [ToolCall("1", "ask_person", json.dumps({"question": "May I?"}))]
    assert await call_tools(human_as_tool, {"choices": ["yes", "no"]}, calls, context) == ["no"]
    assert context.forms == [form_of("May I?", ("yes", "no"))]
    assert context.forms[0].schema["properties"] == {
        "answer": {"type": "string", "title": "Answer", "enum": ["yes", "no"]}
    }


SIGHTING = {
    "type": "object",
    "properties": {"bird": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["bird"],
}


async def test_with_a_form_the_agent_gets_all_that_was_filled_in() -> None:
    context = ScriptedContext(answers=[{"bird": "wren", "count": 2}])
    calls = [ToolCall("1", "ask_person", json.dumps({"question": "What sang?"}))]
    said = await call_tools(human_as_tool, {"form": SIGHTING}, calls, context)
    assert [json.loads(one) for one in said] == [{"bird": "wren", "count": 2}]
    assert (context.forms[0].question, context.forms[0].schema) == ("What sang?", SIGHTING)


def test_a_script_asks_people_for_its_agent_too(tmp_path: Path) -> None:
    asked = StepId("call#tool.1/lender#ask.1")
    filled = flow("tools.human_as_tool", "ask_person", {"question": "What sang?"}, form=SIGHTING)
    for one, said in ((HUMAN, "In the hedge"), (filled, {"bird": "wren", "count": 2})):
        found = both(
            Row(one), tmp_path, make_people=lambda said=said: GivenAnswers({asked: said}, NoPeople())
        )
        out = found.outputs["out"]
        assert (out if one is HUMAN else json.loads(out)) == said


SEARCH = flow(
    "tools.tool_search",
    "call_found_tool",
    {"name": "find_lines", "arguments": {"text": "owl"}},
    "shelf.tool -> lender.tools[0]",
)


async def test_what_is_found_is_called_as_a_step_of_its_own_and_not_again_in_a_replay(tmp_path: Path) -> None:
    write_notes(tmp_path)
    ran = await run(SEARCH, root=tmp_path)
    assert ran.outputs == {"out": "birds.txt:2: owl"}
    tools = [
        (str(entry.step), entry.event.tool) for entry in ran.entries if entry.event.kind == "tool_called"
    ]
    assert tools == [("call#tool.1", "call_found_tool"), ("call#tool.1/lender#tool.1", "find_lines")]
    assert "file" in ran.state.steps["call"].outputs["text"].labels  # pyright: ignore[reportArgumentType]
    again = await run(SEARCH, past=replayed(ran.entries, SEARCH, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


def test_a_script_searches_too(tmp_path: Path) -> None:
    write_notes(tmp_path)
    assert both(Row(SEARCH), tmp_path, homes=(tmp_path, tmp_path)).outputs == {"out": "birds.txt:2: owl"}


def tool(name: str, description: str = "", effect: Effect = Effect.PURE) -> Tool:
    async def answer(_: Mapping[str, object]) -> str:
        return name

    return Tool(
        name, description, {"type": "object", "properties": {"x": {}}, "required": ["x"]}, answer, effect
    )


def test_the_tools_that_fit_come_first() -> None:
    tools = [tool("send_mail", "Send a letter"), tool("readFiles"), tool("bird_counter", "Counts birds")]
    assert [one.name for one in fitting(tools, "count the birds", 5)] == ["bird_counter"]
    assert [one.name for one in fitting(tools, "read a file or send it", 1)] == ["readFiles"]
    assert fitting(tools, "of the", 5) == []
    assert words("findBirds_now HTTPServer") == ["find", "bird", "now", "http", "server"]


async def test_what_is_not_there_or_not_wanted_is_said_and_not_called() -> None:
    async def said(tool_name: str, **arguments: object) -> str:
        call = ToolCall("1", tool_name, json.dumps(arguments))
        inputs = {"tools": [tool("feed", "Feed birds")]}
        [answer] = await call_tools(tool_search, {}, [call], ScriptedContext(), inputs)
        return answer

    assert "There are: feed" in await said("find_tools", query="mail")
    assert "no tool `mail`" in await said("call_found_tool", name="mail", arguments={})
    assert "lacks `x`" in await said("call_found_tool", name="feed", arguments={"y": 1})
    assert await said("call_found_tool", name="feed", arguments={"x": 1}) == "feed"


async def test_a_call_of_what_is_found_counts_as_the_most_that_any_tool_does() -> None:
    for effect in Effect:
        async for _, call in tool_search(ScriptedContext(), [tool("a"), tool("b", effect=effect)]):
            assert call.effect is effect


AGENT = flow(
    "tools.agent_as_tool",
    "expert",
    {"task": "Which bird?"},
    "shelf.tool -> lender.tools[0]",
    instructions="You look it up.",
)

SCRIPT = """
rules:
  - when: {node: lender, after_tool: find_lines}
    reply: "It says {{ tool_results[-1].text }}"
  - when: {node: lender}
    tool_calls: [{name: find_lines, arguments: {text: owl}}]
"""


async def test_an_agent_works_on_the_task_with_tools_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    write_notes(tmp_path)
    ran = await run(AGENT, root=tmp_path, script=tmp_path / "answers.yaml")
    assert ran.outputs == {"out": "It says birds.txt:2: owl"}
    asked = [str(entry.step) for entry in ran.entries if entry.event.kind == "chat_requested"]
    assert asked == ["call#tool.1/lender#chat.1", "call#tool.1/lender#chat.2"]
    assert {"chat", "file"} <= set(ran.state.steps["call"].outputs["text"].labels)  # pyright: ignore[reportArgumentType]
    again = await run(AGENT, past=replayed(ran.entries, AGENT, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_an_agent_that_comes_to_no_end_is_an_error_of_the_tool() -> None:
    more = Message("assistant", "", (ToolCall("1", "none", "{}"),))
    context = ScriptedContext(chat=[more, more])
    call = ToolCall("1", "expert", '{"task": "Count."}')
    [said] = await call_tools(agent_as_tool, {"turns": 2}, [call], context)
    assert "in its last turn" in said


async def test_at_its_last_turn_it_may_answer_without_tools() -> None:
    more = Message("assistant", "", (ToolCall("1", "none", "{}"),))
    context = ScriptedContext(chat=[more, "Three."])
    call = ToolCall("1", "expert", '{"task": "Count."}')
    assert await call_tools(agent_as_tool, {"turns": 1, "at_limit": "answer"}, [call], context) == ["Three."]
    assert not context.requests[-1].may_call
