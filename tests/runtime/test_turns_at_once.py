"""Turns that are had at once write to one memory: who goes back to the run finds what was written last."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.ids import StepId
from studio.llm.client import Caller, ChatAnswer, ChatClient, ChatProfile, ChatRequest
from studio.llm.endpoints.answer_form import FormClient
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.script_file import load_rules
from studio.runtime.replay.takeover import replayed, resumed
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until

MEMBERS = ("ada", "ben", "cleo")
NODES: dict[str, Any] = {
    "board": "memory.notes",
    **{one: ("team.member", {"name": one, "instructions": f"You are {one}."}) for one in MEMBERS},
    "team": ("team.debate", {"answers_as": "text", "agreed": 0, "rounds": 1}, {"task": "What sang?"}),
    "look": "memory.recall",
    "out": "io.flow_output",
}
WIRES = [
    *(f"board.memory -> {one}.memory[0]" for one in MEMBERS),
    *(f"{one}.agent -> team.agents[{place}]" for place, one in enumerate(MEMBERS)),
    "team.reply -> look.query",
    "board.memory -> look.memory",
    "look.text -> out.value",
]
FLOW = flow_of(NODES, WIRES)


def writes(who: str) -> dict[str, Any]:
    calls = [{"name": "write_note", "arguments": {"key": "last", "text": f"{who} was here"}}]
    return {"when": {"instructions": f"You are {who}", "turn": 0}, "tool_calls": calls}


RULES = {"rules": [*map(writes, MEMBERS), {"reply": "Somebody was here."}]}


class LastFirst:
    """Answers a member when the next one asks again, having done what it wanted: the last comes first."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client
        self._asked = Counter[str]()

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        self._asked[request.speaker] += 1
        after = MEMBERS[MEMBERS.index(request.speaker) + 1 :][:1]
        await until(lambda: all(self._asked[one] > 1 for one in after))
        return await self._client.answer(request, on_text=on_text, caller=caller)

    async def close(self) -> None:
        await self._client.close()


async def ran(folder: Path) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(json.dumps(RULES), "utf-8")
    book, profile = ScriptBook(load_rules(path)), ChatProfile("scripted", "scripted")
    client = FormClient(open_client(profile, environ={}, book=book, prices=None, pace=0))
    return await run(FLOW, client=LastFirst(client))


async def test_a_replay_writes_in_the_order_of_then(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    assert first.outputs["out"] == "ada was here"
    again = await run(FLOW, past=replayed(first.entries, FLOW, REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


async def test_a_run_that_goes_on_has_what_was_written_last(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    told = [one.step for one in first.entries if one.event.kind == "tool_answered"]
    assert told[-1] == "team#tool.1"
    [end] = [
        at
        for at, one in enumerate(first.entries)
        if one.step == StepId("team#tool.1") and one.event.kind == "tool_answered"
    ]
    past, _ = resumed(first.entries[: end + 1], FLOW, REGISTRY)
    again = await run(FLOW, past=past)
    assert again.outputs == first.outputs
