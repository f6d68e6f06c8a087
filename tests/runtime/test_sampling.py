"""Several answers to one request in a run: told, counted, and taken over by a replay."""

from pathlib import Path

import pytest

from studio.ids import StepId
from studio.llm.log_probabilities import tokens_from_json
from studio.runtime.replay.takeover import replayed
from studio.sdk import Json
from studio.trace.conversations.messages import conversation
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatAnswered, event_from_json
from tests.runtime.bench import REGISTRY, flow_of, run

SCRIPT = 'rules: [{reply: "{{ last }} {{ sample }}"}]'


@pytest.mark.parametrize("sampling", ["one call for all", "a call for each"])
async def test_samples_are_recorded_and_replayed(sampling: str, tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(SCRIPT)
    flow = flow_of(
        {
            "word": ("value.json", {"value": "owl"}),
            "ask": ("llm.chat", {"sampling": sampling, "samples": 3}),
            "out": "io.flow_output",
        },
        ["word.value -> ask.prompt", "ask.samples -> out.value"],
    )
    ran = await run(flow, script=script)
    assert ran.outputs["out"] == ["owl 1", "owl 2", "owl 3"]
    calls = 1 if sampling == "one call for all" else 3
    assert len(ran.steps("chat_answered")) == calls
    said = conversation(ran.state, StepId("ask#chat.1"))
    assert [one.text for one in said] == ["owl", "owl 1", "owl 2", "owl 3"][: 2 if calls == 3 else 4]
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_samples_are_sent_back_one_after_the_other(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text("""
rules:
  - {when: {last: owl}, reply: "bad {{ sample }}"}
  - {when: {sample: 3}, reply: "worse"}
  - {reply: {size: 3}}
""")
    form = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
    flow = flow_of(
        {
            "word": ("value.json", {"value": "owl"}),
            "ask": (
                "llm.chat",
                {"sampling": "a call for each", "samples": 2, "answer_schema": form, "repairs": 2},
            ),
            "out": "io.flow_output",
        },
        ["word.value -> ask.prompt", "ask.samples -> out.value"],
    )
    ran = await run(flow, script=script)
    assert ran.outputs["out"] == [{"size": 3}, {"size": 3}]
    said = conversation(ran.state, StepId("ask#chat.4"))
    assert [one.text for one in said if one.role == "assistant"][:2] == ["bad 1", "worse"]


async def test_how_sure_the_model_was_is_kept_in_the_run_and_told_again_by_a_replay(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text('rules: [{probability: 0.25, reply: "{{ prefix }}wren, {{ effort }}"}]')
    settings: dict[str, Json] = {"log_probabilities": 2, "begins_with": "It is a ", "effort": "high"}
    flow = flow_of(
        {
            "word": ("value.json", {"value": "owl"}),
            "ask": ("llm.chat", settings),
            "out": "io.flow_output",
            "sure": "io.flow_output",
        },
        ["word.value -> ask.prompt", "ask.reply -> out.value", "ask.token_confidence -> sure.value"],
    )
    ran = await run(flow, script=script)
    assert ran.outputs["out"] == "It is a wren, high"
    assert ran.outputs["sure"] == pytest.approx(0.25)
    (spoken,) = (one for one in conversation(ran.state, StepId("ask")) if one.role == "assistant")
    assert [one.token for one in tokens_from_json(spoken.log_probabilities)] == ["wren, ", "high"]
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


def test_answers_of_runs_from_before_log_probabilities_are_read() -> None:
    line = (
        '{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop", "kind": "chat_answered"}'
    )
    answered = event_from_json(line)
    assert isinstance(answered, ChatAnswered)
    assert (answered.log_probabilities, answered.reasoning_tokens) == ((), 0)
