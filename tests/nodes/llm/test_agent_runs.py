"""Agents in runs: what a window left out and who spoke is recorded, and a replay asks nobody."""

from pathlib import Path
from typing import Any

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.replay.takeover import replayed
from studio.trace.conversations.accounts import account_of, speaker_of
from studio.trace.conversations.messages import conversation
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

SCRIPT = """
rules:
  - when: {instructions: You greet, turn: 0}
    tool_calls: [{name: hand_over_to_keeper, arguments: {note: look it up}}]
  - when: {instructions: You keep notes, has_tool: find_lines}
    tool_calls: [{name: find_lines, arguments: {text: wren}}]
  - when: {instructions: has become too long}
    reply: They counted.
  - reply: "{{ messages | length }} messages; last {{ last | truncate_words(6) }}"
"""


def flow(settings: dict[str, Any], *wires: str) -> Flow:
    words = "word " * 80
    past = [{"role": role, "content": f"{words}{n}"} for n in range(4) for role in ("user", "assistant")]
    return flow_of(
        {
            "word": "io.flow_input",
            "past": ("value.json", {"value": past}),
            "notes": ("tools.files", {"folder": "notes"}),
            "keeper": ("team.member", {"name": "keeper", "instructions": "You keep notes."}),
            "agent": ("llm.agent", settings),
            "out": "io.flow_output",
            "who": "io.flow_output",
        },
        ["word.value -> agent.prompt", "agent.reply -> out.value", "agent.speaker -> who.value", *wires],
    )


async def ran(made: Flow, root: Path) -> Ran:
    (root / "answers.yaml").write_text(SCRIPT, "utf-8")
    (root / "notes").mkdir()
    (root / "notes" / "birds.txt").write_text("wren\nowl", "utf-8")
    return await run(made, {"word": "Which?"}, root=root, script=root / "answers.yaml")


def requests(found: Ran) -> list[Any]:
    return [entry.event.request for entry in found.entries if entry.event.kind == "chat_requested"]


async def test_what_a_window_leaves_out_is_in_the_record_and_the_same_in_a_replay(tmp_path: Path) -> None:
    made = flow({"window": 500, "summarise": True}, "past.value -> agent.history")
    found = await ran(made, tmp_path)
    summing, asked = requests(found)
    assert account_of(summing) is None
    account = account_of(asked)
    assert account is not None
    assert account.is_summed_up
    assert account.taken <= account.tokens == 500
    assert len(account.dropped) == 9 - len(asked["messages"])
    assert account.dropped[0].startswith("user: word word")
    assert conversation(found.state, StepId("agent"))[0].role == "window"
    again = await run(made, {"word": "Which?"}, past=replayed(found.entries, made, REGISTRY))
    assert again.outputs == found.outputs
    assert requests(again) == requests(found)


async def test_who_takes_over_asks_and_calls_as_steps_of_the_agent(tmp_path: Path) -> None:
    made = flow(
        {"instructions": "You greet.", "at_limit": "answer", "turns": 3},
        "keeper.agent -> agent.colleagues[0]",
        "notes.tool -> keeper.tools[0]",
    )
    found = await ran(made, tmp_path)
    assert found.outputs["who"] == "keeper"
    assert [speaker_of(request) for request in requests(found)] == ["front", "keeper", "keeper", "keeper"]
    called = [str(entry.step) for entry in found.entries if entry.event.kind == "tool_called"]
    assert called == ["agent#tool.1", "agent#tool.2", "agent#tool.3"]
    assert "birds.txt:1: wren" in found.outputs["out"]
    labels = found.state.steps[StepId("agent")].outputs["reply"].labels
    assert {"chat", "file", "tool:find_lines", "tool:hand_over_to_keeper"} <= set(labels)
    again = await run(made, {"word": "Which?"}, past=replayed(found.entries, made, REGISTRY))
    assert again.outputs == found.outputs


async def test_what_was_said_in_one_round_is_remembered_in_the_next(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(SCRIPT, "utf-8")
    made = flow_of(
        {
            "start": ("value.json", {"value": []}),
            "rounds": ("control.loop", {"max_rounds": 3}),
            "agent": ("llm.agent", {"instructions": "Be brief."}, {"prompt": "And now?"}),
            "out": "io.flow_output",
        },
        [
            "start.value -> rounds.start",
            "rounds.value -> agent.history",
            "agent.messages -> rounds.again",
            "agent.reply -> rounds.also[0]",
            "rounds.result -> out.value",
        ],
    )
    found = await run(made, root=tmp_path, script=tmp_path / "answers.yaml")
    asked = [[one["role"] for one in request["messages"]] for request in requests(found)]
    assert asked == [["system", *["user", "assistant"] * turn, "user"] for turn in range(3)]
    assert [one["content"] for one in found.outputs["out"] if one["role"] == "assistant"] == [
        f"{count} messages; last And now?" for count in (2, 4, 6)
    ]
