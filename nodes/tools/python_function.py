r"""Python function: a Python function as a tool, run in a sandbox.

The code defines a function `main`, or one public function; the agent is told its name, the first line of its
docstring, and its parameters with their types. Every call runs in a fresh box: Python compiled to
WebAssembly, with the pure part of the standard library, and without files, network, environment or
processes. Packages, and modules that reach for any of these, are refused before anything runs.

```json
{
  "settings": {"code": "def add(a: float, b: float):\n  'Add two numbers.'\n  return a + b"},
  "calls": [{"tool": "add", "arguments": {"a": 2, "b": 3}}],
  "outputs": {"tool": [5]}
}
```
"""

import json
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import AfterValidator

from studio.building_blocks.settings.code import CodeMemory, CodeSeconds
from studio.sdk import (
    Context,
    Json,
    Setting,
    StepError,
    Tool,
    ToolError,
    Yields,
    binding,
    boxed_code,
    lendable_code,
    read_signature,
)

CODE = '''def double(number: float) -> float:
    """Double a number."""
    return 2 * number
'''


@binding(
    "tools.python_function",
    title="Python function",
    accesses={"code": ""},
    keywords=("code", "compute", "tool", "script"),
)
async def python_function(
    context: Context,
    *,
    code: Annotated[
        str,
        Setting("Code", editor="code", help="One function; its docstring describes it"),
        AfterValidator(boxed_code),
        AfterValidator(lendable_code),
    ] = CODE,
    description: Annotated[
        str, Setting("Description", editor="text", help="Tool description; empty: the docstring")
    ] = "",
    seconds: CodeSeconds = 10,
    memory: CodeMemory = 256,
) -> Yields[Tool]:
    """Lend the function."""
    signature = read_signature(code)

    async def call(arguments: Mapping[str, object]) -> str:
        """Answer with the result as JSON, or with the words of the error."""
        given = cast("Mapping[str, Json]", arguments)
        try:
            result = await context.run_code(code, signature.function, given, seconds=seconds, memory=memory)
        except StepError as error:
            raise ToolError(error.message) from error
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

    told = description or signature.summary or f"Call `{signature.function}`."
    yield Tool(signature.function, told, signature.parameters, call)
