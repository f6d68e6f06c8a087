"""What memories cost, by hand: `python -m tests.bench.memory_bench [ITEMS] [ROUNDS]`; one table, no limits.

The times of a recall are those in which the process was busy, in ms, the median and the 95th percentile, and
the latter on the clock, which tells nothing on a machine that is busy with other work.
Each kind of memory is filled through its node, kept in a file of the project, opened from there as runs do,
and asked through its node: all that a recall does is in its time, vectors of the query included.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from nodes.memory.experience import experience
from nodes.memory.files import files
from nodes.memory.graph import graph
from nodes.memory.notes import notes
from nodes.memory.stream import stream
from nodes.memory.summary import summary
from nodes.memory.vector import vector
from nodes.memory.window import window
from studio.sdk import Item, Items, Json, Memory, MemoryPlace, Note, Query, Recalled
from studio.sdk.item_layers import Layer, Write
from studio.sdk.items import Purpose
from studio.sdk.testing import ScriptedContext, open_binding
from studio.store.memories.project_memories import StoredMemories

AT_ONCE = 500

WORDS = [
    line.strip(".,;:()`*\"'").lower()
    for page in sorted((Path(__file__).parents[2] / "resources" / "guide").glob("*.md"))
    for line in page.read_text(encoding="utf-8").split()
    if line.isascii() and line.isalpha()
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of memory, how its items are made, and what it is asked."""

    name: str
    node: object
    note: Callable[[random.Random, int], Note]
    query: Callable[[random.Random], Query]
    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])


class LayerItems:
    """A memory of the store in a step's hands; each change takes effect at once."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self.writes: list[Write] = []

    def read(
        self, query: str, search: Callable[[Items], Sequence[Recalled]], *, purpose: Purpose = "recall"
    ) -> Sequence[Recalled]:
        """Look into it."""
        del query, purpose
        return search(self._layer.items)

    def put(self, item: Item, why: str = "") -> None:
        """Put an item in."""
        self._change(Write("put", item, why))

    def remove(self, item_id: str, why: str = "") -> None:
        """Take an item out."""
        self._change(Write("remove", Item(item_id, ""), why))

    def use(self, item_id: str, at: str) -> None:
        """Count that an item was of use."""
        self._change(Write("use", Item(item_id, "", at=at)))

    def _change(self, write: Write) -> None:
        self._layer.apply([write])
        self.writes.append(write)


class BenchContext(ScriptedContext):
    """A context whose memories are those of a store."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._stores = StoredMemories(folder)
        self.held: dict[str, LayerItems] = {}
        self._numbers = random.Random(7)  # noqa: S311  # ids

    def random(self) -> random.Random:
        """Give chance that does not begin anew."""
        return self._numbers

    def memory(self, place: MemoryPlace) -> LayerItems:  # type: ignore[override]
        """Give a memory of the store."""
        if place.name not in self.held:
            self.held[place.name] = LayerItems(self._stores.open(place, run="bench").root)
        return self.held[place.name]


def said(chance: random.Random, many: int = 30) -> str:
    """Words as they stand in the guide."""
    start = chance.randrange(len(WORDS) - many)
    found = WORDS[start : start + many]
    chance.shuffle(found)
    return " ".join(found)


def asked(chance: random.Random) -> Query:
    """A question of eight words."""
    return Query(said(chance, 8))


def thing(chance: random.Random) -> str:
    """One of three thousand things."""
    return f"{chance.choice(WORDS)} {chance.randrange(20)}"


KINDS = (
    Kind(
        "window",
        window,
        lambda chance, number: Note(said(chance), {"role": ("user", "assistant")[number % 2]}),
        asked,
        {"older": "keep"},
    ),
    Kind(
        "summary",
        summary,
        lambda chance, number: Note(said(chance), {"role": ("user", "assistant")[number % 2]}),
        lambda _: Query(most=20),
        {"turns": 10_000},
    ),
    Kind("vector", vector, lambda chance, _: Note(said(chance)), asked),
    Kind("notes", notes, lambda chance, number: Note(said(chance), {"key": f"k{number}"}), asked),
    Kind(
        "graph",
        graph,
        lambda chance, number: Note(f"{thing(chance)} | {chance.choice(WORDS)} {number} | {thing(chance)}"),
        lambda chance: Query(f"What about {thing(chance)}?"),
    ),
    Kind(
        "files",
        files,
        lambda chance, number: Note(said(chance), {"path": f"f/{number}.txt"}),
        asked,
        {"most": 20_000, "together": 50_000_000},
    ),
    Kind(
        "stream",
        stream,
        lambda chance, _: Note(said(chance), {"importance": chance.randint(1, 9)}),
        asked,
        {"reflects_at": 0},
    ),
    Kind(
        "experience",
        experience,
        lambda chance, _: Note(
            said(chance, 8), {"action": f"way {chance.randrange(9)}", "score": chance.random()}
        ),
        asked,
    ),
)


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    heads = f"{'kind':<12}{'items':>7}{'remember':>10}{'open':>8}{'recall':>8}{'95 %':>8}{'clock':>8}"
    print(f"{heads}{'file':>9}{'bytes':>7}")  # noqa: T201
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure(kind, Path(folder), count, rounds))


async def measure(kind: Kind, folder: Path, count: int, rounds: int) -> None:
    """Fill a memory, open it anew, and ask it."""
    chance = random.Random(3)  # noqa: S311  # a bench
    filling = BenchContext(folder)
    settings: dict[str, Json] = {"name": "bench", "keep": "project", **kind.settings}
    async with aclosing(open_binding(kind.node, settings, filling)) as lending:
        memory = await anext(lending)
        started = time.perf_counter()
        for start in range(0, count, AT_ONCE):
            await memory.remember(filling, [kind.note(chance, n) for n in range(start, start + AT_ONCE)])
        each = (time.perf_counter() - started) / count
        size = keep(memory, folder, filling.held["bench"].writes)
        started = time.perf_counter()
        asking = BenchContext(folder)
        items = asking.memory(memory.place).read("", lambda items: [Recalled(one) for one in items.all()])
        opened = time.perf_counter() - started
        times = [await recall(memory, asking, kind.query(chance)) for _ in range(rounds + 5)][5:]
    busy, waited = [one for one, _ in times], [one for _, one in times]
    figures = (statistics.median(busy), late(busy), late(waited))
    costs = f"{each * 1e6:>7.0f} µs{opened * 1e3:>5.0f} ms" + "".join(f"{1e3 * one:>8.1f}" for one in figures)
    print(f"{kind.name:<12}{len(items):>7}{costs}{size / 1e6:>6.1f} MB{size / len(items):>7.0f}")  # noqa: T201


def keep(memory: Memory, folder: Path, writes: Sequence[Write]) -> int:
    """Save what was written in versions of a hundred changes; gives the bytes on disk."""
    place = replace(memory.place, keep="project")
    stored = StoredMemories(folder).open(place, run="bench")
    for start in range(0, len(writes), 100):
        told = stored.save(f"{start}", writes[start : start + 100])
        if told:
            raise RuntimeError(told)
    stored.close()
    return sum(one.stat().st_size for one in folder.iterdir())


def late(times: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


async def recall(memory: Memory, context: BenchContext, query: Query) -> tuple[float, float]:
    """Ask once; gives the seconds that the process was busy, and those on the clock."""
    started, busy = time.perf_counter(), time.process_time()
    await memory.recall(context, query)
    return time.process_time() - busy, time.perf_counter() - started


if __name__ == "__main__":
    main()
