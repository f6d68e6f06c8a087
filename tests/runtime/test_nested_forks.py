"""Forks inside items of a map inside rounds of a loop, on either side of a branch."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.flow.records import Json
from studio.ids import StepId
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.edited_gate import EditedGate, Edits
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import forked
from tests.runtime import test_fork
from tests.runtime.bench import REGISTRY, Ran, flow_of, run
from tests.runtime.test_fork import bought

SCRIPT = test_fork.SCRIPT

NESTED = flow_of(
    {
        "words": ("io.flow_input", {"type": "text[]", "default": ["a", "bb"]}),
        "rounds": ("control.loop", {"max_rounds": 2}),
        "each": "control.for_each",
        "writer": "llm.chat",
        "long": ("control.branch", {"cases": [{"label": "Yes", "when": "len(value) > 2"}, {"label": "No"}]}),
        "critic": "llm.chat",
        "either": "control.merge",
        "all": "control.collect",
        "out": "io.flow_output",
    },
    [
        "words.value -> rounds.start",
        "rounds.value -> each.items",
        "each.item -> writer.prompt",
        "writer.reply -> long.value",
        "long.yes -> critic.prompt",
        "critic.reply -> either.values[0]",
        "long.no -> either.values[1]",
        "either.value -> all.value",
        "all.values -> rounds.again",
        "rounds.result -> out.value",
    ],
)


async def edited(
    script: Path, place: str, phase: Phase, values: Mapping[str, Json], past: Past | None
) -> Ran:
    """Run it with values in the place of a step's own."""
    edits: Edits = {(StepId(place), phase): values}
    return await run(
        NESTED,
        script=script,
        past=past,
        make_gate=lambda recorder: EditedGate(recorder, edits, NESTED, REGISTRY),
    )


@pytest.mark.parametrize(
    ("place", "phase", "values", "asked"),
    [
        ("rounds.1/each.0/writer", "after", {"reply": "x"}, ["rounds.2/each.0/writer#chat.1"]),
        (
            "rounds.1/each.0/writer",
            "after",
            {"reply": "xyz"},
            [
                "rounds.1/each.0/critic#chat.1",
                "rounds.2/each.0/critic#chat.1",
                "rounds.2/each.0/writer#chat.1",
            ],
        ),
        ("rounds.2/each.1/writer", "before", {"prompt": "x"}, ["rounds.2/each.1/writer#chat.1"]),
        ("rounds.2/each.1/critic", "after", {"reply": "x"}, []),
        ("rounds.1/each.1/long", "before", {"value": "x"}, ["rounds.2/each.1/writer#chat.1"]),
        (
            "rounds.1/all",
            "after",
            {"values": ["a+", "x"]},
            ["rounds.2/each.1/writer#chat.1"],
        ),
    ],
)
async def test_a_fork_gives_what_a_whole_run_with_the_edit_gives_and_asks_what_depends_on_it(
    script: Path, place: str, phase: Phase, values: Mapping[str, Json], asked: list[str]
) -> None:
    old = await run(NESTED, script=script)
    assert old.outputs == {"out": ["a+++", "bb++++"]}
    past = forked(old.entries, NESTED, REGISTRY, [Root(StepId(place), phase == "before")], is_live=True)
    fork = await edited(script, place, phase, values, past)
    whole = await edited(script, place, phase, values, None)
    assert fork.outputs == whole.outputs
    assert bought(fork) == asked


async def test_a_fork_of_a_fork_asks_no_more_than_it_has_to(script: Path) -> None:
    old = await run(NESTED, script=script)
    place = "rounds.1/each.0/writer"
    past = forked(old.entries, NESTED, REGISTRY, [Root(StepId(place), runs_again=False)], is_live=True)
    first = await edited(script, place, "after", {"reply": "x"}, past)
    later = "rounds.2/each.1/writer"
    past = forked(first.entries, NESTED, REGISTRY, [Root(StepId(later), runs_again=False)], is_live=True)
    second = await edited(script, later, "after", {"reply": "y"}, past)
    assert second.outputs == {"out": ["x+", "y"]}
    assert bought(second) == []


@pytest.mark.parametrize("count", [12, 20, 30, 38])
async def test_a_fork_of_a_run_that_is_not_over_asks_what_is_missing(script: Path, count: int) -> None:
    old = await run(NESTED, script=script)
    begun = old.entries[:count]
    answered = {one.step for one in begun if one.event.kind == "chat_answered"}
    fork = await run(NESTED, script=script, past=forked(begun, NESTED, REGISTRY, [], is_live=True))
    assert fork.outputs == old.outputs
    assert not answered & set(bought(fork))
