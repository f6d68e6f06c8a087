r"""Python: a step written in Python, in a box of its own.

The code defines a function `main`, or one public function. Its parameters become the inputs, their types
read from the annotations (`str`, `int`, `float`, `bool`, lists of these; anything else is JSON), and what it
returns becomes the output `result`. A `@dataclass` or `TypedDict` that the code defines for what it returns
gives one output a field. A parameter with a default need not be wired.

Every call runs in a fresh box: Python compiled to WebAssembly, with the pure part of the standard library,
and without files, network, environment or processes. What the code prints goes into the trace.
In a script the code runs as it is, in no box.

```json
{
  "settings": {"code": "def main(text: str, least: int = 4) -> int:\n    return len(text.split()) - least"},
  "inputs": {"text": "a dunnock sings in the hedge", "least": 2},
  "outputs": {"result": 4}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from studio.sdk import (
    Context,
    DynamicIn,
    Json,
    Port,
    Setting,
    StepError,
    dynamic_inputs,
    dynamic_outputs,
    node,
    read_signature,
)

CODE = '''def main(text: str) -> str:
    """Say what the step does."""
    return text.upper()
'''


@node("control.python", title="Python", keywords=("code", "script", "function", "compute", "transform"))
async def python(
    context: Context,
    *,
    code: Annotated[str, Setting("Code", editor="code", help="Parameters make inputs")] = CODE,
    seconds: Annotated[
        float, Setting("Seconds at most", editor="number", minimum=0.01, maximum=600, help="Of its own work")
    ] = 10,
    memory: Annotated[int, Setting("Memory at most, MiB", minimum=32, maximum=2048)] = 256,
    **inputs: Annotated[object, DynamicIn("One for each parameter")],
) -> Mapping[str, object]:
    """Call the function that `code` defines."""
    signature = read_signature(code)
    result = await context.run_code(
        code, signature.function, cast("Mapping[str, Json]", inputs), seconds=seconds, memory=memory
    )
    if not signature.has_fields:
        return {"result": result}
    if not isinstance(result, Mapping):
        message = f"`{signature.function}` gave something else than what it says that it returns."
        raise StepError(message)
    return result


@dynamic_inputs(python)
def python_inputs(*, code: str, **_: object) -> Sequence[Port]:
    """One input for each parameter."""
    return read_signature(code).inputs


@dynamic_outputs(python)
def python_outputs(*, code: str, **_: object) -> Sequence[Port]:
    """What the function returns."""
    return read_signature(code).outputs
