"""Tier 1: Python in WebAssembly, in processes of its own that are kept warm and killed when they must be."""

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self, cast

import orjson

from studio.errors import BoxMissingError, CodeError, CodeLimitError, ToolError
from studio.flow.records import Json
from studio.sandbox.frames import LARGEST, LENGTH, Frame, to_bytes
from studio.sandbox.image import Progress, image
from studio.sandbox.process import command
from studio.sdk.code import CodeCall, GrantedTool
from studio.sdk.code_modules import why_missing

AT_ONCE = 4
"""How many boxes work at the same time; further calls wait for their turn."""

MISSING = re.compile(r"No module named '([^'.]+)")

GRACE = 0.5
"""Seconds after its limit in which a box may still say that it was cut; then its process is killed."""


class WasmBox:
    """Implements `studio.sdk.code.CodeBox`. Use as an async context manager, or `close` it."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._idle: list[_Worker] = []
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_reason: object) -> None:
        await self.close()

    async def run(
        self,
        call: CodeCall,
        *,
        tools: Mapping[str, GrantedTool] | None = None,
        on_line: Callable[[str], None] = lambda _: None,
        on_progress: Progress = lambda _done, _total, _what: None,
    ) -> Json:
        """Run the call in a fresh box; see `CodeBox`."""
        try:
            asked = to_bytes(_asked(call))
        except (ValueError, TypeError) as error:
            raise CodeError(f"The code can't be called: {error}.") from error
        async with self._turns:
            worker = await self._worker(on_progress)
            try:
                worker.write(asked)
                answer = await worker.answer(call, tools or {}, on_line)
            except BaseException:
                await worker.kill()  # it is in the middle of something, and nobody waits for it
                raise
            self._idle.append(worker)
        return _result(call, answer)

    async def close(self) -> None:
        """End the processes that wait."""
        idle, self._idle = self._idle, []
        for worker in idle:
            await worker.kill()

    async def _worker(self, progress: Progress) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            await worker.kill()
        return await _Worker.start(await image(progress, self._cache))


class _Worker:
    """One process of `studio.sandbox.worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, path: Path) -> "_Worker":
        process = await asyncio.create_subprocess_exec(
            *command("studio.sandbox.worker", str(path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
        worker = cls(process)
        try:
            await worker.read()
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    def write(self, frame: bytes) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(frame)

    async def read(self) -> Frame:
        stream = self._process.stdout or asyncio.StreamReader()
        try:
            length = int.from_bytes(await stream.readexactly(LENGTH), "big")
            return orjson.loads(await stream.readexactly(min(length, LARGEST)))
        except (EOFError, ConnectionError, ValueError) as error:
            raise BoxMissingError(
                "The sandbox did not start, or its process was ended.",
                hint="Run again; `stepwire sandbox` shows what is wrong with it.",
            ) from error

    async def answer(
        self, call: CodeCall, tools: Mapping[str, GrantedTool], on_line: Callable[[str], None]
    ) -> Frame:
        """Serve what the code asks for until it ends; raises `CodeLimitError` when it does not."""
        loop = asyncio.get_running_loop()
        left = call.limits.seconds + GRACE
        while True:
            begun = loop.time()
            try:
                async with asyncio.timeout(left):
                    frame = await self.read()
            except TimeoutError:
                raise _too_long(call) from None
            left -= loop.time() - begun
            match frame["said"]:
                case "line":
                    on_line(frame["text"])
                case "tool":
                    self.write(to_bytes(await _called(frame, tools)))
                case _:
                    return frame


def _asked(call: CodeCall) -> Frame:
    return {
        "code": call.code,
        "function": call.function,
        "arguments": orjson.dumps(call.arguments).decode(),
        "seconds": call.limits.seconds,
        "memory": call.limits.memory,
    }


async def _called(frame: Frame, tools: Mapping[str, GrantedTool]) -> Frame:
    tool = tools.get(frame["name"])
    if tool is None:
        granted = ", ".join(f"`{name}`" for name in sorted(tools)) or "none"
        return {"is_error": True, "text": f"The tool `{frame['name']}` is not granted; granted: {granted}."}
    try:
        arguments = orjson.loads(frame["arguments"])
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return {"is_error": True, "text": "The arguments are not a JSON object."}
    try:
        return {"is_error": False, "text": await tool(cast("dict[str, Json]", arguments))}
    except ToolError as error:
        return {"is_error": True, "text": error.message}


def _result(call: CodeCall, answer: Frame) -> Json:
    match answer["said"]:
        case "gave":
            try:
                return cast("Json", orjson.loads(answer["json"]))
            except ValueError as error:
                raise CodeError(f"The code returned something that is not JSON: {error}.") from error
        case "raised":
            raise _error(call, _told(answer["json"]))
        case "cut":
            raise _too_long(call)
        case _:
            raise CodeError(f"The code broke its sandbox: {answer.get('message', 'no reason given')}")


def _told(written: str) -> Frame:
    """What the guest says of an error, which code in the box may have put on itself."""
    try:
        told = orjson.loads(written)
        return {"kind": str(told["kind"]), "message": str(told["message"])[:4000], "line": int(told["line"])}
    except (ValueError, TypeError, LookupError):
        return {"kind": "Error", "message": written[:4000], "line": 0}


def _error(call: CodeCall, told: Frame) -> CodeError:
    kind, message, line = told["kind"], told["message"], told["line"]
    if kind == "MemoryError":
        size = call.limits.memory >> 20
        return CodeLimitError(f"The code needs more than its {size} MiB of memory.", line)
    where = f" (line {line})" if line else ""
    return CodeError(f"{kind}: {message}{where}".replace(": (", " ("), line, hint=_hint(kind, message))


def _hint(kind: str, message: str) -> str:
    missing = MISSING.match(message) if kind == "ModuleNotFoundError" else None
    if missing is not None:
        return f"{why_missing(missing[1])}."
    if kind in {"ImportError", "ModuleNotFoundError", "FileNotFoundError", "PermissionError"}:
        return (
            "The sandbox has the pure Python part of the standard library, without files, "
            "network and processes."
        )
    return ""


def _too_long(call: CodeCall) -> CodeLimitError:
    return CodeLimitError(
        f"The code ran longer than its {call.limits.seconds:g} s.",
        hint="Raise its timeout, or let it do less.",
    )
