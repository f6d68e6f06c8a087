"""Replays of runs that call flows: whatever happened in there happens again, without anybody being asked."""

from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.runtime.replay.takeover import replayed
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import flow_of, run
from tests.runtime.called import OUT, bound, calls

BROKEN = flow_of(
    {"text": "io.flow_input", "read": "io.read_file", "said": OUT},
    ["text.value -> read.path", "read.text -> said.value"],
)


def waiting(seconds: float) -> Flow:
    return flow_of(
        {"text": "io.flow_input", "wait": ("control.delay", {"seconds": seconds}), "said": OUT},
        ["text.value -> wait.value", "wait.value -> said.value"],
    )


RACING = flow_of(
    {
        "text": "io.flow_input",
        "one": calls("slow.json"),
        "two": calls("quick.json"),
        "race": "control.race",
        "said": OUT,
    },
    [
        "text.value -> one.text",
        "text.value -> two.text",
        "one.said -> race.values[0]",
        "two.said -> race.values[1]",
        "race.value -> said.value",
    ],
)
NOTING = flow_of(
    {
        "text": "io.flow_input",
        "note": ("value.state_set", {"name": "seen", "how": "append"}),
        "said": OUT,
    },
    ["text.value -> note.value", "note.value -> said.value"],
)
FLOWS = {
    "broken.json": BROKEN,
    "slow.json": waiting(60),
    "quick.json": waiting(0.01),
    "racing.json": RACING,
    "noting.json": NOTING,
}


def calling(name: str, port: str = "said", **more: Any) -> Flow:
    return flow_of({"call": calls(name, {"text": "no.txt"}, more), "out": OUT}, [f"call.{port} -> out.value"])


def in_a_map(name: str) -> Flow:
    return flow_of(
        {
            "words": ("value.json", {"value": ["a", "b", "c"]}),
            "each": "control.for_each",
            "call": calls(name),
            "all": "control.collect",
            "seen": ("value.state_get", {"name": "seen", "default": []}),
            "said": OUT,
            "out": OUT,
        },
        [
            "words.value -> each.items",
            "each.item -> call.text",
            "call.said -> all.value",
            "all.values -> said.value",
            "all.then -> seen.after",
            "seen.value -> out.value",
        ],
    )


@pytest.mark.parametrize(
    ("flow", "given"),
    [
        pytest.param(calling("racing.json"), "no.txt", id="a race of calls within a call"),
        pytest.param(
            calling("broken.json", "error", retries=1, on_error="output"), "ToolError", id="retries"
        ),
        pytest.param(
            calling("slow.json", "error", time_limit=0.02, on_error="output"),
            "TimeLimitError",
            id="a time limit",
        ),
        pytest.param(calling("broken.json"), None, id="a failure that ends the run"),
        pytest.param(in_a_map("quick.json"), [], id="calls in items"),
        pytest.param(in_a_map("noting.json"), ["a", "b", "c"], id="variables written in calls"),
    ],
)
async def test_a_replay_and_its_replay_tell_the_same_course(
    flow: Flow, given: object, tmp_path: Path
) -> None:
    old = await run(flow, flows=FLOWS, root=tmp_path)
    assert old.outcome is not None
    found = old.outcome.outputs.get("out")
    assert (found["error"] if isinstance(found, dict) else found) == given
    ran = old
    for _ in range(2):
        ran = await run(flow, flows=FLOWS, past=replayed(ran.entries, flow, bound(FLOWS)))
        assert first_difference(old.entries, ran.entries) is None
