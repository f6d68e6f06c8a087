"""A flow that is made while the run goes on is checked, run, recorded and replayed; or chosen by its name."""

import json
from pathlib import Path
from typing import Any

import pytest

from nodes.plan.run_flow import run_flow
from studio.errors import StepError
from studio.flow.files import codec
from studio.ids import StepId
from studio.kit import Tools
from studio.runtime.replay.takeover import replayed
from studio.script import nodes as script_nodes
from studio.script.flow import Flow
from studio.sdk.testing import ScriptedContext, run_bench
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, Ran, flow_of
from tests.runtime.bench import run as run_it
from tests.trusted import HERE

MADE = json.loads(
    codec.dumps(
        flow_of(
            {
                "bird": ("io.flow_input", {"example": "wren"}),
                "asked": ("text.template", {"template": "How does a {{bird}} sing?"}),
                "expert": ("llm.chat", {"instructions": "You know songs."}),
                "song": "io.flow_output",
            },
            ["bird.value -> asked.bird", "asked.text -> expert.prompt", "expert.reply -> song.value"],
        )
    )
)
RULES = {"rules": [{"when": {"asked": "a (?P<bird>\\w+) sing"}, "reply": "A {{ match.bird }} sings loudly."}]}


def with_node(document: dict[str, Any], name: str, record: dict[str, Any]) -> dict[str, Any]:
    return {**document, "nodes": {**document["nodes"], name: record}}


def calling(document: Any, inputs: dict[str, Any] | None = None, **settings: Any) -> Any:
    settings = {"given": "a flow", **settings}
    given = {"flow": document, "inputs": {"bird": "wren"} if inputs is None else inputs}
    nodes = {"it": ("plan.run_flow", settings, given), "out": "io.flow_output", "why": "io.flow_output"}
    return flow_of(nodes, ["it.reply -> out.value", "it.problem -> why.value"])


async def ran(flow: Any, folder: Path) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(json.dumps(RULES), "utf-8")
    return await run_it(flow, script=path)


async def test_its_steps_stand_in_the_call_and_its_nodes_are_parts(tmp_path: Path) -> None:
    over = await ran(calling(MADE), tmp_path)
    assert over.outputs["out"] == "A wren sings loudly."
    assert "it#tool.1/it/expert#chat.1" in over.state.steps
    parts = over.state.steps[StepId("it")].parts
    assert {name: (one.sort, one.after) for name, one in parts.items()} == {
        "asked": ("text.template", ("bird",)),
        "bird": ("io.flow_input", ()),
        "expert": ("llm.chat", ("asked",)),
        "song": ("io.flow_output", ("expert",)),
    }
    assert parts["expert"].settings == {"instructions": "You know songs."}
    assert {one.status for one in parts.values()} == {"done"}


async def test_a_flow_may_be_the_text_that_a_language_model_wrote(tmp_path: Path) -> None:
    over = await ran(calling(json.dumps(MADE), {"bird": "heron"}), tmp_path)
    assert over.outputs["out"] == "A heron sings loudly."


async def test_a_replay_runs_the_same_flow_without_a_language_model(tmp_path: Path) -> None:
    flow = calling(MADE)
    first = await ran(flow, tmp_path)
    again = await run_it(flow, past=replayed(first.entries, flow, REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


WRONG: dict[str, tuple[Any, str]] = {
    "no JSON": ("Take a wren.", "not a flow"),
    "another document": ({"nodes": {}}, "format"),
    "a kind that there is not": (with_node(MADE, "odd", {"kind": "bird.sing"}), "bird.sing"),
    "a wire to nowhere": ({**MADE, "wires": [*MADE["wires"], "bird.value -> gone.x"]}, "gone"),
    "something changed outside": (
        with_node(MADE, "file", {"kind": "io.write_file", "inputs": {"path": "a.txt", "text": "?"}}),
        "side effects: `io.write_file`",
    ),
    "a memory of the project": (
        with_node(MADE, "diary", {"kind": "memory.notes", "settings": {"keep": "project"}}),
        "memories of the project: `diary`",
    ),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_run_is_not_begun_and_says_why(name: str, tmp_path: Path) -> None:
    document, reason = WRONG[name]
    over = await ran(calling(document, on_failure="say so"), tmp_path)
    assert reason in over.outputs["why"]
    assert "out" not in over.outputs
    assert over.steps("tool_called") == []
    failed = await ran(calling(document), tmp_path)
    assert failed.outcome is not None
    assert failed.outcome.error is not None
    assert reason in failed.outcome.error.message


@pytest.mark.parametrize(("inputs", "reason"), [({}, "bird"), ({"bird": 5}, "bird"), ({"wing": "x"}, "wing")])
async def test_what_it_is_given_has_to_fit(inputs: dict[str, Any], reason: str, tmp_path: Path) -> None:
    over = await ran(calling(MADE, inputs, on_failure="say so"), tmp_path)
    assert reason in over.outputs["why"]


async def test_a_flow_that_fails_while_it_runs_says_why(tmp_path: Path) -> None:
    broken = with_node(MADE, "asked", {**MADE["nodes"]["asked"], "settings": {"template": "{{bird.wing}}?"}})
    over = await ran(calling(broken, on_failure="say so"), tmp_path)
    assert "there is no `wing`" in over.outputs["why"]
    assert {one.status for one in over.state.steps[StepId("it")].parts.values()} == {"failed"}


async def test_calls_within_calls_are_bounded() -> None:
    """The flow that is made calls the flow that makes it."""
    made = flow_of(
        {"it": ("control.subflow", {"flow": "again.json"}), "out": "io.flow_output"}, ["it.out -> out.value"]
    )
    settings = {"given": "a flow", "max_depth": 3}
    again = flow_of(
        {
            "it": ("plan.run_flow", settings, {"flow": json.loads(codec.dumps(made))}),
            "lends": ("tools.flow_as_tool", {"flow": "again.json"}),
            "out": "io.flow_output",
        },
        ["it.reply -> out.value", "lends.tool -> it.tools[0]"],
    )
    over = await run_it(again, flows={"again.json": again})
    assert over.outcome is not None
    assert over.outcome.error is not None
    assert "`it` allows 3" in over.outcome.error.message


async def test_a_script_runs_what_is_made_while_it_runs() -> None:
    flow = Flow("A script", is_kept=False)

    async def greet(who: str) -> dict[str, object]:
        nodes: dict[str, Any] = {
            "who": "io.flow_input",
            "words": ("text.template", {"template": "Good morning, {{who}}."}),
            "out": "io.flow_output",
        }
        made = codec.dumps(flow_of(nodes, ["who.value -> words.who", "words.text -> out.value"]))
        ran = await script_nodes.run_flow("it", made, {"who": who}, given="a flow")
        return {"reply": ran.reply}

    flow(greet)
    assert await flow.run(tools=Tools(environ=HERE), who="wren") == {"reply": "Good morning, wren."}


async def test_a_name_chooses_among_the_flows_that_are_lent(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "it": ("plan.run_flow", {}, {"flow": "sing", "inputs": {"bird": "wren"}}),
        "sings": ("tools.flow_as_tool", {"flow": "made.json", "name": "sing"}),
        "flies": ("tools.flow_as_tool", {"flow": "made.json", "name": "fly"}),
        "out": "io.flow_output",
    }
    wires = ["it.reply -> out.value", "sings.tool -> it.tools[0]", "flies.tool -> it.tools[1]"]
    path = tmp_path / "answers.yaml"
    path.write_text(json.dumps(RULES), "utf-8")
    flows = {"made.json": codec.loads(json.dumps(MADE)).flow}
    over = await run_it(flow_of(nodes, wires), script=path, flows=flows)
    assert over.outputs["out"] == "A wren sings loudly."
    assert over.state.steps[StepId("it#tool.1")].tool == "sing"


async def test_a_name_that_nobody_lends_is_refused() -> None:
    with pytest.raises(StepError, match="No flow `sing` is attached"):
        await run_bench(run_flow, {"flow": "sing"}, {}, ScriptedContext())
    made = await run_bench(run_flow, {"flow": "sing"}, {"on_failure": "say so"}, ScriptedContext())
    assert "No flow `sing`" in str(made["problem"])
