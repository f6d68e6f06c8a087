"""Vectors of texts: what the run says of them, what they cost, and what a replay and a fork take over."""

from pathlib import Path
from typing import Any

import pytest

from studio.ids import RunId, StepId
from studio.llm.embeddings import as_vector
from studio.llm.scripted_embeddings import embed
from studio.runtime.past import Past
from studio.runtime.takeover import replayed
from studio.store.summary import Tally
from studio.trace.compare import first_difference
from studio.trace.events import EmbedRequested
from studio.trace.recording import Recording
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

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
