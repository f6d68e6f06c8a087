"""Code in the box as a child step, where it stands as a tool."""

import hashlib
from collections.abc import Callable

import orjson

from studio.errors import BoxMissingError, CodeError
from studio.flow.records import Json
from studio.runtime.calls.child_steps import ChildSteps
from studio.sdk.code import CodeBox, CodeCall
from studio.sdk.tool import Effect
from studio.trace.events import ToolAnswered, ToolCalled

CODE_TOOL = "python"
"""What code in the box is called in the trace."""

Progress = Callable[[float, float, str], None]


async def run_boxed(children: ChildSteps, call: CodeCall, progress: Progress) -> tuple[Json, list[str]]:
    """Give what the code returned and the lines that it printed; a replay needs no box."""
    step = children.begin("code")
    digest = hashlib.sha256(call.code.encode("utf-8", "replace")).hexdigest()[:16]
    asked = {"function": call.function, "arguments": dict(call.arguments), "code": digest}
    called = ToolCalled(CODE_TOOL, asked, "", Effect.PURE)
    children.record(called, step)
    printed: list[str] = []
    with children.failures(step):
        answered = await children.earlier(step, called)
        if not isinstance(answered, ToolAnswered):
            try:
                result = await run_in(children.services.box, call, printed.append, progress)
            except CodeError as error:
                if printed:
                    error.hint = f"{error.hint} It printed last: `{printed[-1][:200]}`.".strip()
                raise
            answered = ToolAnswered(CODE_TOOL, orjson.dumps([result, printed]).decode())
    children.record(answered, step)
    result, printed = orjson.loads(answered.text)
    return result, printed


async def run_in(
    box: CodeBox | None, call: CodeCall, on_line: Callable[[str], None], progress: Progress
) -> Json:
    """Run code in the box; raises `BoxMissingError` where there is none."""
    if box is None:
        raise BoxMissingError("Untrusted code can't be isolated here, so it is not run.")
    return await box.run(call, on_line=on_line, on_progress=progress)
