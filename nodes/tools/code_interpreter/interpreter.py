"""Python that is written while the flow runs: a session in which code calls lent tools as functions.

What the code assigned and defined is kept as text, in the one item of a memory, so that a replay or a fork
has it as it was. Code in the box cannot wait for anybody: where it calls a tool, it is stopped there, the
tool is called, and the code is run once more from its start, with what the tool answered.
"""

import json
from asyncio import Lock
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from studio.building_blocks.agents.tool_arguments import names_taken
from studio.building_blocks.memories.kept_text import text_kept
from studio.sdk import (
    Context,
    Item,
    Json,
    MemoryPlace,
    StepError,
    Tool,
    ToolCall,
    ToolError,
)

CALL = "__interpret__"
"""The function of the source that runs what somebody wrote."""

SESSION = "session"
"""The id of the item that has what is kept."""

SOURCE = r"""
def __interpret__(kept, code, tools, answers, seed, most=2 * 2**20):
    import ast, base64, contextlib, io, json, math, pickle, random, sys, traceback, types

    random.seed(seed)
    module = sys.modules["__session__"] = types.ModuleType("__session__")
    scope, asked = module.__dict__, []
    left_out = types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type

    class Asks(BaseException):
        pass

    def lent(name, parameters):
        def call(*given, **named):
            wanted = json.loads(json.dumps({**dict(zip(parameters, given)), **named}))
            asked.append({"name": name, "arguments": wanted})
            if len(asked) > len(answers):
                raise Asks
            answer = answers[len(asked) - 1]
            if answer["asked"] != asked[-1]:
                raise RuntimeError("the code did not call the same tools when it was run once more")
            if answer["fails"]:
                raise RuntimeError(answer["text"])
            try:
                return json.loads(answer["text"])
            except ValueError:
                return answer["text"]

        call.__name__ = name
        return call

    def is_plain(value):
        if type(value) is list:
            return all(map(is_plain, value))
        if type(value) is dict:
            return all(type(name) is str for name in value) and all(map(is_plain, value.values()))
        if type(value) is float:
            return math.isfinite(value)
        return value is None or type(value) in (str, bool) or type(value) is int and abs(value) < 2**53

    def run(code):
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<code>", "exec"), scope)
        if last is not None:
            return eval(compile(ast.Expression(last.value), "<code>", "eval"), scope)

    def defined(code):
        named = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
        try:
            body = ast.parse(code).body
        except SyntaxError:
            return {}
        lines, found = code.splitlines(), {}
        for one in body:
            if isinstance(one, (*named, ast.Import, ast.ImportFrom)):
                first = min([one.lineno, *(mark.lineno for mark in getattr(one, "decorator_list", ()))])
                source = "\n".join(lines[first - 1 : one.end_lineno])
                found[getattr(one, "name", source)] = source
        return found

    for name, parameters in tools.items():
        scope[name] = lent(name, parameters)
    for source in kept.get("definitions", {}).values():
        with contextlib.suppress(Exception):
            exec(compile(source, "<earlier>", "exec"), scope)
    scope.update(kept.get("values", {}))
    for name, text in kept.get("pickled", {}).items():
        scope[name] = pickle.loads(base64.b64decode(text))
    said, value, failed = io.StringIO(), None, ""
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            value = run(code)
            shown = "" if value is None else repr(value)
    except Asks:
        pass
    except BaseException as error:
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == "<code>"]
        place = f" (line {lines[-1]})" if lines else ""
        failed = f"{type(error).__name__}: {error}{place}"
    if len(asked) > len(answers):
        return {"asks": asked[len(answers)]}
    left = {"definitions": {**kept.get("definitions", {}), **defined(code)}, "values": {}, "pickled": {}}
    unkept = []
    for name, one in list(scope.items()):
        if name.startswith("__") or name in tools or isinstance(one, left_out):
            continue
        try:
            if is_plain(one):
                left["values"][name] = one
            else:
                left["pickled"][name] = base64.b64encode(pickle.dumps(one, 4)).decode()
        except Exception:
            unkept.append(name)
    if len(json.dumps(left)) > most:
        left, unkept = kept, ["all that it assigned, which is more than 2 MiB"]
    told = {"said": said.getvalue(), "value": "" if failed else shown, "failed": failed}
    return {**told, "kept": left, "unkept": unkept}
"""
"""What runs the code in the box."""

IN_USE: ContextVar[tuple[str, ...]] = ContextVar("sessions whose code is under way", default=())


@dataclass
class Interpreter:
    """One session; `calls` is how many tools one piece of code may call, `most` how much is answered."""

    context: Context
    place: MemoryPlace
    tools: Sequence[Tool]
    calls: int = 20
    most: int = 8000
    seconds: float = 10
    memory: int = 256
    turn: Lock = field(default_factory=Lock)
    """Code that is written at once runs one after the other."""

    async def run(self, code: str) -> str:
        """Run code in the session; gives what it printed, what its last line is, and how it failed.

        Raises `ToolError` where it takes too much, or is what this very session's code has called.
        """
        if self.place.name in IN_USE.get():
            raise ToolError("The session is in use by the code that made this call.")
        async with self.turn:
            used = IN_USE.set((*IN_USE.get(), self.place.name))
            try:
                return await self._run(code)
            finally:
                IN_USE.reset(used)

    async def _run(self, code: str) -> str:
        kept = self.context.memory(self.place)
        before = text_kept(kept, SESSION, "what the session has") or "{}"
        lent = {tool.name.replace("-", "_"): tool for tool in self.tools}
        seed = self.context.random().getrandbits(32) if "random" in code else 0
        answers: list[dict[str, Json]] = []
        while True:
            given: dict[str, Json] = {
                "kept": json.loads(before),
                "code": code,
                "tools": {name: [*names_taken(tool)] for name, tool in lent.items()},
                "answers": list(answers),
                "seed": seed,
            }
            gave = await self._in_the_box(given)
            if "asks" not in gave:
                break
            if len(answers) == self.calls:
                raise ToolError(f"The code called more than {self.calls} tools.")
            answers.append(await self._answer(lent[gave["asks"]["name"]], gave["asks"]))
        after = json.dumps(gave["kept"], ensure_ascii=False)
        if after != before:
            kept.put(Item(SESSION, after, at=self.context.now().isoformat(), by=self.context.node))
        return shortened(told(gave), self.most)

    async def _in_the_box(self, given: Mapping[str, Json]) -> dict[str, Any]:
        try:
            gave: Any = await self.context.run_code(
                SOURCE, CALL, given, seconds=self.seconds, memory=self.memory
            )
        except StepError as error:
            raise ToolError(error.message) from error
        return gave

    async def _answer(self, tool: Tool, asked: Mapping[str, Any]) -> dict[str, Json]:
        call = ToolCall("", tool.name, json.dumps(asked["arguments"], ensure_ascii=False))
        try:
            return {
                "asked": dict(asked),
                "text": await self.context.call(tool, call, raises=True),
                "fails": False,
            }
        except ToolError as error:
            return {"asked": dict(asked), "text": str(error), "fails": True}


def as_functions(tools: Sequence[Tool]) -> str:
    """What code may call, a line each."""
    lines = [
        f"- {tool.name.replace('-', '_')}({', '.join(names_taken(tool))}): {tool.description}"
        for tool in tools
    ]
    return "\nFunctions that it may call:\n" + "\n".join(lines) if lines else ""


def told(gave: Mapping[str, Any]) -> str:
    """What came of code, as whoever wrote it reads it."""
    parts = [str(gave["said"]).rstrip("\n"), str(gave["value"]), str(gave["failed"])]
    if gave["unkept"]:
        parts.append(f"Not kept: {', '.join(gave['unkept'])}.")
    return "\n".join(part for part in parts if part) or "(It printed nothing.)"


def shortened(text: str, most: int) -> str:
    """The text, its middle left out where it is longer."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
