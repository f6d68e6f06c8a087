"""What the store costs, by hand: `python -m tests.bench.store_bench [MESSAGES]`; one table, no limits.

With a number of messages, full-text search over as many is measured as well; a million take some minutes to
read. Files are written to the current folder's disk, in a temporary folder.
"""

import asyncio
import gc
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase

from studio.ids import RunId, StepId
from studio.store.indexes.search import Search
from studio.store.indexes.texts import RunText
from studio.store.reader import RunStore
from studio.store.run_files.chunks import make_columns, storable
from studio.store.run_files.committer import Committer
from studio.store.run_files.shelf import Shelf
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, Event, RunFinished, RunStarted, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import fold
from studio.trace.redact import Redactor
from studio.trace.timeline.spans import Spans
from tests.trace.builders import answer

STEPS = 30_000


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = RunStore(Path(folder))
        entries = chain("bench")
        count = len(entries)
        print(f"{'what':<58}{'each':>12}")  # noqa: T201

        row("an entry: redacted", seconds(lambda: redact_all(entries)) / count)
        row("an entry: encoded, 3,000 in a batch", seconds(lambda: encode(entries)) / count)
        row("an entry: put, committed and published (pure, batched)", write(store, entries) / count)
        row("an entry: read back and validated", seconds(lambda: list(store.entries(RunId("bench")))) / count)
        row("an entry: folded", seconds(lambda: fold(entries)) / count)
        state = fold(entries)
        row("a step: drawn on the timeline", seconds(lambda: Spans().update(state, state.order)) / STEPS)
        row(f"opening a run of {count} entries", seconds(lambda: store.load(RunId("bench"))))
        row("an answer: put and awaited (FULL)", asyncio.run(await_answers(store, 200)) / 200)
        row("a run: made, three entries, closed", seconds(lambda: many(store, 200)) / 200)
        row("a list of 200 runs, first", seconds(store.runs))
        row("a list of 200 runs, again", seconds(store.runs))
        if len(sys.argv) > 1:
            search(Path(folder) / "many.db", int(sys.argv[1]))


def chain(run: str) -> list[Entry]:
    """A run of trivial steps, three entries each."""
    events: list[tuple[str, Event]] = [("", RunStarted("bench", "{}"))]
    for number in range(STEPS):
        step, values = f"rounds.{number}/writer", {"reply": Shown("a short text", ("user",))}
        events += [(step, StepReady()), (step, StepStarted(values)), (step, StepFinished(values))]
    events.append(("", RunFinished()))
    return [
        Entry(RunId(run), number, StepId(step), StepId("rounds" if step else ""), time.time(), event)
        for number, (step, event) in enumerate(events, start=1)
    ]


def redact_all(entries: Sequence[Entry]) -> None:
    """Look for keys in all events."""
    redact = Redactor(["sk-a-key-that-nobody-has"]).event
    for entry in entries:
        redact(entry.event)


def encode(entries: Sequence[Entry]) -> None:
    """Make chunks of all entries."""
    for start in range(0, len(entries), 3000):
        make_columns([storable(one)[0] for one in entries[start : start + 3000]], Shelf().place).chunk()


def write(store: RunStore, entries: Sequence[Entry]) -> float:
    """Write a whole run, from the first entry to the closed file."""
    writer = RunWriter(store.new_run_path(entries[0].run), lambda _: None)

    def put() -> None:
        for entry in entries:
            writer.put(entry)
        writer.close()

    return seconds(put)


def search(path: Path, count: int) -> None:
    """Look for common, rare, begun and quoted words in messages of 30 words, as skewed as language is."""
    chance = random.Random(1)  # noqa: S311
    known = ["".join(chance.choices(ascii_lowercase, k=chance.randint(2, 9))) for _ in range(30_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(known) + 1)))
    index = Search(path)

    def texts(_: RunId) -> Iterator[RunText]:
        for number in range(1, 1001):
            words = chance.choices(known, cum_weights=weights, k=30)
            yield RunText(number, StepId("w#chat.1"), " ".join(words))

    runs = {RunId(f"run-{number:06}"): "1" for number in range(count // 1000)}
    row("a message: taken into the index of words", seconds(lambda: index.update(runs, texts)) / count)
    row(f"size of the index, per message: {path.stat().st_size / count:.0f} bytes", 0)
    for what, words in {
        "a common word": known[0],
        "two common words": f"{known[0]} {known[2]} ",
        "a rare word": known[20_000],
        "a rare and a common word": f"{known[20_000]} {known[0]} ",
        "a phrase of common words": f'"{known[0]} {known[1]}"',
        "the beginning of a word": known[50][:3],
        "a word that is nowhere": "qqqqqqqqq",
    }.items():
        times = sorted(seconds(lambda words=words: index.find(words, 50)) for _ in range(5))
        row(f"search over {count:,}: {what}, median", times[2])
        row("   … the slowest of 5", times[-1])


async def await_answers(store: RunStore, count: int) -> float:
    """Wait for each of `count` answers to be on disk for good."""
    run = RunId("answers")
    writer = RunWriter(store.new_run_path(run), lambda _: None)
    begin = time.perf_counter()
    for number in range(1, count + 1):
        writer.put(Entry(run, number, StepId(f"w#chat.{number}"), StepId("w"), 0.0, answer("a" * 500)))
        await writer.committed()
    took = time.perf_counter() - begin
    writer.close()
    return took


def many(store: RunStore, count: int) -> None:
    """Write many small runs, with one thread for all."""
    committer = Committer()
    for index in range(count):
        run = RunId(f"many-{index:04}")
        writer = RunWriter(store.new_run_path(run), lambda _: None, committer=committer)
        for number, event in enumerate((RunStarted("f", "{}"), StepReady(), RunFinished()), start=1):
            writer.put(Entry(run, number, StepId("w"), StepId(""), 0.0, event))
        writer.close()
    committer.close()


def seconds(work: Callable[[], object]) -> float:
    """Time one go of `work`."""
    gc.collect()
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def row(what: str, took: float) -> None:
    """Print one line of the table."""
    print(f"{what:<58}{took * 1e6:>9.1f} µs" if took < 0.01 else f"{what:<58}{took * 1e3:>9.1f} ms")  # noqa: T201


if __name__ == "__main__":
    main()
