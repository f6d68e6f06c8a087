"""Races of runs that go back to earlier ones: who won has won, unless the fork is about the race."""

from pathlib import Path
from typing import Any

from studio.ids import StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, resumed
from studio.trace.events import RaceDecided
from tests.runtime.bench import REGISTRY, Ran, flow_of, run
from tests.runtime.virtual_time import run_virtually

OUT = "io.flow_output"
SCRIPT = """
rules:
  - {name: slow, when: {last: slow}, reply: slowly, delay: 20}
  - {name: quick, when: {last: quick}, reply: quickly, delay: 1}
"""
NODES: dict[str, Any] = {
    "slow": ("llm.chat", {}, {"prompt": "slow"}),
    "quick": ("llm.chat", {}, {"prompt": "quick"}),
    "first": "control.race",
    "after": ("text.template", {"template": "{{x}}!"}),
    "out": OUT,
}
WIRES = [
    "slow.reply -> first.values[0]",
    "quick.reply -> first.values[1]",
    "first.value -> after.x",
    "after.text -> out.value",
]
FLOW = flow_of(NODES, WIRES)


def winner(ran: Ran) -> str:
    return next(one.event.winner for one in ran.entries if isinstance(one.event, RaceDecided))


def test_a_fork_behind_a_race_keeps_its_winner_and_asks_no_loser_again(script: Path) -> None:
    first = run_virtually(run(FLOW, script=script, pace=1))
    past = forked(first.entries, FLOW, REGISTRY, [Root(StepId("after"))])
    again = run_virtually(run(FLOW, past=past))
    assert again.outputs == first.outputs == {"out": "quickly!"}
    assert winner(again) == "quick.reply"
    assert again.steps("chat_requested") == ["quick#chat.1"], "what was heard, told again"
    assert again.steps("step_skipped") == ["slow"]


def test_a_fork_at_a_contender_decides_the_race_anew(script: Path) -> None:
    first = run_virtually(run(FLOW, script=script, pace=1))
    past = forked(first.entries, FLOW, REGISTRY, [Root(StepId("quick"))], is_live=True)
    assert past.winners == {}
    changed = flow_of({**NODES, "quick": ("control.delay", {"seconds": 40}, {"value": "late"})},
                      [wire.replace("quick.reply", "quick.value") for wire in WIRES])  # fmt: skip
    again = run_virtually(run(changed, script=script, pace=1, past=past))
    assert again.outputs == {"out": "slowly!"}
    assert winner(again) == "slow.reply"


def test_a_resumed_run_keeps_the_winner_of_every_race_that_was_decided(script: Path) -> None:
    first = run_virtually(run(FLOW, script=script, pace=1))
    decided = next(at for at, one in enumerate(first.entries) if isinstance(one.event, RaceDecided))
    for cut in range(decided + 1, len(first.entries)):
        past, _ = resumed(first.entries[:cut], FLOW, REGISTRY)
        again = run_virtually(run(FLOW, past=past))
        assert again.outputs == first.outputs
        assert winner(again) == "quick.reply"
        assert again.steps("chat_requested") == []
