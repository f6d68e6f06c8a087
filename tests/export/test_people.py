"""Nothing mends that nobody is here to answer: it ends a script as it ends a run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio.export.script_steps import first_value
from studio.export.script_terminal import WaitingError
from tests.export.scripts import call, export
from tests.runtime.bench import flow_of

ASK = "human.ask"
OUT = "io.flow_output"
ASKED = {"question": "Which hedge?"}
LIST = ("value.json", {"value": ["a", "b"]})
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an error as a value": (
        {"ask": (ASK, {}, ASKED, {"on_error": "output"}), "out": OUT},
        ["ask.error -> out.value"],
    ),
    "another attempt": ({"ask": (ASK, {}, ASKED, {"retries": 2}), "out": OUT}, ["ask.answer -> out.value"]),
    "a catch": (
        {"ask": (ASK, {}, ASKED), "safe": "control.catch", "out": OUT},
        ["ask.answer -> safe.value", "safe.error -> out.value"],
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
}


@pytest.mark.parametrize("name", FLOWS)
def test_what_takes_errors_in_does_not_take_in_that_nobody_answers(name: str, tmp_path: Path) -> None:
    export(flow_of(*FLOWS[name]), tmp_path / "script.py")
    ended = call(tmp_path / "script.py")
    assert (ended.code, ended.out) == (1, "")
    assert "error: WaitingError: Nobody is here to answer" in ended.err


def test_a_race_does_not_pass_over_that_nobody_answers() -> None:
    async def ask() -> str:
        raise WaitingError("Nobody is here to answer.")

    async def wait() -> str:
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(WaitingError):
        asyncio.run(first_value(wait, ask))
