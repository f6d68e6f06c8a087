"""A script's `Context` that answers from a recording: the methods that reach outside stand in for its own."""

import builtins
import dataclasses
import inspect
import json
import typing
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from copy import copy
from hashlib import sha256
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from studio.export.playing.answers import Answers
from studio.export.playing.memories import PlayedItems
from studio.export.playing.playbook import Asked, Broken, Unlike
from studio.export.playing.types import Types
from studio.llm.client import ChatRequest, request_to_json

NOT_SENT = ("window", "speaker")
"""What a request says to the trace alone."""


@dataclasses.dataclass
class _Call:
    """A call of a tool that is done once more, with what gives chances in it to what lends the tool."""

    step: str
    chance: Random | None = None


_UNDER_WAY: ContextVar[_Call | None] = ContextVar("the call of a tool that is done once more", default=None)


def _step_under_way() -> str:
    call = _UNDER_WAY.get()
    return "" if call is None else call.step


def played_context(base: type, module: ModuleType, answers: Answers) -> type:
    """Make a subclass of a script's context that reaches nothing outside."""
    asks = getattr(base, "chat", None)
    told = {
        "played": answers,
        "played_in": module,
        "played_answer": None if asks is None else Types(module).returned(asks),
    }
    return type(base.__name__, (PlayedContext, base), told)


class PlayedContext:
    """What stands in for the methods of a script's context that reach outside."""

    played: Answers
    played_in: ModuleType
    played_answer: Any
    """The script's class of what a language model answers."""
    drawn: Random | None = None
    drawing: str = ""
    """The node that is given times and chances."""
    is_lender: bool = False
    inner_of: str = ""
    """The call of a tool inside which the step began that has this context."""

    async def chat(self, request: Any, *, profile: str = "") -> Any:
        """Answer as the language model did."""
        del profile
        found = await self.played.answer("chat", chat_to_plain(request))
        fail(found.broken, self.played_in)
        return TypeAdapter[Any](self.played_answer).validate_python(found.answer)

    def admit(self, what: str) -> None:
        """Let it: the run was within its limits, which may have been others."""

    async def embed(self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = "") -> Any:
        """Answer as the language model did."""
        del profile
        found = await self.played.answer("embed", {"texts": list(texts), "dimensions": dimensions})
        fail(found.broken, self.played_in)
        return found.answer

    async def call(self, tool: Any, call: Any, *, raises: bool = False) -> str:
        """Say what the tool said; one that makes calls of its own is run, and these are answered."""
        arguments = json.loads(call.arguments)
        found = await self.played.answer("tool", {"tool": tool.name, "arguments": arguments})
        if found.is_inside:
            own: Any = super()
            under_way = _UNDER_WAY.set(_Call(found.step))
            try:
                return await own.call(tool, call, raises=raises)
            finally:
                _UNDER_WAY.reset(under_way)
        fail(found.broken, self.played_in)
        if found.answer["is_error"] and raises:
            fail(Broken("ToolError", found.answer["text"]), self.played_in)
        return found.answer["text"]

    async def ask(self, form: Any) -> Any:
        """Answer as the person did."""
        found = await self.played.answer("ask", {"question": form.question, "schema": plain(form.schema)})
        fail(found.broken, self.played_in)
        return found.answer

    def step(self, name: str) -> Any:
        """Give a step its own, for its chance."""
        own: Any = super()
        made: Any = copy(own.step(name))
        made.drawn, made.drawing, made.inner_of = None, name.rpartition("/")[2], _step_under_way()
        return made

    def lender(self, *names: str, **more: str) -> Any:
        """Give its own to what lends something, which is given other chances in each call."""
        own: Any = super()
        made: Any = copy(own.lender(*names, **more))
        made.drawn, made.drawing, made.is_lender = None, "", True
        return made

    def now(self, *, working: bool = False) -> Any:
        """Give the time as it was."""
        del working
        within = _step_under_way() if self.is_lender else self.inner_of
        return self.played.now(within, self.drawing)

    def random(self) -> Any:
        """Give the step's source of chance as it was."""
        call = _UNDER_WAY.get() if self.is_lender else None
        if call is not None:
            call.chance = call.chance or self.played.random(call.step)
            return call.chance
        if self.drawn is None:
            self.drawn = self.played.random(self.inner_of, self.drawing)
        return self.drawn

    def memory(self, place: Any) -> Any:
        """Give a memory in which there is what the run found."""
        own: Any = super()
        return PlayedItems(own.memory(place), self.played, self.played_in)

    def folder(self, path: str = "") -> Any:
        """Give a folder that holds nothing but pictures."""
        return PlayedFolder(path, self.played, self.played_in)

    async def run_code(self, code: str, function: str, arguments: Mapping[str, Any], **limits: float) -> Any:
        """Give what the code gave."""
        del limits
        digest = sha256(code.encode("utf-8", "replace")).hexdigest()[:16]
        asked = {"function": function, "arguments": plain(arguments), "code": digest}
        found = await self.played.answer("code", asked)
        fail(found.broken, self.played_in)
        return json.loads(found.answer["text"])[0]

    @asynccontextmanager
    async def server(self, server: Any, *, seconds: float = 60.0) -> AsyncGenerator[Any]:
        """Give a server that is not there."""
        del seconds
        yield PlayedServer(server, self.played, self.played_in)

    async def aside(self, work: Callable[[], Any]) -> Any:
        """Do it here: nobody is kept waiting."""
        return work()

    async def fetch(self, request: Any) -> Any:
        """Report it: what tools fetched is in what they said."""
        self.played.report(Unlike("outside", f"The script sends a request to {request.url}."))

    def say(self, text: str) -> None:
        """Say nothing."""
        del text


class PlayedFolder:
    """Stands in for a folder: a recording has pictures, and what steps and tools made of files; no files."""

    def __init__(self, path: str, answers: Answers, module: ModuleType) -> None:
        self._path = path
        self._answers = answers
        self._module = module

    def names(self, pattern: str = "*") -> list[str]:
        """One name, unless the run found none."""
        self._fail(self._path, pattern)
        return ["recorded"]

    def read_text(self, path: str) -> str:
        """Nothing, for what is made of it is in the recording."""
        self._fail(path)
        return ""

    def read_bytes(self, path: str) -> bytes:
        """A picture that the run sent."""
        self._fail(path)
        if path not in self._answers.images:
            self._answers.report(
                Unlike("outside", f"The script reads `{path}`, which is not in the recording.")
            )
        return b64decode(self._answers.images[path])

    def exists(self, path: str) -> bool:
        """Say no."""
        return path in self._answers.images

    def write_text(self, path: str, text: str) -> str:
        """Report it: what steps and tools write is in the recording."""
        del text
        self._answers.report(Unlike("outside", f"The script writes `{path}`, which the recording does not."))

    append_text = write_text

    def database(self, path: str, *, write: bool = False) -> Any:
        """Report it, as `write_text`."""
        del write
        self._answers.report(Unlike("outside", f"The script opens `{path}`, which the recording does not."))

    def _fail(self, *paths: str) -> None:
        """Fail as the run did where its error names what is read."""
        for path in paths:
            for broken in self._answers.broken:
                if broken.error == "ToolError" and path and f"`{path}`" in broken.message:
                    fail(broken, self._module)


class PlayedServer:
    """Stands in for a server of tools."""

    def __init__(self, server: Any, answers: Answers, module: ModuleType) -> None:
        self._server = server
        self._answers = answers
        self._module = module

    async def tools(self) -> Sequence[Any]:
        """The tools that the run was told of."""
        asked = {"tool": "list_tools", "arguments": {"server": plain(self._server)}}
        found = await self._answers.answer("tool", asked)
        fail(found.broken, self._module)
        listed: list[dict[str, Any]] = json.loads(found.answer["text"])
        kind = getattr(self._module, "ServedTool", None)
        names = {one.name for one in dataclasses.fields(kind)} if kind is not None else set[str]()
        made = [{name: value for name, value in one.items() if name in names} for one in listed]
        return [kind(**one) for one in made] if kind is not None else []

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Report it: what tools say is in the recording."""
        del arguments
        self._answers.report(Unlike("outside", f"The script calls `{tool}` of a server by itself."))


def stand_in(
    function: Callable[..., Any], kind: str, module: ModuleType, answers: Answers
) -> Callable[..., Any]:
    """Stand in for the function of a node that reads or changes files."""
    types, signature = Types(module), inspect.signature(function)

    def answered(*positional: Any, **named: Any) -> Any:
        bound = signature.bind(*positional, **named)
        given = given_to(signature, bound.arguments)
        found: Asked = answers.take("step", {"kind": kind, "given": given})
        fail(found.broken, module)
        try:
            return returned(types, function, found.answer)
        except ValidationError:  # it failed, and the run had a value in its place, as the script has
            fail(Broken("StepError", f"`{found.step}` failed."), module)

    return answered


def given_to(signature: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a function is given by name, the context left out, and what it takes anyway."""
    given: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if isinstance(arguments.get(name), PlayedContext):
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            given.update(arguments.get(name, {}))
        else:
            given[name] = arguments.get(name, parameter.default)
    return unlike_defaults(signature, given)


def unlike_defaults(signature: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is taken anyway, for which scripts may not even have parameters; the rest as JSON."""
    parameters = signature.parameters.items()
    defaults = {name: one.default for name, one in parameters if one.default is not one.empty}
    told, usual = plain(given), plain(defaults)
    return {name: value for name, value in told.items() if name not in usual or usual[name] != value}


def returned(types: Types, function: Callable[..., Any], outputs: Mapping[str, Any]) -> Any:
    """Make what a function gives of the outputs that its step had."""
    kind = types.returned(function)
    if dataclasses.is_dataclass(kind) or typing.get_origin(kind) in {dict, Mapping}:
        return types.made(kind, outputs)
    return types.made(kind, next(iter(outputs.values()), None))


def fail(broken: Broken | None, module: ModuleType) -> None:
    """Raise a recorded error, of the script's own class where it has one of that name."""
    if broken is None:
        return
    made = _error_class(broken.error, module)
    try:
        error: Exception = made(broken.message, hint=broken.hint)
    except TypeError:
        error = made(broken.message)
    raise error


def _error_class(name: str, module: ModuleType) -> Any:
    own: object = getattr(module, name, None) or getattr(builtins, name, None)
    if isinstance(own, type) and issubclass(own, Exception):
        return own
    return type(name, (getattr(module, "StepwireError", Exception),), {})


def chat_to_plain(request: Any) -> Any:
    """Write a script's request as recordings have them."""
    made = TypeAdapter(ChatRequest).validate_python(dataclasses.asdict(request))
    return sent(plain(request_to_json(made)))


def sent(request: Any) -> Any:
    """Leave out of a request what is never sent."""
    return {name: value for name, value in request.items() if name not in NOT_SENT}


def plain(value: Any) -> Any:
    """Make a script's value plain JSON."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Path):
        return value.as_posix()
    return dict(cast("Mapping[Any, Any]", value)) if isinstance(value, Mapping) else str(value)
