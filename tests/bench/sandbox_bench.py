"""What a call into the box costs, by hand: `python -m tests.bench.sandbox_bench [CALLS]`; one table."""

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from studio.errors import CodeLimitError
from studio.flow.records import Json
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall, CodeLimits

TINY = CodeCall("def run(x): return x + 1", "run", {"x": 1})
ROWS = CodeCall(
    "import statistics\ndef run(rows): return statistics.mean(row['n'] for row in rows)",
    "run",
    {"rows": [{"n": number, "text": "a wren sang"} for number in range(1000)]},
)
TOOL = CodeCall("def run(): return call_tool('echo', text='x')", "run")
LOOP = CodeCall("def run():\n while True: pass", "run", {}, CodeLimits(seconds=0.1))


def main() -> None:
    """Print the table."""
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 500))


async def measure(calls: int) -> None:
    """Call one after the other, then many at once."""
    print(f"{'what':<44}{'median':>9}{'95 %':>9}{'worst':>9}   ms")  # noqa: T201
    async with WasmBox() as box:
        row("first call of a process, its image made", [await timed(box, TINY)])
        row("warm call", [await timed(box, TINY) for _ in range(calls)])
        row("warm call that calls a tool", [await timed(box, TOOL) for _ in range(calls)])
        row("warm call with 1,000 rows", [await timed(box, ROWS) for _ in range(calls // 5)])
        late = [await timed(box, LOOP) - 0.1 for _ in range(calls // 20)]
        row("endless loop, over its limit of 100 ms", late)
        before = time.perf_counter()
        await asyncio.gather(*(box.run(TINY) for _ in range(calls)))
        row(f"each of {calls} at once", [(time.perf_counter() - before) / calls])


async def timed(box: WasmBox, call: CodeCall) -> float:
    """Seconds that a call takes."""

    async def echo(arguments: Mapping[str, Json]) -> str:
        return str(arguments)

    before = time.perf_counter()
    with suppress(CodeLimitError):
        await box.run(call, tools={"echo": echo})
    return time.perf_counter() - before


def row(what: str, seconds: Sequence[float]) -> None:
    """Print a line, in ms."""
    found = sorted(seconds)
    middle, late = found[len(found) // 2], found[min(len(found) * 95 // 100, len(found) - 1)]
    print(f"{what:<44}{middle * 1e3:>9.2f}{late * 1e3:>9.2f}{found[-1] * 1e3:>9.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
