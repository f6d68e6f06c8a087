"""What is said of a fork before it starts is what then happens; it is recorded what was made different."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.app.reuse.fork_plan import ForkPlan, plan_fork
from studio.flow.edits import set_setting
from studio.ids import NodeId, StepId
from studio.past.fork_wishes import Fork, Setting, with_settings
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms
from studio.store.reader import RunStore
from studio.trace.events import InputsEdited
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.stored import last_run
from tests.app.written_projects import write_project
from tests.documents import document
from tests.trusted import HERE

REGISTRY = builtin_registry()
SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }}+"
"""
FLOW: Mapping[str, object] = document(
    "Rounds of a map",
    {
        "words": {"kind": "io.flow_input", "settings": {"type": "text[]", "default": ["a", "bb"]}},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 2}},
        "each": "control.for_each",
        "writer": {"kind": "llm.chat", "title": "Writer"},
        "all": "control.collect",
        "save": {"kind": "io.write_file", "settings": {"path": "out.txt"}},
        "join": "text.join",
        "out": "io.flow_output",
    },
    "all.values -> rounds.again",
    "each.item -> writer.prompt",
    "join.text -> save.text",
    "rounds.result -> join.parts[0]",
    "rounds.result -> out.value",
    "rounds.value -> each.items",
    "words.value -> rounds.start",
    "writer.reply -> all.value",
)


@pytest.fixture
async def old(tmp_path: Path) -> OldRun:
    """Two rounds over two words, four chats in all."""
    root = write_project(tmp_path / "trial", flow=FLOW, script=SCRIPT)
    session = Session.open(root, REGISTRY)
    first = await run_here(prepare(Project.open(root), session.flow, session.registry, environ=HERE))
    assert first.outputs["out"].data == ["a++", "bb++"]
    return last_run(root)


async def planned_and_run(old: OldRun, fork: Fork) -> tuple[ForkPlan, RunState]:
    plan = plan_fork(old, REGISTRY, fork)
    return plan, await run_here(prepare_fork(old, REGISTRY, fork, Terms(HERE, is_live=True, repeats=True)))


def bought(state: RunState) -> set[str]:
    return {step.id for step in state.steps.values() if step.request is not None and not step.is_reused}


@pytest.mark.parametrize(
    "fork",
    [
        Fork(values=[Setting.read('rounds.2/each.1/writer.prompt="x"')]),
        Fork(values=[Setting.read('rounds.1/each.0/writer.reply="x"')]),
        Fork(inputs={"words": ["c", "dd"]}),
        Fork("rounds.1/each.1/writer"),
        Fork("rounds.2/all"),
        Fork(
            values=[
                Setting.read('rounds.2/each.0/writer#chat.1.answer={"role": "assistant", "content": "x"}')
            ]
        ),
    ],
)
async def test_what_is_announced_is_what_is_reused_and_bought(old: OldRun, fork: Fork) -> None:
    plan, state = await planned_and_run(old, fork)
    assert state.error is None, state.error
    assert bought(state) <= set(plan.asked)
    assert state.tokens > 0 or not plan.asked or "answer" in str(fork.values)
    own = {step.id: step for step in state.steps.values() if not step.call}
    assert {step for step in plan.again if own[step].is_reused} == set()
    assert all(own[step].is_reused for step in plan.reused if step != "words" or own[step].is_reused)


async def test_what_is_only_done_once_more_buys_nothing(old: OldRun) -> None:
    plan, state = await planned_and_run(old, Fork("rounds.1/each.0/writer"))
    assert (plan.asked, plan.tokens, state.tokens) == ((), 0, 0)
    assert "it costs nothing" in plan.sentence


async def test_a_plan_names_what_was_edited_by_hand_and_runs_again(old: OldRun) -> None:
    step = StepId("rounds.1/each.0/writer")
    place = next(at for at, one in enumerate(old.entries) if one.step == step)
    edit = replace(old.entries[place], event=InputsEdited({"prompt": Shown("b")}))
    edited = replace(old, entries=[*old.entries[: place + 1], edit, *old.entries[place + 1 :]])
    flow = set_setting(old.flow, NodeId("writer"), "instructions", "Be brief.").applied_to(old.flow)
    assert plan_fork(edited, REGISTRY, Fork("rounds.2/each.0/writer", flow=flow)).edited == (step,)
    assert plan_fork(old, REGISTRY, Fork("rounds.2/each.0/writer", flow=flow)).edited == ()


async def test_a_plan_says_what_is_bought_and_what_waits_for_a_person(old: OldRun) -> None:
    first = old.run
    plan = plan_fork(old, REGISTRY, Fork(values=[Setting.read('rounds.2/each.1/writer.prompt="x"')]))
    store = RunStore(old.project.private)
    chat = store.load(first).steps[plan.asked[0]]
    assert plan.asked == ("rounds.2/each.1/writer#chat.1",)
    assert plan.tokens == chat.tokens > 0
    assert plan.effects == ("save",)
    assert plan.sentence.startswith("3 steps run again, 3 are reused, it costs at most about 4 tokens")
    assert "unless it takes more rounds or turns than before" in plan.sentence
    assert "bought" not in plan.words(is_live=False)
    assert "only `--live` calls the model" in plan.words(is_live=False)
    assert plan.sentence.endswith("It asks you before 1 side effect is repeated.")


async def test_a_run_tells_what_a_person_made_different_in_it(old: OldRun) -> None:
    flow = with_settings(old.flow, ['writer.instructions="Be brief."'])
    fork = Fork(
        values=[Setting.read('rounds.2/each.1/writer.prompt="x"')], flow=flow, inputs={"words": ["c"]}
    )
    terms = Terms(HERE, is_live=True, repeats=True)
    await run_here(prepare_fork(old, REGISTRY, fork, terms))
    store = RunStore(old.project.private)
    (made,) = [one for one in store.runs() if one.forked_from == old.run]
    assert made.changes.splitlines() == [
        'Set the setting `instructions` of “Writer” to "Be brief.".',
        'Set `words` to ["c"].',
        "Set `rounds.2/each.1/writer.prompt` to “x”.",
    ]
    assert store.load(made.run).forked_from is not None


async def test_a_fork_that_only_runs_again_tells_from_where(old: OldRun) -> None:
    await run_here(prepare_fork(old, REGISTRY, Fork("rounds.2/all"), Terms(HERE, is_live=True, repeats=True)))
    (made,) = [one for one in RunStore(old.project.private).runs() if one.forked_from]
    assert made.changes == "From `rounds.2/all`."
