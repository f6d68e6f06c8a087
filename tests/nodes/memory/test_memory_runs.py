"""Steps and agents that use memories in a run, as its trace tells it."""

import json
from pathlib import Path
from typing import Any

from studio.ids import StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked, replayed
from studio.trace.differences.compare import first_difference
from studio.trace.events.memories import MemoryRead, MemoryWritten
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

DIARY = ("memory.stream", {"reflects_at": 15, "questions": 1, "limit": 10})
OUT = "io.flow_output"
INSIGHT = {"text": "The farm is in danger.", "importance": 10, "because": [1]}


def written(ran: Ran) -> list[tuple[str, str, str]]:
    """Each write: who writes, how and why, and what."""
    return [
        (str(entry.step), event.why or event.operation, event.item.data.get("text", ""))
        for entry in ran.entries
        if isinstance(event := entry.event, MemoryWritten)
    ]


def looked(ran: Ran, purpose: str) -> list[tuple[str, str]]:
    """Each read for a purpose: who reads, and what for."""
    return [
        (str(entry.step), event.query)
        for entry in ran.entries
        if isinstance(event := entry.event, MemoryRead) and event.purpose == purpose
    ]


def remembering(*events: tuple[str, int]) -> tuple[dict[str, Any], list[str]]:
    """Steps that put events into the diary one after the other, and one that recalls."""
    nodes: dict[str, Any] = {"diary": DIARY, "asks": ("memory.recall", {"most": 1}, {"query": "the farm"})}
    nodes["out"] = OUT
    wires = ["diary.memory -> asks.memory", "asks.items -> out.value"]
    for number, (text, importance) in enumerate(events):
        fields = {"importance": importance}
        nodes[f"puts_{number}"] = ("memory.remember", {}, {"texts": [text], "fields": fields})
        wires.append(f"diary.memory -> puts_{number}.memory")
        after = f"puts_{number + 1}" if number + 1 < len(events) else "asks"
        wires.append(f"puts_{number}.then -> {after}.after")
    return nodes, wires


def scripted(folder: Path, *rules: dict[str, Any]) -> Path:
    path = folder / "answers.yaml"
    path.write_text(json.dumps({"rules": rules}), "utf-8")
    return path


async def replay(ran: Ran, nodes: dict[str, Any], wires: list[str]) -> Ran:
    """Do it again without a language model, and hold that it was the same."""
    flow = flow_of(nodes, wires)
    again = await run(flow, past=replayed(ran.entries, flow, REGISTRY))
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None
    return again


REFLECTS: tuple[dict[str, Any], ...] = (
    {"when": {"last": "^Question:"}, "reply": {"insights": [INSIGHT]}},
    {"when": {"instructions": "salient questions"}, "reply": {"questions": ["Is the farm safe?"]}},
)


async def test_reflection_stands_in_the_trace_and_a_replay_does_the_same_unasked(tmp_path: Path) -> None:
    nodes, wires = remembering(("The barn burned.", 9), ("The well dried up.", 9))
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, *REFLECTS))
    assert written(ran) == [
        ("puts_0", "put", "The barn burned."),
        ("puts_1", "put", "The well dried up."),
        ("puts_1", "insight", "The farm is in danger."),
    ]
    assert ("puts_1", "importance since the last reflection") in looked(ran, "upkeep")
    assert looked(ran, "recall") == [("asks", "the farm")]
    [recalled] = ran.outputs["out"]
    assert recalled["text"] == "The farm is in danger."
    assert recalled["data"]["evidence"] in ([one] for one in ids_in(ran))
    again = await replay(ran, nodes, wires)
    assert written(again) == written(ran)
    assert again.state.tokens == 0


def ids_in(ran: Ran) -> list[str]:
    """The ids of what was put."""
    return [entry.event.item.data["id"] for entry in ran.entries if isinstance(entry.event, MemoryWritten)]


async def test_eviction_stands_in_the_trace() -> None:
    texts = [f"event {number}" for number in range(12)]
    put: Any = ("memory.remember", {}, {"texts": texts, "fields": {"importance": 1}})
    nodes: dict[str, Any] = {"diary": DIARY, "puts": put, "out": OUT}
    ran = await run(flow_of(nodes, ["diary.memory -> puts.memory", "puts.items -> out.value"]))
    ids = ids_in(ran)
    assert [why for _, why, _ in written(ran)] == ["put"] * 12 + ["evicted"] * 2
    assert ids[12:] == ids[:2]


async def test_forgetting_stands_in_the_trace_and_is_replayed() -> None:
    nodes, wires = remembering(("The barn burned down.", 3), ("Ate soup.", 9))
    nodes["goes"] = ("memory.forget", {}, {"query": "the fire in the barn"})
    wires = [one for one in wires if "asks.after" not in one]
    wires += ["diary.memory -> goes.memory", "puts_1.then -> goes.after", "goes.then -> asks.after"]
    ran = await run(flow_of(nodes, wires))
    assert written(ran)[2:] == [("goes", "forgotten", "")]
    assert ids_in(ran)[2] == ids_in(ran)[0]
    assert looked(ran, "upkeep")[-1] == ("goes", "the fire in the barn")
    assert [one["text"] for one in ran.outputs["out"]] == ["Ate soup."]
    await replay(ran, nodes, wires)


async def test_a_conversation_goes_on_in_each_round_of_a_loop(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "start": ("value.json", {"value": "Who sang?"}),
        "rounds": ("control.loop", {"max_rounds": 2}),
        "talk": "memory.window",
        "warden": "llm.agent",
        "out": OUT,
    }
    wires = [
        "start.value -> rounds.start",
        "rounds.value -> warden.prompt",
        "talk.memory -> warden.memory[0]",
        "warden.reply -> rounds.again",
        "warden.messages -> out.value",
    ]
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, {"reply": "Said: {{ last }}"}))
    assert [one["content"] for one in ran.outputs["out"]] == [
        "Who sang?",
        "Said: Who sang?",
        "Said: Who sang?",
        "Said: Said: Who sang?",
    ]
    assert [step for step, _, _ in written(ran)] == ["rounds.1/warden"] * 2 + ["rounds.2/warden"] * 2
    await replay(ran, nodes, wires)


IN_A_MAP: dict[str, Any] = {
    "diary": ("memory.stream", {"reflects_at": 0}),
    "birds": ("value.json", {"value": ["owl", "tit", "wren"]}),
    "each": "control.for_each",
    "puts": ("memory.remember", {}, {"fields": {"importance": 5}}),
    "sees": ("memory.recall", {}, {}),
    "all": "control.collect",
    "asks": ("memory.recall", {}, {}),
    "out": OUT,
    "in_items": OUT,
}
MAP_WIRES = [
    "birds.value -> each.items",
    "each.item -> puts.texts[0]",
    "diary.memory -> puts.memory",
    "diary.memory -> sees.memory",
    "diary.memory -> asks.memory",
    "puts.then -> sees.after",
    "sees.text -> all.value",
    "all.values -> in_items.value",
    "all.then -> asks.after",
    "asks.items -> out.value",
]


async def test_what_items_of_a_map_remember_they_see_alone_and_others_after_it() -> None:
    ran = await run(flow_of(IN_A_MAP, MAP_WIRES))
    assert ran.outputs["in_items"] == ["owl", "tit", "wren"]
    assert sorted(one["text"] for one in ran.outputs["out"]) == ["owl", "tit", "wren"]
    await replay(ran, IN_A_MAP, MAP_WIRES)


async def test_what_a_failing_step_remembered_is_not_there(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "diary": ("memory.stream", {"reflects_at": 0}),
        "warden": ("llm.agent", {"turns": 1}, {"prompt": "?"}, {"on_error": "output"}),
        "asks": "memory.recall",
        "out": OUT,
    }
    wires = [
        "diary.memory -> warden.memory[0]",
        "diary.memory -> asks.memory",
        "warden.error -> asks.fields",
        "asks.items -> out.value",
    ]
    call = {"name": "remember_in_diary", "arguments": {"text": "An owl."}}
    rates = {"when": {"schema": True}, "reply": {"ratings": [5]}}
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, rates, {"tool_calls": [call]}))
    assert ran.steps("tool_answered") == ["warden#tool.1"]
    assert written(ran) == []
    assert ran.outputs["out"] == []


async def test_an_agent_remembers_by_a_tool_and_the_next_is_reminded(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "diary": ("memory.stream", {"reflects_at": 0}),
        "warden": ("llm.agent", {}, {"prompt": "Look around."}),
        "guest": ("llm.agent", {"memory_tools": False}),
        "ask": ("text.text", {"text": "Where is the owl?"}),
        "out": OUT,
    }
    wires = [
        "diary.memory -> warden.memory[0]",
        "diary.memory -> guest.memory[0]",
        "ask.text -> guest.prompt",
        "warden.then -> guest.after",
        "guest.reply -> out.value",
    ]
    call = {"name": "remember_in_diary", "arguments": {"text": "The owl is in the barn."}}
    rules: list[dict[str, Any]] = [
        {"when": {"schema": True}, "reply": {"ratings": [5]}},
        {"when": {"node": "warden", "turn": 0}, "tool_calls": [call]},
        {"reply": "{{ last }}"},
    ]
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, *rules))
    said = ran.outputs["out"]
    assert '<remembered from="diary">\n- The owl is in the barn.\n</remembered>' in said
    assert said.endswith("\n\nWhere is the owl?")
    assert looked(ran, "recall") == [("warden", "Look around."), ("guest", "Where is the owl?")]
    [item] = [one.event.item.data for one in ran.entries if isinstance(one.event, MemoryWritten)]
    assert item["by"] == "warden"
    await replay(ran, nodes, wires)


async def test_a_fork_sees_a_memory_as_it_was_at_its_step() -> None:
    nodes, wires = remembering(("The barn burned.", 5), ("The well dried up.", 4))
    ran = await run(flow_of(nodes, wires))
    changed: dict[str, Any] = {
        **nodes,
        "puts_1": ("memory.remember", {}, {"texts": ["A feast."], "fields": {"importance": 9}}),
    }
    flow = flow_of(changed, wires)
    past = forked(ran.entries, flow, REGISTRY, [Root(StepId("puts_1"))])
    again = await run(flow, past=past)
    assert set(past.kept) == {"puts_0"}
    assert [what for step, _, what in written(again) if step == "puts_1"] == ["A feast."]
    known = again.outputs["out"]
    assert [one["text"] for one in known] == ["A feast."]
    assert "importance 9" in known[0]["why"]


async def test_several_agents_are_held_to_what_each_may_do_with_a_memory(tmp_path: Path) -> None:
    board = {"permissions": ["warden: write *", "guest: read open*"]}
    nodes: dict[str, Any] = {
        "board": ("memory.notes", board),
        "warden": ("llm.agent", {}, {"prompt": "Write."}),
        "guest": ("llm.agent", {}, {"prompt": "the owl"}),
        "thief": ("llm.agent", {}, {"prompt": "the owl"}),
        **dict.fromkeys(("for_guest", "for_thief"), OUT),
    }
    wires = [f"board.memory -> {agent}.memory[0]" for agent in ("warden", "guest", "thief")]
    wires += [f"warden.then -> {agent}.after" for agent in ("guest", "thief")]
    wires += [f"{agent}.reply -> for_{agent}.value" for agent in ("guest", "thief")]
    calls = [
        {"name": "write_note", "arguments": {"key": key, "text": f"The owl is {key}."}}
        for key in ("open", "secret")
    ]
    steals = [{"name": "write_note", "arguments": {"key": "open", "text": "Mine."}}]
    rules: list[dict[str, Any]] = [
        {"when": {"node": "warden", "turn": 0}, "tool_calls": calls},
        {"when": {"node": ["guest", "thief"], "turn": 0}, "reply": "{{ last }}", "tool_calls": steals},
        {"reply": "{{ question }} {{ last }}"},
    ]
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, *rules))
    assert "The owl is open." in ran.outputs["for_guest"]
    assert "secret" not in ran.outputs["for_guest"]
    assert "owl is" not in ran.outputs["for_thief"]
    for agent in ("guest", "thief"):
        assert "There is no tool `write_note`." in ran.outputs[f"for_{agent}"]
    assert [step for step, _, _ in written(ran)] == ["warden", "warden"]


async def test_what_an_agent_that_is_a_tool_remembers_is_the_same_in_a_replay(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "talk": "memory.window",
        "expert": "tools.agent_as_tool",
        "warden": ("llm.agent", {"parallel": False}, {"prompt": "?"}),
        "out": OUT,
    }
    wires = [
        "talk.memory -> expert.memory[0]",
        "expert.tool -> warden.tools[0]",
        "warden.reply -> out.value",
    ]
    calls = [{"name": "expert", "arguments": {"task": task}} for task in ("Who sang?", "Where?")]
    rules: list[dict[str, Any]] = [
        {"when": {"node": "warden", "turn": 0}, "tool_calls": calls},
        {"reply": "{{ last }}!"},
    ]
    ran = await run(flow_of(nodes, wires), script=scripted(tmp_path, *rules))
    assert len({*ids_in(ran)}) == 4
    again = await replay(ran, nodes, wires)
    assert ids_in(again) == ids_in(ran)
