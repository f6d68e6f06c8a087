from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given

from studio.store.reader import RunStore
from studio.store.run_files import large
from studio.store.run_files.large import put_back, take_out
from studio.store.run_files.writer import RunWriter
from studio.trace.events import ChatRequested, Entry, Event, StepFinished, StepStarted, event_to_json
from studio.trace.events.values import Shown
from tests.trace.builders import RUN, events, numbered


@given(events)
def test_what_was_taken_out_can_be_put_back(event: Event) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LARGE", 12)
        small, taken = take_out(event)
    plain: dict[str, Any] = orjson.loads(small)
    put_back(plain, [(place, value) for place, value in taken], orjson.loads)
    assert plain == orjson.loads(event_to_json(event))


def stored(folder: Path, entries: list[Entry]) -> int:
    """Write a run, check that it reads back, and give the bytes of its file."""
    path = RunStore(folder).new_run_path(RUN)
    writer = RunWriter(path, lambda _: None)
    for entry in entries:
        writer.put(entry)
    writer.close()
    assert list(RunStore(folder).entries(RUN)) == entries
    return path.stat().st_size


def noise(count: int, seed: int = 0) -> str:
    """Text that hardly gets smaller."""
    return Random(seed).randbytes(count // 2).hex()  # noqa: S311


def test_a_large_value_is_stored_once_however_often_it_is_used(tmp_path: Path) -> None:
    text = noise(200_000)
    document = {"text": text, "null": None}
    prompt = f"Read this:\n{text}\nWhat does it say?"
    entries: list[Entry] = numbered(
        ("a", StepFinished({"reply": Shown(document, ("file",)), "count": Shown(1)})),
        ("b", ChatRequested("scripted", {"messages": [{"role": "user", "content": prompt}]})),
        ("c", StepFinished({"reply": Shown(document)})),
        ("d", StepStarted({"found": Shown(text)})),
    )
    assert stored(tmp_path, entries) < 1.3 * len(text)


def test_a_list_handed_on_from_step_to_step_costs_what_it_grows(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": noise(200, seed)} for seed in range(400)]
    entries = numbered(
        *[("more", StepFinished({"found": Shown(messages[:count])})) for count in range(len(messages))]
    )
    assert stored(tmp_path, entries) < 4 * len(orjson.dumps(messages))
