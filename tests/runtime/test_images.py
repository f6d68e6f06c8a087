"""Pictures in a run: sent with the prompt, kept once, and found again where only their hash is known."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.errors import StepError
from studio.flow.records import Flow
from studio.ids import RunId, StepId
from studio.llm.client import ChatClient, ChatProfile, ChatRequest, Message
from studio.llm.images import image_of
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.script_file import load_rules
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.replay.takeover import replayed
from studio.runtime.resources.people import NoPeople
from studio.runtime.resources.request_images import MemoryImages, with_images
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.store.images import ImageFolder
from studio.trace.conversations.messages import conversation
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatRequested, Entry
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

GIF = b"GIF89a" + bytes(3000)
SCRIPT = """
rules:
  - when: {images: true}
    reply: "{{ images | join(', ') }}: {{ last }}"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "answers.yaml").write_text(SCRIPT)
    (tmp_path / "wren.gif").write_bytes(GIF)
    (tmp_path / "note.gif").write_text("no picture")
    return tmp_path


def looking(file: str = "wren.gif") -> Flow:
    """A picture of the flow and one that is given are looked at; the next chat is shown what was said."""
    nodes: dict[str, Any] = {
        "photo": ("io.flow_input", {"type": "image"}),
        "picture": ("io.picture", {"file": file}),
        "look": ("llm.chat", {}, {"prompt": "What is it?"}),
        "again": ("llm.chat", {}, {"prompt": "Sure?"}),
        "out": "io.flow_output",
    }
    wires = [
        "photo.value -> look.images[0]",
        "picture.picture -> look.images[1]",
        "look.messages -> again.history",
        "again.reply -> out.value",
    ]
    return flow_of(nodes, wires)


async def look(project: Path, flow: Flow | None = None, **more: Any) -> Ran:
    return await run(
        flow or looking(), {"photo": "wren.gif"}, script=project / "answers.yaml", root=project, **more
    )


async def test_pictures_are_sent_and_their_bytes_are_in_no_event(project: Path) -> None:
    ran = await look(project)
    assert ran.outputs["out"] == "image/gif, image/gif: Sure?"
    asked = [entry.event for entry in ran.entries if isinstance(entry.event, ChatRequested)]
    sha256 = hashlib.sha256(GIF).hexdigest()
    kept = {"path": "wren.gif", "media_type": "image/gif", "sha256": sha256}
    assert [event.request["messages"][0]["images"] for event in asked] == [[kept, kept]] * 2
    assert not any(len(str(entry.event)) > 3000 for entry in ran.entries)
    (first, *_) = conversation(ran.state, StepId("look"))
    assert [(seen.path, seen.sha256) for seen in first.images] == [("wren.gif", sha256)] * 2


async def test_what_saw_a_picture_is_made_from_a_file(project: Path) -> None:
    ran = await look(project)
    assert {"chat", "file"} <= set(ran.state.steps[StepId("look")].outputs["reply"].labels)
    assert "file" in ran.state.steps[StepId("again")].outputs["reply"].labels


async def test_a_replay_needs_no_picture(project: Path) -> None:
    ran = await look(project)
    (project / "wren.gif").unlink()
    again = await run(
        looking(), {"photo": "wren.gif"}, root=project, past=replayed(ran.entries, looking(), REGISTRY)
    )
    assert again.outputs == ran.outputs
    assert first_difference(ran.entries, again.entries) is None


async def test_a_file_that_is_no_picture_is_told_by_name(project: Path) -> None:
    outcome = (await look(project, looking("note.gif"))).outcome
    assert outcome is not None
    assert outcome.error is not None
    assert "`note.gif` is no picture" in outcome.error.message


def test_a_picture_is_found_by_its_hash_then_in_its_file_and_else_missed(project: Path) -> None:
    image = image_of("wren.gif", GIF)
    request = ChatRequest((Message("user", "?", images=(image,)),))
    bare = ChatRequest((Message("user", "?", images=(image_of("wren.gif", GIF),)),))
    (message,) = bare.messages
    forgotten = ChatRequest((Message("user", "?", images=(_without_bytes(message),)),))
    images = MemoryImages()
    assert with_images(forgotten, images, project).messages[0].images[0].data == GIF
    (project / "wren.gif").write_bytes(GIF + b"changed")
    with pytest.raises(StepError, match=r"`wren\.gif` is missing or has changed"):
        with_images(forgotten, MemoryImages(), project)
    assert with_images(forgotten, images, project).messages[0].images[0].data == GIF  # kept from its file
    images = MemoryImages()
    with_images(request, images, project)
    assert with_images(forgotten, images, project).messages[0].images[0].data == GIF


def test_a_picture_that_is_known_by_its_hash_alone_counts_as_used_by_the_run_that_sends_it(
    project: Path,
) -> None:
    folder = ImageFolder(project / "images")
    image = image_of("wren.gif", GIF)
    folder.keep(image.sha256, GIF)
    os.utime(project / "images" / image.sha256, (1_000, 1_000))
    shown = Message("user", "?", images=(image,))
    with_images(ChatRequest((replace(shown, images=(_without_bytes(shown),)),)), folder, project)
    folder.forget(before=2_000)
    assert folder.read(image.sha256) == GIF


def _without_bytes(message: Message) -> Any:
    (image,) = message.images
    return type(image)(image.path, image.media_type, image.sha256)


def test_the_pictures_of_a_conversation_are_not_endless(project: Path) -> None:
    large = image_of("wren.gif", GIF + bytes(9 << 20))
    messages = tuple(Message("user", str(number), images=(large,)) for number in range(4))
    with pytest.raises(StepError, match=r"36\.0 MiB in total"):
        with_images(ChatRequest(messages), MemoryImages(), project)


class Sightless:
    """Opens chat profiles of which a test has shown that one sees no pictures."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client
        self.opened: list[str] = []

    def __call__(self, profile: str) -> ChatClient:
        self.opened.append(profile)
        return self._client

    def can(self, profile: str, capability: str, /) -> bool | None:
        return False if (profile, capability) == ("", "images") else None

    def fallback(self, profile: str, /) -> tuple[str, ...]:
        return ("seeing",) if self.has_other and not profile else ()

    has_other = False


@pytest.mark.parametrize("has_other", [False, True])
async def test_who_is_known_to_see_nothing_is_shown_no_picture(has_other: bool, project: Path) -> None:  # noqa: FBT001
    book = ScriptBook(load_rules(project / "answers.yaml"))
    client = open_client(ChatProfile("scripted", "scripted"), environ={}, book=book, prices=None, pace=0)
    chats = Sightless(client)
    chats.has_other = has_other
    entries: list[Entry] = []
    recorder = Recorder(RunId("bench"), MemorySink(entries.append))
    tools = RunTools(REGISTRY, recorder, OpenGate(), chats, NoPeople(), Outside(project))
    outcome = await execute(RunSpec(RunId("bench"), looking(), {"photo": "wren.gif"}), tools)
    await client.close()
    if has_other:
        assert outcome.outputs["out"] == "image/gif, image/gif: Sure?"
        assert set(chats.opened) == {"seeing"}
    else:
        assert outcome.error is not None
        assert "does not accept pictures" in outcome.error.message
        assert chats.opened == []
