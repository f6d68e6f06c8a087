"""What is on disk before what: intents before effects, answers before anybody sees them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from studio.errors import StoreError
from studio.ids import RunId
from studio.llm.client import ChatRequest, Message
from studio.llm.endpoints.openai_client import OpenAIClient
from studio.llm.prices import Price, Prices
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outcome, Outside, RunSpec, RunTools, execute
from studio.trace.events import Entry
from tests.runtime.bench import REGISTRY, flow_of

FLOW = flow_of(
    {
        "text": ("text.text", {"text": "a"}),
        "save": ("io.write_file", {"path": "out.txt"}, {}, {"retries": 2, "on_error": "default"}),
        "path": "io.flow_output",
    },
    ["text.text -> save.text", "save.file -> path.value"],
)


class WatchedSink:
    """Notes what is put and waited for, and whether the file was there by then; may fail like a full disk."""

    def __init__(self, file: Path, *, fails_after: str = "") -> None:
        self._file = file
        self._fails_after = fails_after
        self._has_failed = False
        self.seen: list[tuple[str, bool, bool]] = []

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        name = f"{entry.step} {entry.event.kind}".strip()
        self.seen.append((name, durable, self._file.exists()))
        self._has_failed |= name == self._fails_after

    async def committed(self) -> None:
        self.seen.append(("committed", True, self._file.exists()))
        if self._has_failed:
            raise StoreError("The disk is full.")


async def watched(root: Path, **more: str) -> tuple[WatchedSink, Outcome]:
    sink = WatchedSink(root / "out.txt", **more)
    tools = RunTools(
        REGISTRY,
        Recorder(RunId("r"), sink),
        OpenGate(),
        pytest.fail,
        NoPeople(),
        Outside(root),
    )
    return sink, await execute(RunSpec(RunId("r"), FLOW, {}), tools)


async def test_an_effect_is_announced_on_disk_before_it_happens_and_its_result_is_durable(
    tmp_path: Path,
) -> None:
    sink, _ = await watched(tmp_path)
    at = [name for name, _, _ in sink.seen].index("save step_started")
    assert sink.seen[at : at + 4] == [
        ("save step_started", True, False),
        ("committed", True, False),
        ("save folder_opened", False, False),
        ("save step_finished", True, True),
    ]
    assert ("text step_finished", False, False) in sink.seen


async def test_an_effect_that_cannot_be_announced_does_not_happen(tmp_path: Path) -> None:
    _, outcome = await watched(tmp_path, fails_after="save step_started")
    assert outcome.error is not None
    assert outcome.error.error == "StoreError"
    assert not (tmp_path / "out.txt").exists()


ASKING = flow_of(
    {"text": ("text.text", {"text": "a"}), "chat": "llm.chat", "out": "io.flow_output"},
    ["text.text -> chat.prompt", "chat.reply -> out.value"],
)
CHUNKS = (
    '{"choices": [{"index": 0, "delta": {"content": "paid for"}}]}',
    '{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}',
    "[DONE]",
)


class NotingSink:
    """Notes when a chat is answered, among what else is noted."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def put(self, entry: Entry, *, durable: bool = False) -> None:
        del durable
        if entry.event.kind == "chat_answered":
            self._seen.append("answered")

    async def committed(self) -> None:
        """Nothing is ever on disk."""


class Endless(httpx2.AsyncByteStream):
    """A stream that has said all, and does not end."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield "".join(f"data: {chunk}\n\n" for chunk in CHUNKS).encode()
        self._seen.append("asked for more")
        await asyncio.Event().wait()


async def test_an_answer_is_handed_over_before_the_end_of_its_stream_is_waited_for() -> None:
    seen: list[str] = []
    head = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=head, stream=Endless(seen)))
    client = OpenAIClient(
        "http://here/v1", "key", "m", http_client=lambda: httpx2.AsyncClient(transport=transport)
    )
    recorder = Recorder(RunId("r"), NotingSink(seen))
    tools = RunTools(REGISTRY, recorder, OpenGate(), lambda _: client, NoPeople(), Outside(Path()))
    outcome = await execute(RunSpec(RunId("r"), ASKING, {}), tools)
    await asyncio.sleep(0)
    await client.close()
    assert list(outcome.outputs.values()) == ["paid for"]
    assert seen == ["answered", "asked for more"]


async def test_the_names_in_a_price_list_are_made_ready_before_an_answer_can_wait_for_it() -> None:
    seen: list[str] = []

    class NotingPrices(Prices):
        def find(self, llm: str) -> Price | None:
            seen.append("looked for a price")
            return Prices.find(self, llm)

    def answer(_: httpx2.Request) -> httpx2.Response:
        seen.append("asked")
        choice = {"index": 0, "message": {"content": "paid for"}, "finish_reason": "stop"}
        return httpx2.Response(200, json={"choices": [choice]})

    transport = httpx2.MockTransport(answer)
    client = OpenAIClient(
        "http://here/v1",
        "key",
        "m",
        http_client=lambda: httpx2.AsyncClient(transport=transport),
        prices=NotingPrices(),
    )
    await client.answer(ChatRequest((Message("user", "a"),)))
    await client.close()
    assert seen[:2] == ["looked for a price", "asked"]
