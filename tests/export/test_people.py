"""Nothing mends that nobody is here to answer: it ends a script as it ends a run."""

import asyncio
import io
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from studio.export.lifted.steps import first_value
from studio.export.lifted.terminal import Keyboard, WaitingError
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
    assert (ended.code, ended.out) == (4, "")
    assert "error: WaitingError: Nobody is here to answer" in ended.err


def test_a_race_does_not_pass_over_that_nobody_answers() -> None:
    async def ask() -> str:
        raise WaitingError("Nobody is here to answer.")

    async def wait() -> str:
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(WaitingError):
        asyncio.run(first_value(wait, ask))


ENTRY = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "day": {"type": "string", "format": "date", "default": "2026-05-01"},
        "sure": {"type": "boolean"},
    },
    "required": ["count", "sure"],
}


def test_a_form_is_asked_until_each_answer_fits_the_whole_schema(tmp_path: Path) -> None:
    nodes = {"ask": (ASK, {"form": ENTRY}, ASKED), "out": OUT}
    export(flow_of(nodes, ["ask.answers -> out.value"]), tmp_path / "script.py")
    ended = call(tmp_path / "script.py", typed="none\n12\n3\nsoon\n\nperhaps\nyes\n")
    assert ended.outputs == {"out": {"count": 3, "day": "2026-05-01", "sure": True}}
    assert "count (a whole number, at least 1, at most 9): " in ended.err
    assert "day (format date) [2026-05-01]: " in ended.err
    for said in ("has to be a whole number", "should be at most 9", "such as 2026-05-03", "Answer yes or no"):
        assert said in ended.err, said


def test_a_plain_question_brings_no_forms(tmp_path: Path) -> None:
    text = export(flow_of(*FLOWS["an error as a value"]), tmp_path / "script.py")
    assert [name for name in ("jsonschema", "mismatch", "value_of", "KINDS") if name in text] == []


async def test_a_failure_beside_a_question_ends_the_script_though_nobody_types(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "ask": (ASK, {}, ASKED),
        "wait": ("control.delay", {"seconds": 30}, {"value": "x"}, {"time_limit": 0.1}),
        "out": OUT,
        "other": OUT,
    }
    export(flow_of(nodes, ["ask.answer -> out.value", "wait.value -> other.value"]), tmp_path / "script.py")
    async with asyncio.timeout(20):
        process = await open_script(tmp_path / "script.py")
        assert await process.wait() == 1


async def test_an_interrupted_script_says_so_at_once(tmp_path: Path) -> None:
    export(flow_of(*FLOWS["an error as a value"]), tmp_path / "script.py")
    async with asyncio.timeout(20):
        process = await open_script(tmp_path / "script.py")
        assert process.stderr is not None
        await process.stderr.readuntil(b"Answer: ")
        process.send_signal(signal.SIGINT)
        said = await process.stderr.read()
        assert (await process.wait(), said.strip()) == (130, b"interrupted")


@pytest.mark.parametrize("keyboard", [None, io.TextIOWrapper(io.BytesIO(b"\xff\n"), "utf-8")])
async def test_where_no_text_can_come_from_nobody_is_waited_for(
    keyboard: io.TextIOWrapper | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", keyboard)
    async with asyncio.timeout(5):
        assert await Keyboard().typed_line() == ""


async def open_script(path: Path) -> asyncio.subprocess.Process:
    """Start a script at whose terminal somebody sits who types nothing."""
    return await asyncio.create_subprocess_exec(
        sys.executable, str(path), stdin=PIPE, stdout=PIPE, stderr=PIPE
    )


APPROVE = "human.approve"
GIVEN = {"question": "May this be sent?", "value": "A wren."}


@pytest.mark.parametrize(
    ("typed", "outputs"),
    [
        ("approve\n\n", {"approved": "A wren."}),
        ("edit\nTwo wrens.\nI counted.\n", {"approved": "Two wrens.", "reason": "I counted."}),
        ("perhaps\nreject\n\nNone sang.\n", {"rejected": "A wren.", "reason": "None sang."}),
    ],
)
def test_an_approval_is_decided_at_the_terminal_of_a_script(
    typed: str, outputs: dict[str, str], tmp_path: Path
) -> None:
    names = ("approved", "rejected", "reason")
    nodes: dict[str, Any] = {"may": (APPROVE, {}, GIVEN), **{f"{one}_out": OUT for one in names}}
    export(flow_of(nodes, [f"may.{one} -> {one}_out.value" for one in names]), tmp_path / "script.py")
    ended = call(tmp_path / "script.py", typed=typed)
    assert ended.outputs == {f"{name}_out": said for name, said in outputs.items()}
    assert "? May this be sent?\nA wren.\n" in ended.err


def test_a_form_within_a_form_is_asked_by_a_script_as_well(tmp_path: Path) -> None:
    bird = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    form = {
        "type": "object",
        "properties": {"birds": {"type": "array", "items": {"$ref": "#/$defs/bird"}}},
        "$defs": {"bird": bird},
    }
    nodes = {"ask": (ASK, {"form": form}, ASKED), "out": OUT}
    export(flow_of(nodes, ["ask.answers -> out.value"]), tmp_path / "script.py")
    ended = call(tmp_path / "script.py", typed="yes\nwren\n\n")
    assert ended.outputs == {"out": {"birds": [{"name": "wren"}]}}
