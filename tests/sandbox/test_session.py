"""What code assigns is there again at the next call of its session, and nowhere else."""

from collections.abc import Mapping
from typing import Any

import pytest

from nodes.control.python.session import CALL, in_session
from studio.errors import CodeError
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeCall, CodeLimits

pytestmark = [pytest.mark.box, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="session")]


async def call(box: WasmBox, code: str, kept: Any, function: str = "main", **arguments: Any) -> Any:
    asked: Mapping[str, Any] = {"kept": kept, "function": function, "arguments": arguments}
    return await box.run(CodeCall(in_session(code), CALL, asked, CodeLimits(10)))


async def after(box: WasmBox, code: str, *rounds: Mapping[str, Any]) -> list[Any]:
    kept: Any = {}
    results: list[Any] = []
    for arguments in rounds:
        told = await call(box, code, kept, **arguments)
        kept = told["kept"]
        results.append(told["result"])
    return results


async def test_numbers_lists_and_objects_go_on_from_where_they_were(box: WasmBox) -> None:
    code = (
        "count, names, by = 0, [], {}\n"
        "def main(name):\n"
        " global count\n"
        " count += 1\n"
        " names.append(name)\n"
        " by[name] = by.get(name, 0) + 1\n"
        " return [count, len(names), by]"
    )
    rounds = [{"name": name} for name in ("owl", "wren", "owl")]
    assert (await after(box, code, *rounds))[-1] == [3, 3, {"owl": 2, "wren": 1}]


async def test_what_json_cannot_say_is_kept_as_well(box: WasmBox) -> None:
    code = (
        "from dataclasses import dataclass\n"
        "from collections import deque\n"
        "from decimal import Decimal\n"
        "@dataclass\n"
        "class Bird:\n"
        " name: str\n"
        "last, seen, sum, big = None, deque(maxlen=2), Decimal(0), 1\n"
        "def main(name):\n"
        " global last, sum, big\n"
        " before = None if last is None else last.name\n"
        " last = Bird(name)\n"
        " seen.append(name)\n"
        " sum, big = sum + Decimal('0.1'), big * 2**40\n"
        " return [before, list(seen), str(sum), str(big)]"
    )
    rounds = [{"name": name} for name in ("a", "b", "c")]
    assert (await after(box, code, *rounds))[-1] == ["b", ["b", "c"], "0.3", str(2**120)]


async def test_constants_functions_and_private_names_are_not_kept(box: WasmBox) -> None:
    code = (
        "import re\nTABLE = [1, 2]\n_cache = {}\nlock = (i for i in ())\n"
        "def half(x): return x / 2\n"
        "def main():\n _cache[1] = 1\n return half(TABLE[0])"
    )
    told = await call(box, code, {})
    assert told == {"result": 0.5, "kept": {"values": {}, "pickled": {}}}


async def test_what_another_code_of_the_session_cannot_read_is_passed_through(box: WasmBox) -> None:
    first = (
        "from dataclasses import dataclass\n@dataclass\nclass Bird:\n name: str\n"
        "def main():\n global bird\n bird = Bird('owl')\n return bird.name"
    )
    kept = (await call(box, first, {}))["kept"]
    kept = (await call(box, "def main():\n global n\n n = 1", kept))["kept"]
    assert kept["values"] == {"n": 1}
    again = first.replace("global bird\n bird = Bird('owl')\n ", "")
    assert (await call(box, again, kept))["result"] == "owl"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def main():\n global x\n x = (i for i in [])", "`x` cannot be kept in the session"),
        ("def main():\n global x\n x = 'a' * 5_000_000", "more than 4 MiB"),
        ("x = 1\ndef main():\n return x / 0", r"ZeroDivisionError: division by zero \(line 3\)"),
        ("def other(): pass\ndef main(a): pass", "missing 1 required positional argument"),
    ],
)
async def test_what_goes_wrong_is_said_with_the_line_of_the_code(code: str, words: str, box: WasmBox) -> None:
    with pytest.raises(CodeError, match=words):
        await call(box, code, {})
