r"""Unit tests: whether Python code passes tests, run in a sandbox.

`value` is the code, or a reply with it in a block of code; of several blocks the last that has a function.
`setup` runs first, then `before` with the code behind it (a head of which the code is the body, or a function
that the code writes anew), then each test of `wanted`, a text or a list of texts. The first that raises is
told, and the score is 1 if none does.

All runs in a fresh box: Python compiled to WebAssembly, with the pure part of the standard library, and
without files, network or processes. Code that takes longer than the limit fails.

```json
{
  "inputs": {
    "value": "def add(a, b):\n    return a - b",
    "wanted": ["assert add(1, 0) == 1", "assert add(1, 2) == 3"]
  },
  "outputs": {"ok": false, "score": 0.0, "reason": "Test 2 of 2: AssertionError: assert add(1, 2) == 3"}
}
```
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, cast

from studio.building_blocks.answers.check_result import Checked, checked
from studio.building_blocks.settings.checks import OnFailure
from studio.building_blocks.settings.code import CodeMemory
from studio.building_blocks.values.json_kinds import is_list
from studio.errors import CodeError, CodeLimitError
from studio.sdk import Context, In, Json, Setting, StepError, node
from studio.sdk.templates import as_text

BLOCK = re.compile(r"```(?:[pP]ython|py)?[^\S\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
LONGEST_REASON = 500

HARNESS = """
def run(setup, before, code, tests):
    import sys, types

    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    scope = module.__dict__

    def told(error):
        text = str(error)
        return type(error).__name__ + (": " + text if text else "")

    try:
        exec(compile(setup, "setup", "exec"), scope)
    except BaseException as error:
        return {"at": "setup", "error": told(error)}
    whole = before + "\\n" + code if before else code
    try:
        try:
            made = compile(whole, "code", "exec")
        except SyntaxError:
            made = compile(before + "\\n    " + code.lstrip(), "code", "exec") if before else None
            if made is None:
                raise
        exec(made, scope)
    except BaseException as error:
        return {"at": "code", "error": told(error)}
    for place, test in enumerate(tests):
        try:
            exec(compile(test, "test", "exec"), scope)
        except BaseException as error:
            return {"at": place, "error": told(error)}
    return {"at": None, "error": ""}
"""
"""Runs in the box. Tests are texts of the dataset, and the code is a model's: neither is trusted."""


@node(
    "check.unit_tests",
    title="Unit tests",
    accesses={"code": ""},
    keywords=("code", "python", "humaneval", "mbpp", "assert", "pass@k", "sandbox"),
)
async def unit_tests(
    context: Context,
    value: Annotated[Any, In("The code, or a reply with it", type="T")],
    wanted: Annotated[Any, In("The tests: Python as text, or a list of such texts", type="json")],
    setup: Annotated[str, In("Python that runs first, such as imports")] = "",
    before: Annotated[str, In("Python that the code continues")] = "",
    *,
    seconds: Annotated[
        float,
        Setting("Timeout, s", editor="number", minimum=0.01, maximum=600, help="For all tests together"),
    ] = 10,
    memory: CodeMemory = 256,
    at_fault: OnFailure = "go on",
) -> Checked:
    """Run the tests on the code; raises `StepError` where there are none."""
    tests = [as_text(one) for one in wanted] if is_list(wanted) else [as_text(wanted)]
    if not any(one.strip() for one in tests):
        raise StepError("There are no tests.", hint="Wire Python with assertions to `wanted`.")
    given: dict[str, Json] = {
        "setup": setup,
        "before": before,
        "code": code_in(as_text(value)),
        "tests": [*tests],
    }
    try:
        told = await context.run_code(HARNESS, "run", given, seconds=seconds, memory=memory)
    except CodeLimitError as error:
        return checked(value, 0.0, error.message, at_fault=at_fault)
    except CodeError as error:  # the code ended the interpreter itself
        return checked(value, 0.0, f"It did not finish: {error.message}", at_fault=at_fault)
    fault = fault_of(cast("Mapping[str, Json]", told), tests)
    return checked(value, 0.0 if fault else 1.0, fault, at_fault=at_fault)


def code_in(text: str) -> str:
    """The code of a reply: the last block with a function, the last block, or all of it."""
    blocks = BLOCK.findall(text)
    functions = [one for one in blocks if re.search(r"^\s*(?:async\s+)?(?:def|class)\s", one, re.MULTILINE)]
    return (functions or blocks or [text])[-1]


def fault_of(told: Mapping[str, Json], tests: list[str]) -> str:
    """Tell in words where it failed; empty where it did not."""
    at, error = told.get("at"), str(told.get("error"))
    if at is None:
        return ""
    if not isinstance(at, int):
        return f"The {at} fails: {error}"[:LONGEST_REASON]
    own = tests[at].strip().split("\n")
    said = f"{error}: {own[0]}" if error == "AssertionError" and len(own) == 1 else error
    return f"Test {at + 1} of {len(tests)}: {said}"[:LONGEST_REASON]
