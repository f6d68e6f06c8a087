from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.ids import RunId
from studio.trace.differences.compare import ASIDE, first_difference, made
from studio.trace.events import (
    BindingOpened,
    ChatRequested,
    Entry,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextStreamed,
    ToolCalled,
    entry_from_json,
    entry_to_json,
)
from studio.trace.events.values import Shown
from tests.trace.builders import answer, histories, numbered


@given(histories())
def test_a_run_is_like_itself_at_another_time_under_another_name_and_read_back(entries: list[Entry]) -> None:
    later = [replace(one, run=RunId("other"), time=one.time + 1e6, number=one.number + 3) for one in entries]
    assert first_difference(entries, [entry_from_json(entry_to_json(one)) for one in later]) is None


@given(histories())
def test_the_order_between_steps_may_differ(entries: list[Entry]) -> None:
    by_step: dict[str, list[Entry]] = {}
    for entry in entries:
        by_step.setdefault(entry.step, []).append(entry)
    assert first_difference(entries, [one for step in sorted(by_step) for one in by_step[step]]) is None


@given(histories(), st.data())
def test_an_entry_that_is_missing_is_missed(entries: list[Entry], data: st.DataObject) -> None:
    kept = list(made([one for one in entries if not isinstance(one.event, ASIDE)]))
    if kept:
        gone = data.draw(st.integers(0, len(kept) - 1))
        # Of equal neighbours in one step it is the last that is said to be missing, but one is.
        fewer = kept[:gone] + kept[gone + 1 :]
        assert first_difference(kept, fewer) is not None
        assert first_difference(fewer, kept) is not None


def finished(step: str, reply: object) -> tuple[str, StepFinished]:
    return step, StepFinished({"reply": Shown(reply)})


def test_the_first_difference_is_told_with_its_step_place_and_both_values() -> None:
    a = numbered(("a", StepStarted()), finished("a", {"x": [1, 2]}), finished("b", "one"))
    b = numbered(("a", StepStarted()), finished("b", "two"), finished("a", {"x": [1, 3]}))
    assert first_difference(a, b) == (
        "Step `a`, event 2: `step_finished` differs at `outputs.reply.data.x[1]`: "
        "2 in the first run, 3 in the second."
    )


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"x": 1}, {}, "at `outputs.reply.data.x`, which the second run lacks"),
        ([1], [1, 2], "1 elements in the first run, 2 in the second"),
        (True, 1, "True in the first run, 1 in the second"),
        ("a", None, "'a' in the first run, None in the second"),
    ],
)
def test_values_differ_in_what_they_lack_hold_and_are(one: object, other: object, told: str) -> None:
    assert told in str(first_difference(numbered(finished("a", one)), numbered(finished("a", other))))


def test_what_only_one_run_did_is_told() -> None:
    a, b = numbered(("a", StepStarted())), numbered(("a", StepStarted()), finished("a", 1))
    assert (
        first_difference(a, b)
        == "Step `a`, event 2: nothing in the first run, `step_finished` in the second."
    )
    assert (
        first_difference(b, a)
        == "Step `a`, event 2: `step_finished` in the first run, nothing in the second."
    )
    assert first_difference(numbered(RunFinished()), []) == (
        "The run itself, event 1: `run_finished` in the first run, nothing in the second."
    )


def test_labels_and_parents_count() -> None:
    labelled = numbered(("a", StepFinished({"reply": Shown(1, ("web",))})))
    assert "labels" in str(first_difference(labelled, numbered(("a", StepFinished({"reply": Shown(1)})))))
    assert "inside `rounds`" in str(
        first_difference(numbered(("a", "rounds", StepStarted())), numbered(("a", "", StepStarted())))
    )


def calling(first: str, second: str, answered: str) -> list[Entry]:
    request = {
        "messages": [answer("", calls=[first, second]).message, {"role": "tool", "tool_call_id": answered}]
    }
    return numbered(
        ("w#chat.1", answer("", calls=[first, second])),
        ("w#tool.1", ToolCalled("search", {}, first)),
        ("w#chat.2", ChatRequested("scripted", request)),
    )


def test_ids_of_tool_calls_may_differ_but_not_which_call_is_answered() -> None:
    assert first_difference(calling("a", "b", "a"), calling("x", "y", "x")) is None
    assert first_difference(calling("a", "b", "a"), calling("x", "y", "y")) is not None


def test_where_the_project_lies_and_how_text_streamed_is_no_difference() -> None:
    a = numbered(RunStarted("f", "{}", project="/here"), ("w", TextStreamed("a")), ("w", TextStreamed("b")))
    assert (
        first_difference(a, numbered(RunStarted("f", "{}", project="/there"), ("w", TextStreamed("ab"))))
        is None
    )


def test_bindings_may_open_in_any_order() -> None:
    a, b = BindingOpened("notes"), BindingOpened("search")
    assert first_difference(numbered(a, b), numbered(b, a)) is None
    assert first_difference(numbered(a, b), numbered(b, b)) is not None


def test_flows_that_are_not_one_are_told_as_a_person_would() -> None:
    def started(name: str, text: str) -> Entry:
        flow = {"format": "stepwire.flow", "version": 1, "name": name, "wires": []}
        flow["nodes"] = {"a": {"kind": "text.template", "settings": {"template": text}}}
        return numbered(RunStarted(name, orjson.dumps(flow).decode()))[0]

    birds = started("Birds", "one")
    assert first_difference([birds], [started("Ponds", "one")]) == (
        "The runs belong to different flows: “Birds” and “Ponds”."
    )
    assert first_difference([birds], [started("Birds", "two")]) == (
        'The flow was edited between them. Changed the setting `template` of “a” from "one" to "two".'
    )
    assert first_difference([birds], [started("Birds", "one")]) is None
