"""A replay does the same as the run before it, event by event, though nothing in it takes any time."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.ids import ROOT, NodeId, RunId, StepId
from studio.runtime.calls.context import StepContext
from studio.runtime.limits.cancellations import Stops
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import replayed
from studio.runtime.resources.people import NoPeople
from studio.runtime.services import Services
from studio.runtime.state.run_memories import RunMemories
from studio.runtime.state.run_variables import Variables
from studio.sdk.item_layers import PlainMemories
from studio.trace.differences.compare import first_difference
from studio.trace.events import RunCancelled, StepCancelled, StopAsked
from studio.trace.recording import Recording
from tests.runtime.bench import REGISTRY, DebugGate, Ran, flow_of, run
from tests.runtime.virtual_time import run_virtually

OUT = "io.flow_output"
WORD = ("text.text", {"text": "a"})
HURT = "text.template"
BROKEN = {"template": "{{x.name}}"}
SCRIPT = """
rules:
  - {name: slow, when: {last: "slow"}, reply: slowly, delay: 600}
  - {name: broken, when: {last: "broken"}, error: {status: 500}}
  - {name: search, when: {turn: 0, has_tool: text_search}, delay: 0.3,
     tool_calls: [{name: text_search, arguments: {query: wren}}]}
  - {name: any, reply: "well said", delay: 0.1, tokens_per_second: 20}
"""


def delay(seconds: float, **run_settings: object) -> tuple[object, ...]:
    return "control.delay", {"seconds": seconds}, {}, run_settings


def chat(prompt: str, **run_settings: object) -> tuple[object, ...]:
    return "llm.chat", {}, {"prompt": prompt}, run_settings


FLOWS: Mapping[str, tuple[dict[str, Any], list[str]]] = {
    "a race of delays": (
        {
            "word": WORD,
            "slow": delay(5),
            "quick": delay(1),
            "first": "control.race",
            "out": OUT,
        },
        [
            "word.text -> slow.value",
            "word.text -> quick.value",
            "slow.value -> first.values[0]",
            "quick.value -> first.values[1]",
            "first.value -> out.value",
        ],
    ),
    "a race that a chat loses while it is asked": (
        {"chat": chat("slow"), "word": WORD, "quick": delay(2), "first": "control.race", "out": OUT},
        [
            "chat.reply -> first.values[0]",
            "word.text -> quick.value",
            "quick.value -> first.values[1]",
            "first.value -> out.value",
        ],
    ),
    "a race that a chain loses in its third step": (
        {
            "word": WORD,
            "one": delay(1),
            "two": chat("well?"),
            "three": delay(9),
            "four": delay(1),
            "quick": delay(4),
            "first": "control.race",
            "out": OUT,
        },
        [
            "word.text -> one.value",
            "one.then -> two.after",
            "two.reply -> three.value",
            "three.value -> four.value",
            "four.value -> first.values[0]",
            "word.text -> quick.value",
            "quick.value -> first.values[1]",
            "first.value -> out.value",
        ],
    ),
    "races in the items of a map": (
        {
            "list": ("value.json", {"value": ["a", "b", "c"]}),
            "each": ("control.for_each", {"at_once": 2}),
            "slow": delay(5),
            "quick": delay(1),
            "first": "control.race",
            "all": "control.collect",
            "out": OUT,
        },
        [
            "list.value -> each.items",
            "each.item -> slow.value",
            "each.item -> quick.value",
            "slow.value -> first.values[0]",
            "quick.value -> first.values[1]",
            "first.value -> all.value",
            "all.values -> out.value",
        ],
    ),
    "a map that loses a race": (
        {
            "list": ("value.json", {"value": [1, 2, 3]}),
            "each": ("control.for_each", {"at_once": 1}),
            "wait": delay(2),
            "all": "control.collect",
            "word": WORD,
            "quick": delay(3),
            "first": "control.race",
            "out": OUT,
        },
        [
            "list.value -> each.items",
            "each.item -> wait.value",
            "wait.value -> all.value",
            "all.values -> first.values[0]",
            "word.text -> quick.value",
            "quick.value -> first.values[1]",
            "first.value -> out.value",
        ],
    ),
    "a failure that stops others and ends the run": (
        {"word": WORD, "wait": delay(1), "broken": (HURT, BROKEN), "slow": delay(8), "asked": chat("slow")},
        ["word.text -> wait.value", "wait.value -> broken.x", "word.text -> slow.value"],
    ),
    "a failure that is caught, after attempts": (
        {
            "word": WORD,
            "broken": (HURT, BROKEN, {}, {"retries": 2}),
            "aside": delay(3),
            "catch": "control.catch",
            "out": OUT,
            "also": OUT,
        },
        [
            "word.text -> broken.x",
            "broken.text -> catch.value",
            "catch.error -> out.value",
            "word.text -> aside.value",
            "aside.value -> also.value",
        ],
    ),
    "a chat that fails, is asked again, and gives a default": (
        {"chat": chat("broken", retries=1, on_error="default", default="none"), "out": OUT},
        ["chat.reply -> out.value"],
    ),
    "a time limit that passes in a delay": (
        {"word": WORD, "wait": delay(9, time_limit=2, on_error="default", default="late"), "out": OUT},
        ["word.text -> wait.value", "wait.value -> out.value"],
    ),
    "a time limit that passes in a chat, twice": (
        {
            "chat": chat("slow", time_limit=3, retries=1, on_error="output"),
            "out": OUT,
        },
        ["chat.error -> out.value"],
    ),
    "a time limit that ends the run": (
        {"chat": chat("slow", time_limit=3), "out": OUT},
        ["chat.reply -> out.value"],
    ),
    "a time limit of a loop": (
        {
            "word": WORD,
            "rounds": (
                "control.loop",
                {"max_rounds": 5},
                {},
                {"time_limit": 5, "on_error": "default", "default": "late"},
            ),
            "wait": delay(2),
            "out": OUT,
        },
        [
            "word.text -> rounds.start",
            "rounds.value -> wait.value",
            "wait.value -> rounds.again",
            "rounds.result -> out.value",
        ],
    ),
    "items that write to variables as they end": (
        {
            "list": ("value.json", {"value": [3, 1, 2]}),
            "each": ("control.for_each", {"at_once": 3}),
            "chat": chat("x"),
            "note": ("value.state_set", {"name": "seen", "how": "append"}),
            "all": "control.collect",
            "get": ("value.state_get", {"name": "seen"}),
            "out": OUT,
        },
        [
            "list.value -> each.items",
            "each.item -> note.value",
            "note.then -> chat.after",
            "chat.reply -> all.value",
            "all.then -> get.after",
            "get.value -> out.value",
        ],
    ),
    "variables that nobody orders": (
        {
            "word": WORD,
            "one": delay(2),
            "two": delay(1),
            "first": ("value.state_set", {"name": "seen", "how": "append"}),
            "second": ("value.state_set", {"name": "seen", "how": "append"}),
            "third": delay(1.5),
            "get": ("value.state_get", {"name": "seen"}),
            "out": OUT,
        },
        [
            "word.text -> one.value",
            "word.text -> two.value",
            "word.text -> third.value",
            "one.value -> first.value",
            "two.value -> second.value",
            "third.then -> get.after",
            "get.value -> out.value",
        ],
    ),
    "an agent with a tool": (
        {
            "search": ("tools.text_search", {"folder": "data"}),
            "agent": ("llm.agent", {}, {"prompt": "What?"}),
            "out": OUT,
        },
        ["search.tool -> agent.tools", "agent.reply -> out.value"],
    ),
    "a file that is missing": (
        {"read": ("io.read_file", {}, {"path": "b.txt"}), "catch": "control.catch", "out": OUT},
        ["read.text -> catch.value", "catch.error -> out.value"],
    ),
    "a file that is written in rounds": (
        {
            "word": WORD,
            "rounds": ("control.loop", {"max_rounds": 3}),
            "save": ("io.write_file", {"path": "out.txt", "append": True}),
            "more": (HURT, {"template": "{{x}}a"}),
            "out": OUT,
        },
        [
            "word.text -> rounds.start",
            "rounds.value -> save.text",
            "save.then -> more.after",
            "rounds.value -> more.x",
            "more.text -> rounds.again",
            "rounds.result -> out.value",
        ],
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "may.txt").write_text("A wren sang.\n", "utf-8")
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    return tmp_path


async def replay(flow: Flow, first: Ran, root: Path) -> Ran:
    return await run(flow, root=root, past=replayed(first.entries, flow, REGISTRY))


@pytest.mark.parametrize("name", FLOWS)
def test_a_replay_is_the_same_run_once_more(name: str, root: Path) -> None:
    flow = flow_of(*FLOWS[name])
    first = run_virtually(run(flow, root=root, script=root / "answers.yaml", pace=1))
    (root / "b.txt").write_text("here by now", "utf-8")
    again = run_virtually(replay(flow, first, root))
    assert first_difference(first.entries, again.entries) is None
    assert again.outcome == first.outcome
    assert again.state.variables == first.state.variables
    assert again.state.tokens == 0


@pytest.mark.parametrize("name", FLOWS)
def test_a_replay_of_a_replay_is_too(name: str, root: Path) -> None:
    flow = flow_of(*FLOWS[name])
    first = run_virtually(run(flow, root=root, script=root / "answers.yaml", pace=1))
    second = run_virtually(replay(flow, first, root))
    third = run_virtually(replay(flow, second, root))
    assert first_difference(first.entries, third.entries) is None


def test_a_run_that_a_person_stopped_is_replayed_as_far_as_it_came(root: Path) -> None:
    flow = flow_of({"chat": chat("well?"), "next": "llm.chat", "out": OUT},
                   ["chat.reply -> next.prompt", "next.reply -> out.value"])  # fmt: skip
    first = run_virtually(run(flow, root=root, script=root / "answers.yaml", pace=1))
    at = next(at for at, one in enumerate(first.entries) if one.step == "next#chat.1")
    *before, last = first.entries[: at + 1]
    ends = [("next#chat.1", StepCancelled()), ("next", StepCancelled()), ("", RunCancelled())]
    stopped = [*before, last, *(replace(last, step=StepId(step), event=event) for step, event in ends)]
    again = run_virtually(replay(flow, Ran(stopped), root))
    assert again.outcome is not None
    assert again.outcome.error is not None
    assert (again.outcome.error.exit_code, again.outcome.error.step) == (4, "next")


def test_a_replay_that_does_something_else_gives_the_course_up_and_goes_on() -> None:
    cases = [{"label": "Left", "when": "value == 'a'"}, {"label": "Right"}]
    nodes = {
        "word": ("io.flow_input", {"default": "a"}),
        "way": ("control.branch", {"cases": cases}),
        "left": delay(1),
        "right": delay(2),
        "slow": delay(9),
        "first": "control.race",
        "out": OUT,
    }
    wires = [
        "word.value -> way.value",
        "way.left -> left.value",
        "way.right -> right.value",
        "word.value -> slow.value",
        "left.value -> first.values[0]",
        "right.value -> first.values[1]",
        "slow.value -> first.values[2]",
        "first.value -> out.value",
    ]
    flow = flow_of(nodes, wires)
    first = run_virtually(run(flow))
    past = replayed(first.entries, flow, REGISTRY)
    again = run_virtually(run(flow, {"word": "b"}, past=past))
    assert first.outputs == {"out": "a"}
    assert again.outputs == {"out": "b"}
    assert past.course is not None
    assert past.course.is_left


def test_what_will_not_happen_is_not_waited_for() -> None:
    nodes, wires = FLOWS["a race of delays"]
    flow = flow_of(nodes, wires)
    first = run_virtually(run(flow))
    more = [*first.entries[:5], replace(first.entries[5], step=StepId("gone")), *first.entries[5:]]
    past = replayed(more, flow, REGISTRY)
    again = run_virtually(run(flow, past=past))
    assert again.outputs == first.outputs


async def test_the_clock_and_chance_are_the_same_in_a_replay(root: Path) -> None:
    def drawn(past: Past | None) -> tuple[Ran, list[object]]:
        ran = Ran()
        recorder = Recorder(RunId("r"), MemorySink(ran.entries.append))
        services = Services(
            recorder, pytest.fail, NoPeople(), root, RunMemories(PlainMemories(), recorder, RunId("r")), past
        )
        values: list[object] = []
        for attempt in (1, 2):
            context = StepContext(services, NodeId("a"), ROOT, attempt=attempt, layer=Variables())
            values += [context.now(), context.random().random(), context.random().random(), context.now()]
        return ran, values

    ran, first = drawn(None)
    again, values = drawn(Past(RunId("r"), Recording.of(ran.entries)))
    assert values == first
    assert first_difference(ran.entries, again.entries) is None
    assert len({str(one) for one in first}) == len(first), "no two of them are the same"


@pytest.mark.parametrize(
    ("name", "policy"),
    [("slow", {"on_error": "default", "default": "given up"}), ("asked", {}), ("each.1", {})],
)
def test_what_a_person_cancelled_is_cancelled_again(name: str, policy: dict[str, Any], root: Path) -> None:
    nodes = {
        "list": ("value.json", {"value": ["a", "b"]}),
        "each": "control.for_each",
        "wait": delay(50),
        "all": ("control.collect", {"failed": "drop"}),
        "slow": ("control.delay", {"seconds": 40}, {"value": "late"}, policy),
        "asked": chat("slow", on_error="output"),
        "also": OUT,
        "said": OUT,
        "out": OUT,
    }
    wires = [
        "list.value -> each.items",
        "each.item -> wait.value",
        "wait.value -> all.value",
        "all.values -> out.value",
        "slow.value -> also.value",
        "asked.error -> said.value",
    ]
    flow = flow_of(nodes, wires)
    stops = Stops()

    async def cancel(_ran: Ran) -> None:
        await asyncio.sleep(30)
        assert stops.cancel(name)

    script = root / "answers.yaml"
    first = run_virtually(run(flow, root=root, script=script, pace=1, stops=stops, while_running=cancel))
    assert [one.event for one in first.entries if isinstance(one.event, StopAsked)] == [StopAsked(name)]
    again = run_virtually(replay(flow, first, root))
    assert first_difference(first.entries, again.entries) is None
    assert again.outcome == first.outcome


def test_a_replay_that_is_held_keeps_to_its_course_however_long(root: Path) -> None:
    nodes, wires = FLOWS["a race that a chat loses while it is asked"]
    flow = flow_of(nodes, wires)
    first = run_virtually(run(flow, root=root, script=root / "answers.yaml", pace=1))
    gates: list[DebugGate] = []

    def hold_at_quick(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, ["quick"]))
        return gates[0]

    async def hold(_ran: Ran) -> None:
        await asyncio.sleep(3600)
        assert [ref.node for ref in gates[0].held] == ["quick"]
        gates[0].resume()

    past = replayed(first.entries, flow, REGISTRY)
    again = run_virtually(run(flow, root=root, past=past, make_gate=hold_at_quick, while_running=hold))
    assert again.outcome == first.outcome
    assert again.events("chat") == first.events("chat")
