"""Where values come from: what labels they carry, whichever way they went."""

from pathlib import Path

import pytest

from studio.errors import ChatIncompleteError
from studio.ids import ROOT, NodeId, RunId, StepId
from studio.llm.client import ToolCall
from studio.runtime.calls.context import StepContext
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.services import Services
from studio.runtime.state.run_memories import RunMemories
from studio.sdk.item_layers import PlainMemories
from studio.sdk.tool import Tool
from studio.trace.events import ToolAnswered
from tests.runtime.bench import Ran, flow_of, run

QUESTION = ("io.flow_input", {"type": "text"})
SEARCHING = """
rules:
  - when: {turn: 0, has_tool: text_search}
    tool_calls: [{name: text_search, arguments: {query: wren}}]
  - reply: '{"bird": "wren"}'
"""


async def asked(tmp_path: Path, nodes: dict[str, object], wires: list[str], script: str = SEARCHING) -> Ran:
    """Run `nodes` on a folder of notes, asked by a user."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A wren sang.\n", "utf-8")
    answers = tmp_path / "answers.yaml"
    answers.write_text(script, "utf-8")
    return await run(flow_of(nodes, wires), {"question": "What?"}, script=answers, root=tmp_path)


async def test_an_answer_carries_what_was_asked_and_what_its_tools_have_read(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"bird": {"type": "string"}}}
    nodes = {
        "question": QUESTION,
        "search": ("tools.text_search", {"folder": "data"}),
        "agent": ("llm.agent", {"answer_schema": schema}),
        "out": "io.flow_output",
    }
    wires = ["question.value -> agent.prompt", "search.tool -> agent.tools", "agent.data -> out.value"]
    ran = await asked(tmp_path, nodes, wires)
    assert ran.outputs == {"out": {"bird": "wren"}}
    assert ran.state.outputs["out"].labels == ("chat", "file", "tool:text_search", "user")
    (answered,) = (one.event for one in ran.entries if isinstance(one.event, ToolAnswered))
    assert answered.labels == ("file", "tool:text_search")


async def test_an_error_carries_what_the_step_had_read(tmp_path: Path) -> None:
    nodes = {
        "question": QUESTION,
        "file": ("io.read_file", {}, {}, {"on_error": "output"}),
        "out": "io.flow_output",
        "text": "io.flow_output",
    }
    wires = ["question.value -> file.path", "file.error -> out.value", "file.text -> text.value"]
    ran = await asked(tmp_path, nodes, wires)
    assert ran.state.outputs["out"].labels == ("file", "user")
    assert "text" not in ran.outputs
    assert ran.steps("step_skipped") == ["text"]


async def test_an_error_kept_in_place_of_an_item_carries_its_labels(tmp_path: Path) -> None:
    nodes = {
        "question": QUESTION,
        "each": "control.for_each",
        "file": "io.read_file",
        "all": ("control.collect", {"failed": "keep"}),
        "out": "io.flow_output",
    }
    wires = [
        "question.value -> each.items",
        "each.item -> file.path",
        "file.text -> all.value",
        "all.values -> out.value",
    ]
    ran = await asked(tmp_path, nodes, wires)
    assert ran.state.outputs["out"].labels == ("file", "user")


async def test_what_a_loop_with_a_failing_step_stands_in_for_goes_round(tmp_path: Path) -> None:
    """A step in a loop gives its error in the rounds in which it fails, and nothing at its other outputs."""
    nodes = {
        "question": QUESTION,
        "rounds": ("control.loop", {"max_rounds": 3}),
        "file": ("io.read_file", {}, {}, {"on_error": "output"}),
        "next": ("text.text", {"text": "data/may.txt"}),
        "out": "io.flow_output",
    }
    wires = [
        "question.value -> rounds.start",
        "rounds.value -> file.path",
        "file.error -> next.after",
        "next.text -> rounds.again",
        "file.text -> rounds.done",
        "rounds.result -> out.value",
    ]
    ran = await asked(tmp_path, nodes, wires)
    assert ran.outputs == {"out": "A wren sang.\n"}
    assert ran.state.steps[StepId("rounds.2/next")].status == "skipped"


@pytest.mark.parametrize("arguments", ["[1]", '{"query": ', "", '{"query": NaN}', "null"])
async def test_arguments_that_are_no_whole_object_are_never_acted_on(tmp_path: Path, arguments: str) -> None:
    ran: list[object] = []

    async def go(given: object) -> str:
        ran.append(given)
        return ""

    entries: list[object] = []
    recorder = Recorder(RunId("r"), MemorySink(entries.append))
    services = Services(
        recorder,
        lambda _: pytest.fail("nobody is asked"),
        NoPeople(),
        tmp_path,
        RunMemories(PlainMemories(), recorder, RunId("r")),
    )
    context = StepContext(services, NodeId("agent"), ROOT)
    with pytest.raises(ChatIncompleteError):
        await context.call(Tool("search", "", {}, go), ToolCall("1", "search", arguments))
    assert ran == entries == []
