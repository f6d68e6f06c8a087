"""Code of steps in exported scripts: run in a process of its own, where the studio has a sandbox."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.errors import CodeError
from studio.export.lifted.terminal import Terminal

LEAVE = "STEPWIRE_RUN_CODE"
"""The variable that lets code run which was written meanwhile."""

TO_START = 3.0
"""Seconds that a process of Python may take until it begins with its code."""

CODE_RUNNER = r"""
import json, sys
from dataclasses import fields, is_dataclass

def plain(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    raise TypeError(f"a value that JSON cannot say: `{type(value).__name__}`")

def told(error):
    line, trace = getattr(error, "lineno", 0) or 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<code>":
            line = trace.tb_lineno
        trace = trace.tb_next
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {said}" + (f" (line {line})" if line else "")

given = json.load(sys.stdin)
answers, sys.stdout = sys.stdout, sys.stderr
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ((given["memory"] + 256) << 20,) * 2)
except (ImportError, ValueError, OSError):
    pass
scope = {"__name__": "__code__"}
try:
    exec(compile(given["code"], "<code>", "exec", dont_inherit=True), scope)
    gave = scope[given["function"]](**given["arguments"])
    answer = json.dumps({"gave": gave}, allow_nan=False, default=plain)
except BaseException as error:
    answer = json.dumps({"raised": told(error)})
answers.write(answer)
"""
"""What runs the code of a step, in a process of its own."""


@dataclass
class CodeRunner(Terminal):
    """Runs code that steps bring, and says what it prints."""

    async def run_code(
        self,
        code: str,
        function: str,
        arguments: Mapping[str, Any],
        *,
        seconds: float = 10.0,
        memory: int = 256,
        foreign: bool = False,
    ) -> Any:
        """Call a function that Python source defines: in a process of its own, but in no box.

        It is given neither the environment nor a folder, and no more time and memory than it may use; what it
        could read as whoever started the script, it still can.
        """
        if foreign and os.environ.get(LEAVE) != "1":  # only with: foreign
            raise CodeError(f"A model wrote this code; {LEAVE}=1 lets it run here, without a sandbox.")
        given = {"code": code, "function": function, "arguments": dict(arguments), "memory": memory}
        with tempfile.TemporaryDirectory() as folder:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-c",
                CODE_RUNNER,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={},
                cwd=folder,
            )
            try:
                async with asyncio.timeout(seconds + TO_START):
                    said, printed = await process.communicate(json.dumps(given).encode())
            except TimeoutError as error:
                raise CodeError(f"The code ran longer than its {seconds:g} s.") from error
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        for line in printed.decode("utf-8", "replace").splitlines():
            self.log(line)
        answer = json.loads(said or "{}")
        if "gave" not in answer:
            ended = f"The process of the code ended with {process.returncode}."
            raise CodeError(str(answer.get("raised", ended)))
        return answer["gave"]
