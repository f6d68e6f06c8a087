"""Where values come from: chats, tools, people, edits, pins, variables, failures and rounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.ids import StepId
from studio.trace.events import OutputsEdited, StepFinished, StepStarted
from studio.trace.events.run import Pin
from studio.trace.events.values import Shown
from studio.trace.fold.state import fold
from studio.trace.lineage.provenance import Provenance
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot
from tests.runtime import lent
from tests.runtime.agents import FLOW, TEAM, debug, editing, laid_out
from tests.runtime.bench import REGISTRY, Ran, flow_of, run
from tests.runtime.test_pins import LOOP
from tests.trace.builders import numbered

OUT = Spot(StepId(""), "output", "out")


def provenance_of(ran: Ran, flow: Flow, flows: Mapping[str, Flow] | None = None) -> Provenance:
    return Provenance(ran.state, flow, REGISTRY.with_flows(GivenFlows(flows or {})))


def begun(found: list[Source]) -> set[tuple[str, str, str]]:
    """Each beginning, with the step or port that it stands at."""
    return {(str(one.beginning), str(one.spot.step) or one.spot.port, one.detail) for one in found}


def output(step: str, port: str = "reply") -> Spot:
    return Spot(StepId(step), "output", port)


async def nobody(*_: object) -> None:
    """Leave the run alone."""


async def test_an_agents_reply_comes_from_the_model_its_tools_and_whoever_asked(tmp_path: Path) -> None:
    ran = await debug(laid_out(tmp_path), nobody)
    found = begun(provenance_of(ran, FLOW).beginnings(OUT))
    assert ("given", "question", "") in found
    assert ("tool", "agent#tool.1", "text_search") in found
    assert {step for kind, step, _ in found if kind == "chat"} == {"agent#chat.1", "agent#chat.2"}


async def test_a_tools_arguments_come_from_the_chat_that_asked_for_it(tmp_path: Path) -> None:
    ran = await debug(laid_out(tmp_path), nobody)
    provenance = provenance_of(ran, FLOW)
    arguments = Spot(StepId("agent#tool.1"), "input", "arguments")
    assert provenance.made_of(arguments) == [Source(output("agent#chat.1", "answer"))]
    told = [one.spot.step for one in provenance.made_of(output("agent#chat.2", "answer"))]
    assert "agent#tool.1" in told
    assert all(
        one.spot.step != "agent#tool.1" for one in provenance.made_of(output("agent#chat.1", "answer"))
    )


async def test_what_a_person_answered_for_a_tool_came_from_no_tool(tmp_path: Path) -> None:
    act = editing("agent#tool.1", answer="nothing")
    ran = await debug(laid_out(tmp_path), act, "agent#tool")
    found = provenance_of(ran, FLOW).beginnings(output("agent#tool.1", "answer"))
    assert begun(found) == {("edit", "agent#tool.1", "")}


async def test_an_edited_input_hides_what_was_there_before(tmp_path: Path) -> None:
    ran = await debug(laid_out(tmp_path), editing("agent", prompt="What flew?"), "agent")
    provenance = provenance_of(ran, FLOW)
    assert provenance.made_of(Spot(StepId("agent"), "input", "prompt"))[0].beginning is Beginning.EDIT
    assert ("given", "question", "") not in begun(provenance.beginnings(OUT))


async def test_a_colleague_that_is_called_as_a_tool_is_followed_into_its_chat(tmp_path: Path) -> None:
    ran = await debug(laid_out(tmp_path), nobody, flow=TEAM)
    found = begun(provenance_of(ran, TEAM).beginnings(OUT))
    inner = next(one for one in ran.state.order if "/" in one and "#chat" in one)
    assert inner in {step for kind, step, _ in found if kind == "chat"}


async def test_a_flow_that_a_tool_runs_is_followed_to_the_arguments_of_the_call(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(lent.SCRIPT, "utf-8")
    flow = lent.with_agent("look.json")
    ran = await run(flow, flows=lent.FLOWS, script=script)
    provenance = provenance_of(ran, flow, lent.FLOWS)
    inside = StepId("agent#tool.1/lender/scout#chat.1")
    assert inside in {one.spot.step for one in provenance.beginnings(output("agent#tool.1", "answer"))}
    bird = output("agent#tool.1/lender/bird", "value")
    assert provenance.made_of(bird) == [Source(Spot(StepId("agent#tool.1"), "input", "arguments"))]


async def test_a_round_is_followed_to_the_rounds_before_it(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text('rules: [{reply: "{{ last }}+"}]', "utf-8")
    ran = await run(LOOP, script=script)
    provenance = provenance_of(ran, LOOP)
    began = provenance.made_of(Spot(StepId("rounds.2/writer"), "input", "prompt"))
    assert began == [Source(Spot(StepId("rounds"), "output", "value", 2))]
    assert provenance.value(began[0].spot) == ran.state.steps[StepId("rounds.1/critic")].outputs["reply"]
    found = provenance.beginnings(output("rounds.2/writer"))
    chats = {one.spot.step for one in found if one.beginning is Beginning.CHAT}
    assert chats == {f"rounds.1/{node}#chat.1" for node in ("writer", "critic")} | {"rounds.2/writer#chat.1"}


async def test_a_pinned_output_began_in_the_run_that_it_was_pinned_from(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text('rules: [{reply: "x"}]', "utf-8")
    flow = flow_of(
        {"word": ("io.flow_input", {"default": "a"}), "first": "llm.chat", "out": "io.flow_output"},
        ["word.value -> first.prompt", "first.reply -> out.value"],
    )
    pins = {"first": Pin({"reply": Shown("kept")}, "earlier", "first")}
    ran = await run(flow, script=script, pins=pins)
    assert begun(provenance_of(ran, flow).beginnings(OUT)) == {("pin", "first", "earlier first")}


async def test_what_was_read_in_a_variable_comes_from_the_step_that_wrote_it_last() -> None:
    def writing(word: str) -> Any:
        return ("text.text", {"text": word})

    flow = flow_of(
        {
            "old": writing("owl"),
            "new": writing("wren"),
            "one": ("value.state_set", {"name": "n", "how": "set"}),
            "two": ("value.state_set", {"name": "n", "how": "set"}),
            "get": ("value.state_get", {"name": "n"}),
            "out": "io.flow_output",
        },
        [
            "old.text -> one.value",
            "new.text -> two.value",
            "one.then -> two.after",
            "two.then -> get.after",
            "get.value -> out.value",
        ],
    )
    ran = await run(flow)
    found = provenance_of(ran, flow).beginnings(OUT)
    assert {one.spot.step for one in found} == {"new"}


async def test_a_file_is_where_a_text_began_that_was_read_from_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("owl", "utf-8")
    flow = flow_of(
        {"read": ("io.read_file", {"file": "a.txt"}), "out": "io.flow_output"}, ["read.text -> out.value"]
    )
    ran = await run(flow, root=tmp_path)
    assert begun(provenance_of(ran, flow).beginnings(OUT)) == {("read", "read", "file")}


async def test_the_winner_of_a_race_is_followed_and_no_other() -> None:
    flow = flow_of(
        {
            "quick": ("text.text", {"text": "quick"}),
            "slow": ("control.delay", {"seconds": 5}),
            "word": ("text.text", {"text": "slow"}),
            "race": "control.race",
            "out": "io.flow_output",
        },
        [
            "word.text -> slow.value",
            "slow.value -> race.values[0]",
            "quick.text -> race.values[1]",
            "race.value -> out.value",
        ],
    )
    ran = await run(flow)
    assert {one.spot.step for one in provenance_of(ran, flow).beginnings(OUT)} == {"quick"}


async def test_a_caught_error_is_followed_to_the_step_that_failed() -> None:
    flow = flow_of(
        {
            "text": ("text.text", {"text": "{"}),
            "parse": "text.parse_json",
            "join": ("text.join", {}),
            "catch": "control.catch",
            "out": "io.flow_output",
        },
        [
            "text.text -> parse.text",
            "parse.value -> join.parts[0]",
            "join.text -> catch.value",
            "catch.error -> out.value",
        ],
    )
    ran = await run(flow)
    provenance = provenance_of(ran, flow)
    assert {one.spot.step for one in provenance.beginnings(OUT)} == {"text"}
    caught = provenance.made_of(Spot(StepId("catch"), "input", "error"))
    assert provenance.made_of(caught[0].spot) == [Source(output("parse", "error"))]


async def test_a_default_that_stands_in_for_a_failure_was_typed_in_the_flow() -> None:
    flow = flow_of(
        {
            "text": ("text.text", {"text": "{"}),
            "parse": ("text.parse_json", {}, {}, {"on_error": "default", "default": {"a": 1}}),
            "out": "io.flow_output",
        },
        ["text.text -> parse.text", "parse.value -> out.value"],
    )
    ran = await run(flow)
    assert begun(provenance_of(ran, flow).beginnings(OUT)) == {("typed", "parse", "default")}


async def test_a_value_that_goes_round_a_loop_a_thousand_times_is_found_where_it_came_from() -> None:
    flow = flow_of(
        {
            "word": ("text.text", {"text": "owl"}),
            "rounds": ("control.loop", {"max_rounds": 1500}),
            "out": "io.flow_output",
        },
        ["word.text -> rounds.start", "rounds.value -> rounds.again", "rounds.result -> out.value"],
    )
    ran = await run(flow)
    provenance = provenance_of(ran, flow)
    assert {one.spot.step for one in provenance.beginnings(OUT)} == {"word"}
    last = provenance.value(Spot(StepId("rounds"), "output", "value", 1500))
    assert last is not None
    assert last.data == "owl"


def test_a_value_that_was_sent_another_way_by_hand_is_still_followed() -> None:
    flow = flow_of(
        {"word": ("text.text", {"text": "owl"}), "pick": ("control.branch", {})},
        ["word.text -> pick.value"],
    )
    state = fold(
        numbered(
            ("word", StepFinished({"text": Shown("owl")})),
            ("pick", StepStarted({"value": Shown("owl")})),
            ("pick", OutputsEdited({"no": Shown("owl")}, ("yes",))),
            ("pick", StepFinished({"no": Shown("owl")})),
        )
    )
    found = Provenance(state, flow, REGISTRY).beginnings(output("pick", "no"))
    assert begun(found) == {("edit", "pick", ""), ("typed", "word", "settings")}
