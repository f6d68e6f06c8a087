"""What loops, items and calls of scripts cost: `python -m tests.bench.script_bench [ROUNDS]`.

Microseconds of the processor, in memory, medians of the rounds, each case in turn with the others: a round,
an item and a call with one template in it, drawn and as a script; and those of a script with nothing in them.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from stepwire_kit import Flow, Tools, call, each, load, rounds, run
from stepwire_kit.nodes import template
from studio.flow.records import Flow as Document
from tests.bench.kit_bench import Echo
from tests.documents import document
from tests.kit.flows import flow_of

COUNT = 500
ITEMS: dict[str, Any] = {"items": ["x"] * COUNT}
ASKED = {"question": "Why?"}


def drawn(name: str, nodes: Mapping[str, Any], wires: list[str]) -> Document:
    """A flow with nodes of these kinds and settings."""
    listed: Any = wires
    return flow_of(document(name, dict(nodes), *listed))


SAID = {"kind": "text.template", "settings": {"template": "{{text}}"}}
MAP = drawn(
    "Map",
    {
        "items": {"kind": "io.flow_input", "settings": {"type": "text[]"}},
        "each": {"kind": "control.for_each"},
        "said": SAID,
        "found": {"kind": "control.collect"},
        "answer": {"kind": "io.flow_output"},
    },
    [
        "items.value -> each.items",
        "each.item -> said.text",
        "said.text -> found.value",
        "found.values -> answer.value",
    ],
)
ROUNDS = drawn(
    "Rounds",
    {
        "question": {"kind": "io.flow_input"},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": COUNT}},
        "again": SAID,
        "answer": {"kind": "io.flow_output"},
    },
    [
        "question.value -> rounds.start",
        "rounds.value -> again.text",
        "again.text -> rounds.again",
        "rounds.result -> answer.value",
    ],
)
CALLED = drawn(
    "Called",
    {
        "text": {"kind": "io.flow_input", "settings": {"type": "text"}},
        "said": SAID,
        "out": {"kind": "io.flow_output"},
    },
    ["text.value -> said.text", "said.text -> out.value"],
)
CALLS = drawn(
    "Calls",
    {
        "question": {"kind": "io.flow_input"},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": COUNT}},
        "again": {"kind": "control.subflow", "settings": {"flow": "called"}},
        "answer": {"kind": "io.flow_output"},
    },
    [
        "question.value -> rounds.start",
        "rounds.value -> again.text",
        "again.out -> rounds.again",
        "rounds.result -> answer.value",
    ],
)


async def say(text: str) -> str:
    """One step."""
    return str(await template("said", template="{{text}}", text=text))


async def same(text: str) -> str:
    """No step."""
    return text


def looping(work: Callable[[str], Awaitable[str]]) -> Callable[..., Any]:
    """A script that does something in each round."""

    async def go_round(question: str) -> dict[str, str]:
        text = question
        for _ in rounds("rounds", COUNT):
            text = await work(text)
        return {"answer": text}

    return go_round


def mapping(work: Callable[[str], Awaitable[str]]) -> Callable[..., Any]:
    """A script that does something with each item."""

    async def go_through(items: list[str]) -> dict[str, Any]:
        return {"answer": await each("each", work, items)}

    return go_through


def main() -> None:
    """Print a line for each case."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    tools = Tools(Echo(0), environ={})
    loop = load(ROUNDS)
    items, calls = load(MAP), load(CALLS, flows={"called": CALLED})
    bodies = {
        "a round, script": looping(say),
        "a round, nothing in it": looping(same),
        "an item, script": mapping(say),
        "an item, nothing in it": mapping(same),
        "a call, script": looping(lambda text: call("again", say, text)),
        "a call, nothing in it": looping(lambda text: call("again", same, text)),
    }
    with tempfile.TemporaryDirectory() as folder:
        cases: dict[str, Callable[[], Awaitable[object]]] = {
            "a round, drawn": lambda: run(loop, ASKED, tools),
            "an item, drawn": lambda: run(items, ITEMS, tools),
            "a call, drawn": lambda: run(calls, ASKED, tools),
        }
        for name, body in bodies.items():
            flow = Flow(name, project=Path(folder))
            flow(body)
            given: dict[str, Any] = dict(ITEMS if "item" in name else ASKED)
            cases[name] = lambda flow=flow, given=given: flow.run(tools=tools, **given)
        taken = asyncio.run(_all_of_it(cases, turns))
    sys.stdout.writelines(f"{statistics.median(taken[name]):9.1f}  {name}\n" for name in sorted(taken))


async def _all_of_it(
    cases: Mapping[str, Callable[[], Awaitable[object]]], turns: int
) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(turns + 1):
        for name, one in cases.items():
            began = time.process_time()
            await one()
            if turn:  # the first is to get warm
                taken[name].append((time.process_time() - began) / COUNT * 1e6)
    return taken


if __name__ == "__main__":
    main()
