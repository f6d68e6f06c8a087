import sqlite3
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given

from studio.ids import RunId
from studio.store import blobs
from studio.store.blobs import put_back, take_out
from studio.store.reader import RunStore
from studio.store.writer import RunWriter
from studio.trace.events import ChatRequested, Entry, Shown, StepFinished
from tests.trace.builders import RUN, events, numbered

from studio.trace.events import Event, event_to_json  # isort: skip


@given(events)
def test_what_was_taken_out_can_be_put_back(event: Event) -> None:
    plain: dict[str, Any] = orjson.loads(event_to_json(event))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blobs, "LARGE", 12)
        small, taken = take_out(plain)
    stored = {blob.hash: blob.value for _, blob in taken}
    put_back(small, [(place, blob.hash) for place, blob in taken], stored.__getitem__)
    assert small == plain


def test_a_large_value_is_stored_once_however_often_it_is_used(tmp_path: Path) -> None:
    large = {"text": "long " * 40_000, "null": None}
    happenings = [
        ("a", StepFinished({"reply": Shown(large, ("file",)), "count": Shown(1)})),
        ("b", ChatRequested("scripted", {"messages": [{"role": "user", "content": large["text"]}]})),
        ("c", StepFinished({"reply": Shown(large)})),
    ]
    entries: list[Entry] = numbered(*happenings, run=RUN)
    path = tmp_path / "runs" / f"{RUN}.db"
    writer = RunWriter(path, lambda _: None)
    for entry in entries:
        writer.put(entry)
    writer.close()
    assert path.stat().st_size < 2 * 5 * 40_000
    assert list(RunStore(tmp_path).entries(RunId(RUN))) == entries
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM blobs").fetchone() == (1,)
    connection.close()
