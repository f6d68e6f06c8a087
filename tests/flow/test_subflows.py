"""Making a subflow of a part of a flow, and back: what it is made of, and what is refused."""

from dataclasses import replace

import pytest

from studio.errors import EditRefusedError
from studio.flow.records import Flow, Frame, Json, RunSettings
from studio.flow.subflows.calls import GivenFlows
from studio.flow.subflows.extraction import Extracted, extract
from studio.flow.subflows.inline_calls import dissolve
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from tests.flow.builders import flow, node

CASES: list[Json] = [{"label": "Long", "when": "len(value) > 9"}, {"label": "Short"}]

LETTER = flow(
    {
        "question": "io.flow_input",
        "greeting": node("text.template", title="Greeting", template="Dear {{name}},"),
        "body": node("text.template", title="Body", template="{{head}} {{question}}"),
        "answer": "io.flow_output",
        "short": "io.flow_output",
    },
    "question.value -> greeting.name",
    "question.value -> body.question",
    "greeting.text -> body.head",
    "greeting.text -> short.value",
    "body.text -> answer.value",
)


def registry(**flows: Flow) -> Registry:
    return builtin_registry().with_flows(GivenFlows({f"{name}.json": one for name, one in flows.items()}))


def made(of: Flow, *nodes: str, **flows: Flow) -> Extracted:
    return extract(of, [NodeId(one) for one in nodes], "Part", "part.json", registry(**flows), "main.json")


def refusal(of: Flow, *nodes: str, **flows: Flow) -> str:
    with pytest.raises(EditRefusedError) as refused:
        made(of, *nodes, **flows)
    return refused.value.message


def test_what_crosses_the_border_becomes_inputs_and_outputs_with_readable_names() -> None:
    found = made(LETTER, "greeting", "body")
    assert [str(wire) for wire in found.made.wires] == [
        "body.text -> body_text.value",
        "greeting.text -> body.head",
        "greeting.text -> greeting_text.value",
        "question.value -> body.question",
        "question.value -> greeting.name",
    ]
    assert [str(wire) for wire in found.change.applied_to(LETTER).wires] == [
        "part.body_text -> answer.value",
        "part.greeting_text -> short.value",
        "question.value -> part.question",
    ]
    assert found.made.name == "Part"


def test_what_stands_for_hidden_steps_is_hidden_as_they_were() -> None:
    frame = Frame("Work", 0, 0, 400, 300, holds=("body", "greeting"))
    hidden = replace(LETTER, layout=replace(LETTER.layout, frames={"f": frame}))
    found = made(hidden, "greeting", "body")
    called = found.change.applied_to(hidden)
    assert called.layout.frames["f"].holds == ("part",)
    back = dissolve(called, found.call, registry(part=found.made), "main.json").change.applied_to(called)
    assert back.layout.frames["f"] == frame
    half = replace(LETTER, layout=replace(LETTER.layout, frames={"f": replace(frame, holds=("body",))}))
    seen = made(half, "greeting", "body").change.applied_to(half)
    assert not seen.layout.frames["f"].holds


def test_inputs_and_outputs_of_the_flow_stay_where_they_are() -> None:
    found = made(LETTER, *LETTER.nodes)
    assert set(found.change.applied_to(LETTER).nodes) == {"question", "answer", "short", "part"}


def test_inputs_have_the_type_of_what_comes_in() -> None:
    numbers = flow(
        {
            "count": node("io.flow_input", type="number"),
            "text": node("text.template", template="{{n}}"),
            "out": "io.flow_output",
        },
        "count.value -> text.n",
        "text.text -> out.value",
    )
    assert made(numbers, "text").made.nodes[NodeId("count")].settings == {"type": "number"}


def test_who_lends_only_to_the_selection_goes_along() -> None:
    lending = flow(
        {
            "question": "io.flow_input",
            "agent": node("llm.agent", title="Agent"),
            "files": node("tools.files", title="Files"),
            "out": "io.flow_output",
        },
        "question.value -> agent.prompt",
        "files.tool -> agent.tools[0]",
        "agent.reply -> out.value",
    )
    assert NodeId("files") in made(lending, "agent").made.nodes


def test_who_lends_across_the_border_is_named() -> None:
    lending = flow(
        {
            "question": "io.flow_input",
            "agent": node("llm.agent", title="Agent"),
            "other": node("llm.agent", title="Other"),
            "files": node("tools.files", title="Files"),
            "out": "io.flow_output",
        },
        "question.value -> agent.prompt",
        "agent.reply -> other.prompt",
        "files.tool -> agent.tools[0]",
        "files.tool -> other.tools[0]",
        "other.reply -> out.value",
    )
    assert refusal(lending, "agent") == (
        "“Files” is also attached to “Other”, and attachments cannot cross the border of a subflow."
    )


LOOP = flow(
    {
        "question": "io.flow_input",
        "rounds": node("control.loop", title="Rounds"),
        "draft": node("text.template", title="Draft", template="{{text}}!"),
        "polish": node("text.template", title="Polish", template="{{text}}."),
        "out": "io.flow_output",
    },
    "question.value -> rounds.start",
    "rounds.value -> draft.text",
    "draft.text -> polish.text",
    "polish.text -> rounds.again",
    "rounds.result -> out.value",
)


def test_half_of_a_loop_is_refused_and_all_of_it_or_steps_inside_it_are_not() -> None:
    reaching = flow(
        {
            **{str(name): one for name, one in LOOP.nodes.items()},
            "last": node("text.template", template="{{a}}"),
        },
        *[str(wire) for wire in LOOP.wires],
        "polish.text -> last.a",
    )
    assert refusal(reaching, "polish", "last") == (
        "Only part of “Rounds” is selected; select all of it, or only steps inside it."
    )
    assert set(made(LOOP, "rounds").made.nodes) == {"rounds", "draft", "polish", "question", "result"}
    assert set(made(LOOP, "draft", "polish").made.nodes) == {"draft", "polish", "rounds", "text"}


def test_a_step_between_the_selected_ones_is_named() -> None:
    chain = flow(
        {
            "question": "io.flow_input",
            **{one: node("text.template", title=one.title(), template="{{text}}") for one in ("a", "b", "c")},
            "out": "io.flow_output",
        },
        "question.value -> a.text",
        "a.text -> b.text",
        "b.text -> c.text",
        "c.text -> out.value",
    )
    assert refusal(chain, "a", "c") == "“B” is between the selected steps; select it as well."


FORK = flow(
    {
        "question": "io.flow_input",
        "fork": node("control.branch", title="Fork", cases=CASES),
        "praise": node("text.template", title="Praise", template="Long: {{text}}"),
        "other": node("text.template", title="Other", template="Here: {{text}}"),
        "long": "io.flow_output",
        "always": "io.flow_output",
    },
    "question.value -> fork.value",
    "fork.long -> praise.text",
    "question.value -> other.text",
    "praise.text -> long.value",
    "other.text -> always.value",
)


def test_what_would_be_left_out_together_and_is_not_now_is_refused() -> None:
    assert refusal(FORK, "praise", "other") == (
        "“Fork” may have no output: the subflow would be skipped as a whole, while “Other” now is not."
    )
    assert set(made(FORK, "praise").made.nodes) == {"praise", "fork", "text"}


def test_a_failure_that_a_catch_takes_in_does_not_change_its_way() -> None:
    caught = flow(
        {
            "question": "io.flow_input",
            "risky": node("text.template", title="Risky", template="{{text}}"),
            "also": node("text.template", title="Also", template="{{text}}"),
            "catch": "control.catch",
            "out": "io.flow_output",
            "second": "io.flow_output",
        },
        "question.value -> risky.text",
        "question.value -> also.text",
        "risky.text -> catch.value",
        "catch.value -> out.value",
        "also.text -> second.value",
    )
    assert "its error would take another path" in refusal(caught, "risky", "also")
    assert made(caught, "risky").call == "part"


def test_a_node_of_an_unknown_kind_is_refused() -> None:
    unknown = flow({"a": node("no.such", title="Odd"), "out": "io.flow_output"}, "a.x -> out.value")
    assert refusal(unknown, "a") == "The ports of “Odd” are unknown; fix it first."


def test_nothing_but_ends_is_no_subflow() -> None:
    assert refusal(LETTER, "question", "answer") == "Select the steps to move into a subflow."


def dissolved(of: Flow, call: str, called: Flow) -> Flow:
    return dissolve(of, NodeId(call), registry(part=called), "main.json").change.applied_to(of)


SHOUT = flow(
    {
        "text": "io.flow_input",
        "mark": node("io.flow_input", default="!"),
        "loud": node("text.template", title="Loud", template="{{text}}{{mark}}"),
        "result": "io.flow_output",
    },
    "text.value -> loud.text",
    "mark.value -> loud.mark",
    "loud.text -> result.value",
)
CALLING = flow(
    {
        "question": "io.flow_input",
        "loud": node("text.template", title="Before", template="{{a}}"),
        "call": node("control.subflow", title="Shout", flow="part.json"),
        "out": "io.flow_output",
    },
    "question.value -> loud.a",
    "loud.text -> call.text",
    "call.result -> out.value",
)


def test_a_call_dissolves_into_nodes_with_free_ids_and_defaults_typed_where_they_go() -> None:
    found = dissolved(CALLING, "call", SHOUT)
    assert [str(wire) for wire in found.wires] == [
        "loud.text -> loud_2.text",
        "loud_2.text -> out.value",
        "question.value -> loud.a",
    ]
    assert found.nodes[NodeId("loud_2")].inputs == {"mark": "!"}


def test_a_call_with_an_error_policy_does_not_dissolve() -> None:
    call = CALLING.nodes[NodeId("call")].model_copy(update={"run": RunSettings(retries=2)})
    careful = flow(
        {**{str(name): one for name, one in CALLING.nodes.items()}, "call": call},
        *[str(wire) for wire in CALLING.wires],
    )
    with pytest.raises(EditRefusedError, match="run settings of its own"):
        dissolved(careful, "call", SHOUT)


def test_a_step_is_no_call_that_could_dissolve() -> None:
    with pytest.raises(EditRefusedError, match="does not call a flow"):
        dissolved(CALLING, "loud", SHOUT)


def test_a_value_that_becomes_another_at_the_call_does_not_dissolve() -> None:
    listing = flow(
        {"words": node("io.flow_input"), "keep": "text.join", "result": "io.flow_output"},
        "words.value -> keep.parts[0]",
        "keep.text -> result.value",
    )
    counting = flow(
        {
            "count": node("io.flow_input", type="number"),
            "call": node("control.subflow", flow="part.json"),
            "out": "io.flow_output",
        },
        "count.value -> call.words",
        "call.result -> out.value",
    )
    with pytest.raises(EditRefusedError, match="converted to `text` there"):
        dissolved(counting, "call", listing)
