"""What runs, in which order, with which values."""

from pathlib import Path

import pytest

from studio.errors import StepError
from studio.ids import StepId
from studio.runtime.regions.loops import History
from studio.runtime.values import LARGEST, Value
from tests.runtime.bench import flow_of, run

INPUT = ("io.flow_input", {"type": "text"})
OUTPUT = "io.flow_output"


async def test_a_value_goes_from_input_to_output() -> None:
    flow = flow_of(
        {"name": INPUT, "greet": ("text.template", {"template": "Hello {{name}}!"}), "out": OUTPUT},
        ["name.value -> greet.name", "greet.text -> out.value"],
    )
    ran = await run(flow, {"name": "Ada"})
    assert ran.outputs == {"out": "Hello Ada!"}
    assert ran.steps("step_finished") == ["name", "greet", "out"]


async def test_lists_are_in_wire_order_whatever_arrives_first() -> None:
    flow = flow_of(
        {
            "a": ("text.text", {"text": "a"}),
            "b": ("text.text", {"text": "b"}),
            "late": ("text.template", {"template": "{{x}}!"}),
            "joined": ("text.join", {"separator": ","}),
            "out": OUTPUT,
        },
        [
            "a.text -> late.x",
            "late.text -> joined.parts[1]",
            "b.text -> joined.parts[2]",
            "a.text -> joined.parts[3]",
            "joined.text -> out.value",
        ],
    )
    assert (await run(flow)).outputs == {"out": "a!,b,a"}


BRANCHING = {
    "word": INPUT,
    "long": ("control.branch", {"cases": [{"label": "Long", "when": "len(value) > 3"}, {"label": "Short"}]}),
    "shout": ("text.template", {"template": "{{x}}!"}),
    "whisper": ("text.template", {"template": "({{x}})"}),
    "either": "control.merge",
    "out": OUTPUT,
}
BRANCH_WIRES = [
    "word.value -> long.value",
    "long.long -> shout.x",
    "long.short -> whisper.x",
    "shout.text -> either.values[0]",
    "whisper.text -> either.values[1]",
    "either.value -> out.value",
]


@pytest.mark.parametrize(
    ("word", "given", "skipped"), [("thrush", "thrush!", "whisper"), ("tit", "(tit)", "shout")]
)
async def test_only_the_chosen_case_runs(word: str, given: str, skipped: str) -> None:
    ran = await run(flow_of(BRANCHING, BRANCH_WIRES), {"word": word})
    assert ran.outputs == {"out": given}
    assert ran.steps("step_skipped") == [skipped]


def looping(max_rounds: int = 4, **settings: object) -> dict[str, object]:
    return {
        "word": INPUT,
        "rounds": ("control.loop", {"max_rounds": max_rounds, **settings}),
        "grow": ("text.template", {"template": "{{x}}+"}),
        "enough": (
            "control.branch",
            {"cases": [{"label": "Yes", "when": "len(value) > 3"}, {"label": "No"}]},
        ),
        "out": OUTPUT,
        "all": OUTPUT,
    }


LOOP_WIRES = [
    "word.value -> rounds.start",
    "rounds.value -> grow.x",
    "grow.text -> enough.value",
    "enough.yes -> rounds.done",
    "enough.no -> rounds.again",
    "rounds.result -> out.value",
    "rounds.history -> all.value",
]


async def test_a_loop_goes_round_until_it_is_done() -> None:
    ran = await run(flow_of(looping(), LOOP_WIRES), {"word": "a"})
    assert ran.outputs == {"out": "a+++", "all": ["a+", "a++"]}
    assert [step for step in ran.steps("step_finished") if "grow" in step] == [
        "rounds.1/grow",
        "rounds.2/grow",
        "rounds.3/grow",
    ]


async def test_a_loop_ends_after_its_last_round_with_what_was_given_back() -> None:
    assert (await run(flow_of(looping(2), LOOP_WIRES), {"word": "a"})).outputs["out"] == "a++"


async def test_a_loop_may_fail_after_its_last_round() -> None:
    ran = await run(flow_of(looping(2, on_limit="fail"), LOOP_WIRES), {"word": "a"})
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "rounds"
    assert "after 2 rounds" in ran.outcome.error.message


async def test_a_stop_rule_ends_the_loop() -> None:
    flow = flow_of(looping(9, stop_when="round >= 2"), LOOP_WIRES)
    assert (await run(flow, {"word": ""})).outputs["out"] == "++"


@pytest.mark.parametrize(("kept", "history"), [(0, []), (1, ["a++"]), (2, ["a+", "a++"]), (3, ["a+", "a++"])])
async def test_the_history_of_a_loop_has_its_last_rounds(kept: int, history: list[str]) -> None:
    ran = await run(flow_of(looping(rounds_kept=kept), LOOP_WIRES), {"word": "a"})
    assert ran.outputs["all"] == history


async def test_a_history_that_nobody_reads_is_not_made() -> None:
    ran = await run(flow_of(looping(), LOOP_WIRES[:-1]), {"word": "a"})
    assert set(ran.state.steps[StepId("rounds")].outputs) == {"result"}


def test_a_history_that_is_too_large_says_so_in_the_round_in_which_it_became_so() -> None:
    history = History(4)
    large = Value("x" * (LARGEST // 4))
    for number in range(1, 20):  # the last four have room
        history.add(large, number)
    more = History(5)
    for number in range(1, 5):
        more.add(large, number)
    with pytest.raises(StepError, match=r"history .* 256 MiB in round 5"):
        more.add(large, 5)


async def test_what_hangs_on_a_loop_without_leading_back_runs_once_after_it() -> None:
    nodes = {**looping(), "aside": ("text.template", {"template": "last: {{x}}"}), "side": OUTPUT}
    wires = [*LOOP_WIRES, "grow.text -> aside.x", "aside.text -> side.value"]
    ran = await run(flow_of(nodes, wires), {"word": "a"})
    assert ran.outputs["side"] == "last: a+++"
    assert [step for step in ran.steps("step_finished") if "aside" in step] == ["aside"]


MAPPING = {
    "words": ("value.json", {"value": ["a", "b", "c"]}),
    "each": ("control.for_each", {}),
    "mark": ("text.template", {"template": "{{i}}{{x}}"}),
    "all": "control.collect",
    "out": OUTPUT,
    "kept": OUTPUT,
}
MAP_WIRES = [
    "words.value -> each.items",
    "each.item -> mark.x",
    "each.index -> mark.i",
    "mark.text -> all.value",
    "all.values -> out.value",
    "all.kept -> kept.value",
]


async def test_a_map_gathers_in_the_order_of_its_items() -> None:
    ran = await run(flow_of(MAPPING, MAP_WIRES))
    assert ran.outputs == {"out": ["0a", "1b", "2c"], "kept": [0, 1, 2]}
    assert sorted(step for step in ran.steps("step_finished") if "mark" in step) == [
        "each.0/mark",
        "each.1/mark",
        "each.2/mark",
    ]


async def test_an_empty_list_gives_an_empty_list() -> None:
    nodes = {**MAPPING, "words": ("value.json", {"value": []})}
    assert (await run(flow_of(nodes, MAP_WIRES))).outputs == {"out": [], "kept": []}


async def test_a_loop_inside_a_map_goes_round_for_each_item() -> None:
    nodes = {
        "words": ("value.json", {"value": ["a", "bb"]}),
        "each": "control.for_each",
        "text": ("text.template", {"template": "{{x}}"}),
        "all": "control.collect",
        **{name: node for name, node in looping().items() if name in {"rounds", "grow", "enough"}},
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.item -> text.x",
        "text.text -> rounds.start",
        *LOOP_WIRES[1:5],
        "rounds.result -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["a+++", "bb++"]}
    assert "each.1/rounds.2/grow" in ran.steps("step_finished")
    assert "each.1/rounds.3/grow" not in ran.steps("step_finished")


async def test_a_failed_item_can_be_left_out() -> None:
    nodes = {
        **MAPPING,
        "mark": ("text.template", {"template": "{{x.name}}"}),
        "words": ("value.json", {"value": [{"name": "a"}, {}, {"name": "c"}]}),
        "all": ("control.collect", {"failed": "drop"}),
    }
    wires = [wire for wire in MAP_WIRES if "index" not in wire]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": ["a", "c"], "kept": [0, 2]}


async def test_a_failure_ends_the_run_and_names_the_node(tmp_path: Path) -> None:
    nodes = {"file": ("io.read_file", {}, {"path": "missing.txt"}), "out": OUTPUT}
    ran = await run(flow_of(nodes, ["file.text -> out.value"]), root=tmp_path)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "file"
    assert "missing.txt" in ran.outcome.error.message
    assert ran.events("") == ["run_started", "run_failed"]


async def test_an_error_can_travel_on_as_a_value(tmp_path: Path) -> None:
    nodes = {
        "file": ("io.read_file", {}, {"path": "missing.txt"}, {"on_error": "default", "default": "nothing"}),
        "out": OUTPUT,
    }
    ran = await run(flow_of(nodes, ["file.text -> out.value"]), root=tmp_path)
    assert ran.outputs == {"out": "nothing"}


async def test_a_step_waits_for_what_it_comes_after() -> None:
    nodes = {
        "word": INPUT,
        "first": ("text.template", {"template": "{{x}}"}),
        "second": ("text.text", {"text": "2"}),
        "out": OUTPUT,
    }
    wires = ["word.value -> first.x", "first.then -> second.after", "second.text -> out.value"]
    ran = await run(flow_of(nodes, wires), {"word": "1"})
    assert ran.steps("step_finished") == ["word", "first", "second", "out"]


async def test_values_carry_the_labels_of_what_they_were_made_from() -> None:
    flow = flow_of(
        {
            "name": INPUT,
            "fixed": ("text.text", {"text": "!"}),
            "both": ("text.template", {"template": "{{a}}{{b}}"}),
            "out": OUTPUT,
        },
        ["name.value -> both.a", "fixed.text -> both.b", "both.text -> out.value"],
    )
    ran = await run(flow, {"name": "Ada"})
    assert ran.state.outputs["out"].labels == ("flow", "user")


MUTED = {"state": "muted"}


@pytest.mark.parametrize("node", ["word", "rounds"])
async def test_a_loop_that_is_muted_or_has_no_start_is_skipped_whole(node: str) -> None:
    nodes = looping()
    kind, settings = nodes[node]  # pyright: ignore[reportGeneralTypeIssues]
    nodes[node] = (kind, settings, {}, MUTED)
    ran = await run(flow_of(nodes, LOOP_WIRES), {"word": "a"})
    assert ran.outputs == {}
    assert {"rounds", "out", "all"} <= set(ran.steps("step_skipped"))
    assert not [step for step in ran.state.steps if "rounds." in step]


async def test_a_bypassed_loop_gives_its_start() -> None:
    nodes = {**looping(), "rounds": ("control.loop", {}, {}, {"state": "bypassed"})}
    assert (await run(flow_of(nodes, LOOP_WIRES), {"word": "a"})).outputs == {"out": "a"}


async def test_a_muted_collect_gives_nothing_and_so_does_one_that_comes_after_nothing() -> None:
    nodes = {
        **MAPPING,
        "quiet": ("control.collect", {}, {}, MUTED),
        "late": "control.collect",
        "never": ("text.text", {"text": ""}, {}, MUTED),
        "a": OUTPUT,
        "b": OUTPUT,
    }
    wires = [
        *MAP_WIRES,
        "mark.text -> quiet.value",
        "mark.text -> late.value",
        "never.then -> late.after",
        "quiet.values -> a.value",
        "late.values -> b.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["0a", "1b", "2c"], "kept": [0, 1, 2]}
    assert {"quiet", "late", "a", "b"} <= set(ran.steps("step_skipped"))


async def test_order_wires_cross_the_border_of_a_loop_both_ways() -> None:
    nodes = {
        **looping(),
        "first": ("text.text", {"text": "1"}),
        "fresh": ("text.text", {"text": "2"}),
        "last": ("text.text", {"text": "3"}),
        "end": OUTPUT,
    }
    wires = [
        *LOOP_WIRES,
        "first.then -> grow.after",
        "rounds.round -> fresh.after",
        "fresh.then -> enough.after",
        "grow.then -> last.after",
        "last.text -> end.value",
    ]
    ran = await run(flow_of(nodes, wires), {"word": "a"})
    done = ran.steps("step_finished")
    assert done.index("first") < done.index("rounds.1/grow")
    assert [step for step in done if "fresh" in step] == [f"rounds.{n}/fresh" for n in (1, 2, 3)]
    assert done.index("rounds") < done.index("last")
    assert ran.outputs["end"] == "3"


async def test_an_input_may_be_called_as_an_output_is() -> None:
    nodes = {
        "data": ("value.json", {"value": {"a": 1}}),
        "said": ("text.template", {"template": "{{text}}"}),
        "out": OUTPUT,
    }
    ran = await run(flow_of(nodes, ["data.value -> said.text", "said.text -> out.value"]))
    assert ran.outputs == {"out": '{"a": 1}'}


async def test_the_error_of_a_step_can_be_read_by_another(tmp_path: Path) -> None:
    nodes = {
        "file": ("io.read_file", {}, {"path": "missing.txt"}, {"on_error": "output"}),
        "told": ("text.template", {"template": "{{e.error}}"}),
        "out": OUTPUT,
    }
    ran = await run(flow_of(nodes, ["file.error -> told.e", "told.text -> out.value"]), root=tmp_path)
    assert ran.outputs == {"out": "ToolError"}


async def test_what_comes_after_a_for_each_runs_for_every_item() -> None:
    nodes = {
        "words": ("value.json", {"value": ["a", "b"]}),
        "each": "control.for_each",
        "after": ("text.text", {"text": "x"}),
        "both": ("text.template", {"template": "{{item}}{{x}}"}),
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.then -> after.after",
        "each.item -> both.item",
        "after.text -> both.x",
        "both.text -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": ["ax", "bx"]}


@pytest.mark.parametrize(("found", "joined"), [(["a", "b"], "a-b-z"), ("a", "a-z"), ([], "z")])
async def test_a_list_of_unknown_type_fits_a_list_input_as_it_is(found: object, joined: str) -> None:
    nodes = {
        "found": ("value.json", {"value": found}),
        "last": ("text.text", {"text": "z"}),
        "join": ("text.join", {"separator": "-"}),
        "out": OUTPUT,
    }
    wires = ["found.value -> join.parts[0]", "last.text -> join.parts[1]", "join.text -> out.value"]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": joined}


async def test_in_a_merge_a_list_of_unknown_type_is_one_element() -> None:
    nodes = {
        "found": ("value.json", {"value": ["a", "b"]}),
        "all": ("control.merge", {"gives": "all"}),
        "out": OUTPUT,
    }
    wires = ["found.value -> all.values", "all.value -> out.value"]
    assert (await run(flow_of(nodes, wires))).outputs == {"out": [["a", "b"]]}
