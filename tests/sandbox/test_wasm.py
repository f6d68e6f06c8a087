"""What code in the box can do, and how it ends."""

import asyncio
import sys
import time
from collections.abc import Mapping

import pytest

from studio.errors import CodeError, CodeLimitError, ToolError
from studio.flow.records import Json
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall, CodeLimits
from studio.sdk.code_modules import BOX_MODULES

pytestmark = [pytest.mark.box, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="session")]


async def test_a_function_is_called_with_json_and_gives_json(box: WasmBox) -> None:
    code = "def both(words, times=2): return {'all': words * times, 'count': len(words)}"
    given = await box.run(CodeCall(code, "both", {"words": ["ä", "\N{SNOWMAN}"]}))
    assert given == {"all": ["ä", "\N{SNOWMAN}"] * 2, "count": 2}


async def test_a_dataclass_is_given_as_an_object_and_a_set_as_a_list(box: WasmBox) -> None:
    code = "from dataclasses import dataclass\n@dataclass\nclass A:\n x: int\ndef f(): return [A(1), {3, 2}]"
    assert await box.run(CodeCall(code, "f")) == [{"x": 1}, [2, 3]]


async def test_the_pure_library_is_there(box: WasmBox) -> None:
    code = (
        "import csv, datetime, decimal, io, json, math, re, statistics, zoneinfo\n"
        "def f(): return [str(decimal.Decimal('0.1') * 3), statistics.median([3, 1, 2]),"
        " datetime.datetime.strptime('2026-01-02', '%Y-%m-%d').isoformat(), re.findall('a+', 'aab'),"
        " list(csv.reader(io.StringIO('a,b')))]"
    )
    assert await box.run(CodeCall(code, "f")) == ["0.3", 2, "2026-01-02T00:00:00", ["aa"], [["a", "b"]]]


async def test_what_is_printed_is_told_line_by_line(box: WasmBox) -> None:
    lines: list[str] = []
    await box.run(CodeCall("def f():\n print('a\\nb', end='')\n print('c')", "f"), on_line=lines.append)
    assert lines == ["a", "bc"]


async def test_a_granted_tool_is_called_outside_and_answers_inside(box: WasmBox) -> None:
    async def weather(arguments: Mapping[str, Json]) -> str:
        await asyncio.sleep(0)
        if arguments["town"] == "Nowhere":
            message = "there is no such town"
            raise ToolError(message)
        return f"rain in {arguments['town']}"

    code = (
        "def f(town):\n try:\n  return call_tool('weather', town=town)\n"
        " except ToolRefused as error:\n  return f'no: {error}'"
    )
    calls = [CodeCall(code, "f", {"town": town}) for town in ("Bremen", "Nowhere")]
    given = [await box.run(call, tools={"weather": weather}) for call in calls]
    assert given == ["rain in Bremen", "no: there is no such town"]


@pytest.mark.parametrize(
    ("code", "words", "line"),
    [
        ("def f():\n    return 1 / 0", "ZeroDivisionError: division by zero (line 2)", 2),
        ("def f(:\n    pass", "SyntaxError: invalid syntax (line 1)", 1),
        ("def g(): pass", "NameError: there is no function `f`", 0),
        ("def f(): return object()", "a value that JSON cannot say: `object`", 0),
        ("def f(): return float('nan')", "a value that JSON cannot say", 0),
        ("import socket\ndef f(): pass", "No module named 'socket' (line 1)", 1),
    ],
)
async def test_an_error_of_the_code_names_its_line(box: WasmBox, code: str, words: str, line: int) -> None:
    with pytest.raises(CodeError) as raised:
        await box.run(CodeCall(code, "f"))
    assert words in raised.value.message
    assert raised.value.line == line


async def test_half_surrogates_are_replaced(box: WasmBox) -> None:
    assert await box.run(CodeCall("def f(): return 'a\\ud800b'", "f")) == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("code", ["def f():\n while True: pass", "import time\ndef f(): time.sleep(100)"])
async def test_code_that_does_not_end_is_cut(box: WasmBox, code: str) -> None:
    with pytest.raises(CodeLimitError, match=r"longer than its 0\.2 s"):
        await box.run(CodeCall(code, "f", {}, CodeLimits(seconds=0.2)))


async def test_code_that_fills_memory_is_told_how_much_it_has(box: WasmBox) -> None:
    with pytest.raises(CodeLimitError, match="48 MiB"):
        await box.run(CodeCall("def f(): return len(bytearray(2**30))", "f", {}, CodeLimits(5, 48 * 2**20)))


async def test_the_time_that_a_tool_takes_does_not_count(box: WasmBox) -> None:
    async def slow(_arguments: Mapping[str, Json]) -> str:
        await asyncio.sleep(0.3)
        return "done"

    call = CodeCall("def f(): return call_tool('slow')", "f", {}, CodeLimits(seconds=0.2))
    assert await box.run(call, tools={"slow": slow}) == "done"


async def test_cancelling_ends_the_code_and_its_process_within_200_ms(box: WasmBox) -> None:
    begun = asyncio.Event()
    code = "def f():\n print('in')\n while True: pass"
    task = asyncio.create_task(
        box.run(CodeCall(code, "f", {}, CodeLimits(seconds=60)), on_line=lambda _: begun.set())
    )
    await begun.wait()
    before = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - before < 5  # what is claimed is measured in tests/bench; here that it ends
    assert await box.run(CodeCall("def f(): return 1", "f")) == 1


async def test_calls_go_beside_each_other(box: WasmBox) -> None:
    arrived = asyncio.Barrier(3)

    async def meet(_arguments: Mapping[str, Json]) -> str:
        await arrived.wait()
        return "met"

    call = CodeCall("def f(): return call_tool('meet')", "f")
    given = await asyncio.gather(*(box.run(call, tools={"meet": meet}) for _ in range(3)))
    assert given == ["met"] * 3


async def test_what_may_be_imported_is_what_there_is(box: WasmBox) -> None:
    names = sorted({*sys.stdlib_module_names, *BOX_MODULES} - {"antigravity", "this"})
    code = (
        "import sys\n"
        "def f(names):\n"
        " found = []\n"
        " for name in names:\n"
        "  try:\n"
        "   __import__(name)\n"
        "  except ImportError:\n"
        "   continue\n"
        "  found.append(name)\n"
        " return found"
    )
    public: list[Json] = [name for name in names if not name.startswith("_") or name == "__future__"]
    assert await box.run(CodeCall(code, "f", {"names": public}, CodeLimits(20))) == sorted(BOX_MODULES)


async def test_a_module_that_is_named_only_when_it_runs_is_refused_with_what_to_do(box: WasmBox) -> None:
    for name, words in (("numpy", "is a package"), ("socket", "not available in the sandbox")):
        with pytest.raises(CodeError) as raised:
            await box.run(CodeCall(f"def f(): return __import__({name!r})", "f"))
        assert words in raised.value.hint
