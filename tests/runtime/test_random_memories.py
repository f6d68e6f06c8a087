"""Random flows with a memory, in maps within maps and loops, do what a page of plain Python says they do.

Whatever is faster; and so do their replays, their forks from any step, and runs that went on after any end.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.flow.checks.check import check
from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.gates.step_ref import StepRef
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, replayed, resumed
from studio.runtime.values import Resolved
from studio.sdk.item_layers import PlainMemories
from studio.sdk.items import Item
from studio.trace.differences.compare import first_difference
from studio.trace.events import MemoryRead
from studio.trace.events.run import Origin
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

Memory: TypeAlias = dict[str, str]


@dataclass(frozen=True)
class Put:
    """Remember a text under a key."""

    key: str
    text: str


@dataclass(frozen=True)
class Ask:
    """Recall all that there is."""


@dataclass(frozen=True)
class Each:
    """Do the same for so many items, so many at once."""

    count: int
    at_once: int
    body: "tuple[Act, ...]"


@dataclass(frozen=True)
class Rounds:
    """Do the same so many times."""

    count: int
    body: "tuple[Act, ...]"


Act: TypeAlias = Put | Ask | Each | Rounds


def several(acts: st.SearchStrategy[Act], most: int) -> st.SearchStrategy[tuple[Act, ...]]:
    return st.lists(acts, min_size=1, max_size=most).map(tuple)


KEYS = st.sampled_from("abcd")
SIMPLE = st.builds(Put, KEYS, st.sampled_from(["one", "two", "three"])) | st.builds(Ask)
ACTS = st.recursive(
    SIMPLE,
    lambda inner: (
        st.builds(
            Each,
            st.integers(1, 3),
            st.sampled_from([1, 2, 3]),
            st.lists(inner, min_size=1, max_size=3).map(tuple),
        )
        | st.builds(Rounds, st.integers(1, 2), st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=6,
)
PROGRAMS = several(ACTS, 5)


@dataclass
class Drawn:
    """A flow that is being drawn; each of its steps comes after the one before."""

    nodes: dict[str, Any] = field(default_factory=lambda: {"board": ("memory.notes", {"gives": 100})})
    wires: list[str] = field(default_factory=list[str])

    def acts(self, acts: Sequence[Act], before: str) -> tuple[str, str]:
        """Draw acts after the socket `before`; gives the sockets that order and carry what comes after."""
        value = before
        for act in acts:
            name = f"n{len(self.nodes)}"
            match act:
                case Put():
                    inputs = {"texts": [act.text], "fields": {"key": act.key}}
                    self.nodes[name] = ("memory.remember", {}, inputs)
                    value = f"{name}.items"
                    self.wires += [f"board.memory -> {name}.memory", f"{before} -> {name}.after"]
                    before = f"{name}.then"
                case Ask():
                    self.nodes[name] = "memory.recall"
                    value = f"{name}.items"
                    self.wires += [f"board.memory -> {name}.memory", f"{before} -> {name}.after"]
                    before = f"{name}.then"
                case Each():
                    self.nodes[name] = ("control.for_each", {"at_once": act.at_once})
                    self.nodes[f"{name}_list"] = ("value.json", {"value": list(range(act.count))})
                    self.nodes[f"{name}_all"] = "control.collect"
                    self.wires += [f"{before} -> {name}_list.after", f"{name}_list.value -> {name}.items"]
                    _, last = self.acts(act.body, f"{name}.index")
                    self.wires.append(f"{last} -> {name}_all.value")
                    value, before = f"{name}_all.values", f"{name}_all.then"
                case Rounds():
                    self.nodes[name] = ("control.loop", {"max_rounds": act.count})
                    self.nodes[f"{name}_start"] = ("value.json", {"value": 0})
                    self.wires += [f"{before} -> {name}_start.after", f"{name}_start.value -> {name}.start"]
                    _, last = self.acts(act.body, f"{name}.round")
                    self.wires.append(f"{last} -> {name}.again")
                    value = before = f"{name}.result"
        return before, value


def drawn(program: Sequence[Act]) -> Flow:
    made = Drawn({"board": ("memory.notes", {"gives": 100}), "first": ("value.json", {"value": 0})})
    _, last = made.acts(program, "first.value")
    made.nodes["out"] = "io.flow_output"
    made.wires.append(f"{last} -> out.value")
    flow = flow_of(made.nodes, made.wires)
    assert not [one for one in check(flow, REGISTRY) if one.severity == "error"]
    return flow


def meant(acts: Sequence[Act], memory: Memory) -> Iterator[Memory]:
    """What each recall finds, in the order of the program, changing the memory on the way."""
    for act in acts:
        match act:
            case Put():
                memory[act.key] = act.text
            case Ask():
                yield dict(memory)
            case Rounds():
                for _ in range(act.count):
                    yield from meant(act.body, memory)
            case Each():
                first = dict(memory)
                for _ in range(act.count):
                    own = dict(memory if act.at_once == 1 else first)
                    before = dict(own)
                    yield from meant(act.body, own)
                    memory |= {key: text for key, text in own.items() if before.get(key) != text}
                    memory |= {one.key: own[one.key] for one in puts(act.body)}


def puts(acts: Sequence[Act]) -> Iterator[Put]:
    """All that is remembered somewhere in acts."""
    for act in acts:
        if isinstance(act, Put):
            yield act
        elif isinstance(act, Each | Rounds):
            yield from puts(act.body)


class Shuffled(OpenGate):
    """Lets each step wait for a while that chance decides, before its work and after it."""

    is_open = False

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        del ref
        return await self._passed(inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        del ref
        return await self._passed(outputs)

    async def _passed(self, values: dict[str, Resolved]) -> dict[str, Resolved]:
        for _ in range(self._chance.randrange(8)):
            await asyncio.sleep(0)
        return values


def in_order(ran: Ran) -> list[Memory]:
    """What recalls found, by the names of their steps: rounds and items come in their order there."""

    def place(step: str) -> list[tuple[int, str]]:
        parts = step.replace("/", ".").split(".")
        return [(int(one), "") if one.isdecimal() else (int(one[1:].split("_")[0]), one) for one in parts]

    found = [
        (
            place(entry.step),
            {str(one.data["data"]["key"]): str(one.data["text"]) for one in entry.event.found},
        )
        for entry in ran.entries
        if isinstance(entry.event, MemoryRead) and entry.event.purpose == "recall"
    ]
    return [recalled for _, recalled in sorted(found, key=lambda one: one[0])]


def kept(ran: Ran) -> Mapping[str, object]:
    written = ran.state.memories.written
    return {key: one.item.data["text"] for name in written for key, one in written[name].items()}


@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 2**16))
async def test_what_is_recalled_is_what_plain_python_says_and_replays_forks_and_resumes_agree(
    program: tuple[Act, ...], seed: int
) -> None:
    chance = Random(seed)  # noqa: S311
    flow = drawn(program)
    memories = partial(PlainMemories, {"board": [Item("z", "old", {"key": "z"})]})
    shuffled = lambda _recorder: Shuffled(Random(seed))  # noqa: E731, S311
    ran = await run(flow, memories=memories(), make_gate=shuffled)
    assert ran.outcome is not None
    assert ran.outcome.error is None
    memory = {"z": "old"}
    expected = list(meant(program, memory))
    assert in_order(ran) == expected
    assert {"z": "old", **kept(ran)} == memory

    again = await run(
        flow,
        past=replayed(ran.entries, flow, REGISTRY),
        forked_from=Origin("bench"),
        memories=PlainMemories(),
    )
    assert first_difference(ran.entries, again.entries) is None

    steps = [one for one in ran.state.steps if "#" not in one and ran.state.steps[one].started is not None]
    step = StepId(chance.choice(steps))
    past = forked(ran.entries, flow, REGISTRY, [Root(step)], is_live=True)
    fork = await run(flow, past=past, forked_from=Origin("bench", step), memories=memories())
    assert in_order(fork) == expected
    assert kept(fork) == kept(ran)

    cut = chance.randrange(2, len(ran.entries))
    past, _ = resumed(ran.entries[:cut], flow, REGISTRY)
    rest = await run(
        flow, past=past, goes_on=True, memories=memories(), ran=Ran(ran.entries[:cut]), make_gate=shuffled
    )
    assert {"z": "old", **kept(rest)} == memory
    assert in_order(rest)[-1:] == expected[-1:]
