"""Code is tried by its tests in the sandbox, and nothing that it does gets out."""

from collections.abc import Mapping
from typing import Any

import pytest

from nodes.check.unit_tests import code_in, unit_tests
from studio.errors import StepError
from studio.sandbox.wasm import WasmBox
from studio.sdk.testing import ScriptedContext, run_bench
from tests.experiments.toys import HUMANEVAL

CHECK = f"{HUMANEVAL['test']}\ncheck(total)\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", "x = 1"),
        ("Here:\n```python\ndef f():\n    pass\n```\nUse it:\n```\nf()\n```", "def f():\n    pass\n"),
        ("```\nx = 1\n```\n```py\nx = 2\n```", "x = 2\n"),
        ("```python\ndef f():\n    pass", "def f():\n    pass"),
    ],
)
def test_the_code_of_a_reply_is_its_last_block_with_a_function(text: str, code: str) -> None:
    assert code_in(text) == code


async def test_without_tests_there_is_nothing_to_score() -> None:
    with pytest.raises(StepError, match="There are no tests"):
        await run_bench(unit_tests, {"value": "x = 1", "wanted": []})


@pytest.mark.box
async def test_solutions_pass_or_fail_with_the_reason() -> None:
    tried: list[tuple[Mapping[str, Any], str]] = [
        ({"value": HUMANEVAL["canonical_solution"], "wanted": CHECK, "before": HUMANEVAL["prompt"]}, ""),
        ({"value": "return sum(eggs)", "wanted": CHECK, "before": HUMANEVAL["prompt"]}, ""),
        (
            {
                "value": "def total(eggs: List[int]):\n    return sum(eggs)",
                "wanted": [CHECK],
                "before": HUMANEVAL["prompt"],
            },
            "",
        ),
        (
            {"value": "def f(n): return n", "wanted": ["assert f(1) == 1", "assert f(2) == 3"]},
            "Test 2 of 2: AssertionError: assert f(2) == 3",
        ),
        (
            {"value": "def f(n): return math.isqrt(n)", "wanted": "assert f(9) == 3", "setup": "import math"},
            "",
        ),
        ({"value": "def f(:", "wanted": "f()"}, "The code fails: SyntaxError"),
        ({"value": "import sys\nsys.exit(0)", "wanted": "assert False"}, "The code fails: SystemExit: 0"),
        ({"value": "while True: pass", "wanted": "pass"}, "1 s"),
        ({"value": "open('/etc/passwd')", "wanted": "pass"}, "The code fails: "),
    ]
    async with WasmBox() as box:
        for given, said in tried:
            context = ScriptedContext(box=box)
            found = await run_bench(unit_tests, given, {"seconds": 1}, context)
            assert said in str(found["reason"]), given
            assert found["ok"] is (not said), given
