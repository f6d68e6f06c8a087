"""What memories evict, sum up and find, as the trace of a run tells it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.flow.records import Flow
from studio.trace.events import MemoryRead, MemoryWritten
from tests.runtime.bench import Ran, flow_of, run


def asked_and_answered(question: str, answer: str) -> dict[str, Any]:
    said = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"messages": said}


def two_turns(kind: str, settings: Mapping[str, Any]) -> Flow:
    """A memory of this kind to which two steps add a turn each, and a third that recalls."""
    return flow_of(
        {
            "memory": (kind, settings),
            "first": ("memory.remember", {}, asked_and_answered("What sings?", "A dunnock.")),
            "second": ("memory.remember", {}, asked_and_answered("And there?", "A wren.")),
            "look": ("memory.recall", {}, {"query": "what was said"}),
            "out": "io.flow_output",
        },
        [
            "memory.memory -> first.memory",
            "memory.memory -> second.memory",
            "memory.memory -> look.memory",
            "first.then -> second.after",
            "second.then -> look.after",
            "look.text -> out.value",
        ],
    )


def written(ran: Ran, step: str, operation: str) -> list[tuple[str, str]]:
    """What a step put or removed, and why."""
    events = [one.event for one in ran.entries if str(one.step).startswith(step)]
    found = [one for one in events if isinstance(one, MemoryWritten) and one.operation == operation]
    return [(str(one.item.data["text" if one.operation == "put" else "id"]), one.why) for one in found]


def read(ran: Ran, step: str, purpose: str) -> list[list[Mapping[str, Any]]]:
    """What a step found."""
    events = [one.event for one in ran.entries if str(one.step).startswith(step)]
    return [
        [found.data for found in one.found]
        for one in events
        if isinstance(one, MemoryRead) and one.purpose == purpose
    ]


async def test_a_window_evicts_the_older_turn_and_says_why() -> None:
    ran = await run(two_turns("memory.window", {"turns": 1}))
    assert ran.outputs["out"] == "And there?\n\nA wren."
    assert [text for text, _ in written(ran, "second", "put")] == ["And there?", "A wren."]
    [evicted] = read(ran, "second", "upkeep")
    assert [one["text"] for one in evicted] == ["What sings?", "A dunnock."]
    why = "evicted: the window holds the last turn"
    assert written(ran, "second", "remove") == [(one["id"], why) for one in evicted]
    [recalled] = read(ran, "look", "recall")
    assert [(one["text"], one["why"]) for one in recalled] == [
        ("And there?", "the last turn"),
        ("A wren.", "the last turn"),
    ]


async def test_a_summary_takes_the_place_of_the_older_turn_by_a_chat_of_the_step(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("rules:\n  - reply: They heard a dunnock.\n")
    ran = await run(two_turns("memory.summary", {"turns": 1, "left": 1}), script=script)
    assert ran.outputs["out"] == (
        "(In short, what was said before: They heard a dunnock.)\n\nAnd there?\n\nA wren."
    )
    assert written(ran, "second", "put")[-1] == ("They heard a dunnock.", "sums up 2 messages")
    assert [why for _, why in written(ran, "second", "remove")] == ["summed up"] * 2
    assert "chat_answered" in [one.event.kind for one in ran.entries if str(one.step).startswith("second")], (
        "the chat is recorded inside the step"
    )
    [recalled] = read(ran, "look", "recall")
    assert recalled[0]["why"] == "sums up 2 messages that were said before"


async def test_a_vector_memory_tells_in_the_trace_why_it_recalled_what() -> None:
    flow = flow_of(
        {
            "facts": ("memory.vector", {"most": 1}),
            "keep": (
                "memory.remember",
                {},
                {"texts": ["The second key hangs behind the shed door.", "Simmer the lentils for an hour."]},
            ),
            "look": ("memory.recall", {}, {"query": "What do I need to unlock it?"}),
            "out": "io.flow_output",
        },
        [
            "facts.memory -> keep.memory",
            "facts.memory -> look.memory",
            "keep.then -> look.after",
            "look.text -> out.value",
        ],
    )
    ran = await run(flow)
    assert ran.outputs["out"] == "The second key hangs behind the shed door."
    vectors = [one.event.vector for one in ran.entries if isinstance(one.event, MemoryWritten)]
    assert [len(one) for one in vectors] == [1368, 1368], "1024 bytes each, as base64"
    [[found]] = read(ran, "look", "recall")
    assert found["why"].startswith("means much the same: cosine 0.")
    assert found["data"] == {"embedded_by": "WordLlama 256"}


async def test_what_was_put_in_a_map_is_evicted_by_the_next_step_so_that_the_window_holds() -> None:
    flow = flow_of(
        {
            "talk": ("memory.window", {"turns": 2}),
            "each": ("control.for_each", {}, {"items": ["one", "two", "three", "four"]}),
            "keep": "memory.remember",
            "all": "control.collect",
            "look": "memory.recall",
            "last": ("memory.remember", {}, {"texts": ["five"]}),
            "out": "io.flow_output",
        },
        [
            "talk.memory -> keep.memory",
            "talk.memory -> look.memory",
            "talk.memory -> last.memory",
            "each.item -> keep.texts[0]",
            "keep.items -> all.item",
            "all.then -> look.after",
            "look.then -> last.after",
            "look.text -> out.value",
        ],
    )
    ran = await run(flow)
    assert ran.outputs["out"] == "three\n\nfour"
    assert [text for text, _ in written(ran, "last", "put")] == ["five"]
    [evicted] = read(ran, "last", "upkeep")
    assert [one["text"] for one in evicted] == ["one", "two", "three"]


async def test_items_of_a_map_that_sum_up_at_once_leave_both_summaries_which_the_next_step_joins(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(
        "rules:\n  - when: {node: last}\n    reply: All in short.\n  - reply: In short, by an item.\n"
    )
    flow = flow_of(
        {
            "talk": ("memory.summary", {"turns": 1, "left": 1}),
            "first": ("memory.remember", {}, {"texts": ["zero"]}),
            "each": ("control.for_each", {"at_once": 2}, {"items": ["one", "two"]}),
            "keep": "memory.remember",
            "all": "control.collect",
            "look": "memory.recall",
            "last": ("memory.remember", {}, {"texts": ["three"]}),
            "end": "memory.recall",
            "out": "io.flow_output",
            "also": "io.flow_output",
        },
        [
            *(f"talk.memory -> {name}.memory" for name in ("first", "keep", "look", "last", "end")),
            "first.then -> each.after",
            "each.item -> keep.texts[0]",
            "keep.items -> all.item",
            "all.then -> look.after",
            "look.then -> last.after",
            "last.then -> end.after",
            "look.text -> out.value",
            "end.text -> also.value",
        ],
    )
    ran = await run(flow, script=script)
    short = "(In short, what was said before: In short, by an item.)"
    assert ran.outputs["out"] == f"{short}\n\n{short}\n\ntwo", "neither item knew of the other's summary"
    assert ran.outputs["also"] == "(In short, what was said before: All in short.)\n\nthree"
    [joined] = read(ran, "last", "upkeep")
    assert [one["text"] for one in joined] == ["In short, by an item."] * 2 + ["one", "two"]


async def test_vectors_of_a_profile_are_asked_for_in_the_step_that_uses_the_memory(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("rules:\n  - reply: Nothing is said.\n")
    flow = flow_of(
        {
            "facts": ("memory.vector", {"method": "profile", "most": 1}),
            "keep": ("memory.remember", {}, {"texts": ["The key hangs in the shed.", "Simmer the lentils."]}),
            "look": ("memory.recall", {}, {"query": "Where hangs the key?"}),
            "out": "io.flow_output",
        },
        [
            "facts.memory -> keep.memory",
            "facts.memory -> look.memory",
            "keep.then -> look.after",
            "look.text -> out.value",
        ],
    )
    ran = await run(flow, script=script)
    assert ran.outputs["out"] == "The key hangs in the shed."
    asked = [str(one.step) for one in ran.entries if one.event.kind == "embed_requested"]
    assert [one.partition("#")[0] for one in asked] == ["keep", "look"]
    [[found]] = read(ran, "look", "recall")
    assert found["why"].endswith("of vectors by profile")
