"""A script asks people as a run does, and ends as one where nobody is here to answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.ids import RunId, StepId
from studio.runtime.resources.people import NoPeople
from studio.sdk.context import Form
from studio.store.reader import RunStore
from tests.export.equality import Row, both, script_of
from tests.runtime.bench import flow_of
from tests.script.commands import run_script

ASK, APPROVE = "human.ask", "human.approve"
OUT = "io.flow_output"
ASKED = {"question": "Which hedge?"}
LIST = ("value.json", {"value": ["a", "b"]})
FORM = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an error as a value": (
        {"ask": (ASK, {}, ASKED, {"on_error": "output"}), "out": OUT, "said": OUT},
        ["ask.error -> out.value", "ask.answer -> said.value"],
    ),
    "another attempt": ({"ask": (ASK, {}, ASKED, {"retries": 2}), "out": OUT}, ["ask.answer -> out.value"]),
    "a catch": (
        {"ask": (ASK, {}, ASKED), "safe": "control.catch", "out": OUT, "said": OUT},
        ["ask.answer -> safe.value", "safe.error -> out.value", "safe.value -> said.value"],
    ),
    "a map": (
        {
            "list": LIST,
            "each": "control.for_each",
            "ask": ASK,
            "all": ("control.collect", {"failed": "drop"}),
            "out": OUT,
        },
        [
            "list.value -> each.items",
            "each.item -> ask.question",
            "ask.answer -> all.value",
            "all.values -> out.value",
        ],
    ),
    "a race": (
        {
            "ask": (ASK, {}, ASKED),
            "slow": ("control.delay", {"seconds": 600}, {"value": "never"}),
            "first": "control.race",
            "out": OUT,
        },
        ["ask.answer -> first.values[0]", "slow.value -> first.values[1]", "first.value -> out.value"],
    ),
    "two questions": (
        {
            "first": (ASK, {}, ASKED),
            "second": (ASK, {"form": FORM}),
            "out": OUT,
            "all": OUT,
        },
        ["first.answer -> second.question", "second.answers -> out.value", "first.answer -> all.value"],
    ),
    "an approval": (
        {
            "may": (APPROVE, {}, {"question": "May this be sent?", "value": "A wren."}),
            **{f"{one}_out": OUT for one in ("approved", "rejected", "reason")},
        },
        [f"may.{one} -> {one}_out.value" for one in ("approved", "rejected", "reason")],
    ),
}


class Somebody:
    """A person who knows what to answer."""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Answer what is asked."""
        assert step
        properties: Any = form.schema["properties"]
        known = {"answer": "the pond", "sure": True, "decision": "approve"}
        return {name: known[name] for name in properties if name in known}


@pytest.mark.parametrize("name", FLOWS)
def test_what_people_answer_is_the_same_in_a_script(name: str, tmp_path: Path) -> None:
    found = both(Row(flow_of(*FLOWS[name])), tmp_path, make_people=Somebody)
    assert found.differences() == []
    assert found.error == ""


@pytest.mark.parametrize("name", FLOWS)
def test_what_takes_errors_in_does_not_take_in_that_nobody_answers(name: str, tmp_path: Path) -> None:
    found = both(Row(flow_of(*FLOWS[name])), tmp_path, make_people=lambda: NoPeople(RunId("nobody")))
    assert found.script.outcome is not None
    assert found.script.outcome.error is not None
    assert found.script.outcome.error.exit_code == 4
    assert found.error == found.script.outcome.error.error


def test_a_script_that_waits_for_a_person_ends_with_4_and_is_there_to_be_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script_of(flow_of(*FLOWS["two questions"]))
    assert run_script(tmp_path / "script.py", text) == 4
    (run,) = RunStore(tmp_path / ".stepwire").runs()
    assert run.run in capsys.readouterr().err
