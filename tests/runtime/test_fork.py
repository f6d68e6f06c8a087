"""What a fork does again, and what it takes over."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.flow.records import Flow, Json
from studio.ids import StepId
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.edited_gate import EditedGate, Edits
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.takeover import forked
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""
LOOP = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "rounds": ("control.loop", {"max_rounds": 3}),
        "writer": "llm.chat",
        "critic": "llm.chat",
        "aside": "llm.chat",
        "out": "io.flow_output",
        "other": "io.flow_output",
    },
    [
        "word.value -> rounds.start",
        "rounds.value -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> rounds.again",
        "rounds.result -> out.value",
        "word.value -> aside.prompt",
        "aside.reply -> other.value",
    ],
)
MAP = flow_of(
    {
        "words": ("value.json", {"value": ["owl", "tit", "wren"]}),
        "each": "control.for_each",
        "writer": "llm.chat",
        "critic": "llm.chat",
        "all": "control.collect",
        "out": "io.flow_output",
    },
    [
        "words.value -> each.items",
        "each.item -> writer.prompt",
        "writer.reply -> critic.prompt",
        "critic.reply -> all.value",
        "all.values -> out.value",
    ],
)
SAVING = flow_of(
    {
        "word": ("io.flow_input", {"default": "a"}),
        "writer": "llm.chat",
        "save": ("io.write_file", {"path": "out.txt", "append": True}),
    },
    ["word.value -> writer.prompt", "writer.reply -> save.text"],
)


async def fork(
    flow: Flow,
    old: Ran,
    place: tuple[str, Phase, str, Json],
    script: Path,
    *,
    is_live: bool = True,
    repeats: bool = False,
) -> Ran:
    """Fork at a step with one other value."""
    step, phase, port, value = place
    roots = [Root(StepId(step), runs_again=phase == "before")]
    edits: Edits = {(StepId(step), phase): {port: value}}
    return await run(
        flow,
        script=script,
        root=script.parent,
        past=forked(old.entries, flow, REGISTRY, roots, is_live=is_live, repeats=repeats),
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, REGISTRY),
    )


def bought(ran: Ran) -> list[str]:
    """The chats that were really asked."""
    reused = ran.steps("answer_reused")
    return sorted(step for step in ran.steps("chat_requested") if step not in reused)


async def test_a_fork_in_a_round_asks_only_what_comes_after_it(script: Path) -> None:
    old = await run(LOOP, script=script)
    assert old.outputs == {"out": "a++++++", "other": "a+"}
    new = await fork(LOOP, old, ("rounds.2/writer", "after", "reply", "b"), script)
    assert new.outputs == {"out": "b+++", "other": "a+"}
    assert bought(new) == ["rounds.2/critic#chat.1", "rounds.3/critic#chat.1", "rounds.3/writer#chat.1"]


async def test_a_fork_with_another_input_runs_its_step_again(script: Path) -> None:
    old = await run(LOOP, script=script)
    new = await fork(LOOP, old, ("rounds.3/critic", "before", "prompt", "c"), script)
    assert new.outputs == {"out": "c+", "other": "a+"}
    assert bought(new) == ["rounds.3/critic#chat.1"]


async def test_a_fork_in_an_item_leaves_the_others_alone(script: Path) -> None:
    old = await run(MAP, script=script)
    new = await fork(MAP, old, ("each.1/writer", "after", "reply", "jay"), script)
    assert new.outputs == {"out": ["owl++", "jay+", "wren++"]}
    assert bought(new) == ["each.1/critic#chat.1"]


async def test_an_unchanged_request_of_a_step_that_runs_again_is_not_paid_again(script: Path) -> None:
    old = await run(MAP, script=script)
    new = await fork(MAP, old, ("words", "after", "value", ["owl", "jay", "wren"]), script)
    assert new.outputs == {"out": ["owl++", "jay++", "wren++"]}
    assert bought(new) == ["each.1/critic#chat.1", "each.1/writer#chat.1"]
    assert new.state.tokens < old.state.tokens


async def test_a_fork_that_is_not_live_stops_at_the_first_new_request(script: Path) -> None:
    old = await run(MAP, script=script)
    new = await fork(MAP, old, ("each.1/writer", "after", "reply", "jay"), script, is_live=False)
    assert new.outcome is not None
    assert new.outcome.error is not None
    assert (new.outcome.error.exit_code, new.outcome.error.step) == (4, "each.1/critic")


async def test_a_side_effect_is_not_repeated_unasked(script: Path, tmp_path: Path) -> None:
    old = await run(SAVING, script=script, root=tmp_path)
    new = await fork(SAVING, old, ("writer", "after", "reply", "b"), script)
    assert new.outcome is not None
    assert new.outcome.error is not None
    assert (new.outcome.error.exit_code, new.outcome.error.step) == (4, "save")
    assert _written(tmp_path) == "a+\n"
    await fork(SAVING, old, ("writer", "after", "reply", "b"), script, repeats=True)
    assert _written(tmp_path) == "a+\nb\n"


async def test_a_side_effect_that_does_not_depend_on_the_fork_is_kept(script: Path, tmp_path: Path) -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"default": "a"}),
            "writer": "llm.chat",
            "save": ("io.write_file", {"path": "out.txt", "append": True}),
            "critic": "llm.chat",
            "out": "io.flow_output",
        },
        [
            "word.value -> writer.prompt",
            "word.value -> save.text",
            "writer.reply -> critic.prompt",
            "critic.reply -> out.value",
        ],
    )
    old = await run(flow, script=script, root=tmp_path)
    new = await fork(flow, old, ("writer", "after", "reply", "b"), script)
    assert new.outputs == {"out": "b+"}
    assert _written(tmp_path) == "a\n"


@pytest.mark.parametrize(
    ("step", "touched"),
    [
        ("rounds.1/writer", False),
        ("rounds.2/writer", False),
        ("rounds.2/critic", True),
        ("rounds.3/writer", True),
        ("out", True),
        ("word", False),
        ("aside", False),
    ],
)
def test_earlier_rounds_do_not_depend_on_later_ones(step: str, *, touched: bool) -> None:
    roots: Sequence[Root] = [Root(StepId("rounds.2/critic"))]
    assert Dependence(LOOP, REGISTRY).is_touched(StepId(step), roots) is touched


def _written(folder: Path) -> str:
    return (folder / "out.txt").read_text("utf-8")
