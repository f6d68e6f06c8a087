r"""Python: a step in Python, run in a sandbox.

The code defines a function `main`, or one public function. Its parameters become the inputs, their types
read from the annotations (`str`, `int`, `float`, `bool`, lists of these; anything else is JSON), and what it
returns becomes the output `result`. A `@dataclass` or `TypedDict` that the code defines for what it returns
gives one output a field. A parameter with a default need not be wired.

Every call runs in a fresh box: Python compiled to WebAssembly, with the pure part of the standard library,
and without files, network, environment or processes. Packages, and modules that reach for any of these, are
refused before anything runs. What the code prints goes into the trace.

With *Session*, what the code assigns at its top is there again at the next call, of this step in a loop or of
another one with the same session: `count = 0` at the top counts on with `global count`. It is kept as a run
variable, so order the steps that share it by wires; items that run at once have each their own.
Names that begin with `_` are left out, as are functions, classes and modules, which the code makes anew.

```json
{
  "settings": {"code": "def main(text: str, least: int = 4) -> int:\n    return len(text.split()) - least"},
  "inputs": {"text": "a dunnock sings in the hedge", "least": 2},
  "outputs": {"result": 4}
}
```
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import AfterValidator

from nodes.control.python.session import CALL, in_session, variable_of
from studio.building_blocks.settings.code import CodeMemory, CodeSeconds
from studio.sdk import (
    Context,
    DynamicIn,
    Json,
    Port,
    Setting,
    StepError,
    boxed_code,
    dynamic_inputs,
    dynamic_outputs,
    node,
    read_signature,
)

CODE = '''def main(text: str) -> str:
    """Say what the step does."""
    return text.upper()
'''


@node(
    "control.python",
    title="Python",
    variable="writes",
    named_by="session",
    accesses={"code": ""},
    keywords=("code", "script", "function", "compute", "transform"),
)
async def python(
    context: Context,
    *,
    code: Annotated[
        str, Setting("Code", editor="code", help="Parameters become inputs"), AfterValidator(boxed_code)
    ] = CODE,
    seconds: CodeSeconds = 10,
    memory: CodeMemory = 256,
    session: Annotated[
        str, Setting("Session", help="Name of a session that keeps variables; empty: start fresh each time")
    ] = "",
    **inputs: Annotated[object, DynamicIn("One for each parameter")],
) -> Mapping[str, object]:
    """Call the function that `code` defines."""
    signature = read_signature(code)
    given = cast("Mapping[str, Json]", inputs)
    if session:
        asked: dict[str, Json] = {
            "kept": context.state.read(variable_of(session), {}),
            "function": signature.function,
            "arguments": dict(given),
        }
        told: Any = await context.run_code(in_session(code), CALL, asked, seconds=seconds, memory=memory)
        result: Any = told["result"]
        context.state.write(variable_of(session), told["kept"])
    else:
        result = await context.run_code(code, signature.function, given, seconds=seconds, memory=memory)
    if not signature.has_fields:
        return {"result": result}
    if not isinstance(result, Mapping):
        message = f"`{signature.function}` returned something other than its return type."
        raise StepError(message)
    return cast("Mapping[str, object]", result)


@dynamic_inputs(python)
def python_inputs(*, code: str, **_: object) -> Sequence[Port]:
    """One input for each parameter."""
    return read_signature(code).inputs


@dynamic_outputs(python)
def python_outputs(*, code: str, **_: object) -> Sequence[Port]:
    """What the function returns."""
    return read_signature(code).outputs
