"""Vectors of texts: what the run says of them, what they cost, and what a replay and a fork take over."""

from pathlib import Path
from typing import Any

import pytest

from studio.errors import ValueTypeError
from studio.ids import RunId, StepId
from studio.llm.embeddings import as_vector
from studio.llm.scripted_answers.embeddings import embed
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.gates.value_edits import read_edits
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import replayed
from studio.store.summary import Tally
from studio.trace.differences.compare import first_difference
from studio.trace.events import EmbedRequested
from studio.trace.recording import Recording
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, run_held, until

TEXTS = ["moss", "a wren", "moss"]
FLOW = flow_of(
    {
        "words": ("value.json", {"value": TEXTS}),
        "vectors": ("llm.embed", {"dimensions": 8, "batch": 1}),
        "out": "io.flow_output",
    },
    ["words.value -> vectors.texts", "vectors.vectors -> out.value"],
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "answers.yaml"
    path.write_text("rules: [{reply: hm}]")
    return path


def asked(ran: Ran) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (str(entry.step), entry.event.texts)
        for entry in ran.entries
        if isinstance(entry.event, EmbedRequested)
    ]


async def test_each_request_is_a_child_step_that_costs_what_the_endpoint_counted(script: Path) -> None:
    ran = await run(FLOW, script=script)
    assert ran.outputs["out"] == [as_vector(embed(text, 8)) for text in TEXTS]
    assert asked(ran) == [("vectors#embed.1", ("moss",)), ("vectors#embed.2", ("a wren",))]
    state = ran.state
    assert state.tokens == state.steps[StepId("vectors")].tokens == 5
    assert state.steps[StepId("vectors#embed.2")].text == "1 × 8"
    tally = Tally(RunId("bench"))
    tally.count_all(ran.entries)
    assert tally.summary.tokens == 5
    assert "chat" in state.steps[StepId("vectors")].outputs["vectors"].labels


async def test_a_replay_asks_nobody_and_gives_the_same_vectors(script: Path) -> None:
    ran = await run(FLOW, script=script)
    past = replayed(ran.entries, FLOW, REGISTRY)
    again = await run(FLOW, past=past)
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None
    assert again.state.tokens == 0


async def test_without_a_recorded_answer_a_replay_ends(script: Path) -> None:
    ran = await run(FLOW, script=script)
    kept = [entry for entry in ran.entries if entry.step != "vectors#embed.2"]
    past = Past(RunId("bench"), Recording.of(kept))
    outcome = (await run(FLOW, past=past)).outcome
    assert outcome is not None
    assert outcome.error is not None
    assert (outcome.error.error, outcome.error.exit_code) == ("AnswerMissingError", 4)


async def test_other_texts_are_asked_and_those_that_were_asked_are_not(script: Path) -> None:
    ran = await run(FLOW, script=script)
    words: Any = ("value.json", {"value": ["moss", "a heron"]})
    other = flow_of(
        {"words": words, "vectors": ("llm.embed", {"dimensions": 8, "batch": 1}), "out": "io.flow_output"},
        ["words.value -> vectors.texts", "vectors.vectors -> out.value"],
    )
    forked = await run(
        other, script=script, past=Past(RunId("bench"), Recording.of(ran.entries), is_live=True)
    )
    reused = [str(entry.step) for entry in forked.entries if entry.event.kind == "answer_reused"]
    assert reused == ["vectors#embed.1"]
    assert forked.state.tokens == 3


async def test_they_count_against_the_limits_of_a_run(script: Path) -> None:
    outcome = (await run(FLOW, script=script, limits={"calls": 1})).outcome
    assert outcome is not None
    assert outcome.error is not None
    assert (outcome.error.error, outcome.error.exit_code) == ("LimitReachedError", 3)


async def held(script: Path, place: str, **values: Any) -> Ran:
    """Run while a person puts `values` into the first request that is held at `place`."""

    async def edit(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        step = gate.held[0].step
        phase = gate.phase(step)
        assert phase is not None
        gate.set_breakpoints(())
        gate.resume(step, read_edits(FLOW, REGISTRY, step, phase, values))

    ran = await run_held(FLOW, edit, place, script=script)
    edits = edits_of(ran.entries, FLOW, REGISTRY)
    again = await run(
        FLOW,
        past=replayed(ran.entries, FLOW, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )
    assert again.outcome == ran.outcome
    return ran


async def test_what_is_asked_and_what_comes_is_held_and_edited_like_a_chat(script: Path) -> None:
    wren = as_vector(embed("a wren", 8))
    ran = await held(script, "vectors#chat", texts=["an owl"])
    owl = as_vector(embed("an owl", 8))
    assert ran.outputs["out"] == [owl, wren, owl]
    ran = await held(script, "vectors#chat.answer", answer=[[1.0]])
    assert ran.outputs["out"] == [[1.0], wren, [1.0]]
    assert "user" in ran.state.outputs["out"].labels
    ran = await held(script, "vectors#chat", answer=[[2.0]])
    assert ran.outputs["out"] == [[2.0], wren, [2.0]]
    assert ran.state.tokens == 3  # of the other text


async def test_as_many_vectors_stand_in_as_texts_were_asked_about(script: Path) -> None:
    outcome = (await held(script, "vectors#chat.answer", answer=[[1.0], [2.0]])).outcome
    assert outcome is not None
    assert outcome.error is not None
    assert "There were 1, and 2 are to replace them" in outcome.error.message


@pytest.mark.parametrize("values", [{"texts": [" "]}, {"texts": []}, {"answer": [["?"]]}, {"answer": "?"}])
def test_what_is_no_text_and_no_vector_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueTypeError):
        read_edits(FLOW, REGISTRY, StepId("vectors#embed.1"), "before", values)
