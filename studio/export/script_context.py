"""What exported scripts have in the place of the studio: a `Context` on `openai`, the terminal and the disk.

This module is never imported by the studio; it is lifted into scripts as it stands, less what a script
does not use.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar, cast

from openai import APIConnectionError, APIStatusError, AsyncOpenAI
from openai.types.chat import ChatCompletion

from studio.errors import (
    ChatError,
    ChatIncompleteError,
    ChatUnreachableError,
    CodeError,
    StepError,
    ToolError,
)
from studio.export.script_messages import as_openai, message_of
from studio.llm.answer_form import instructed, is_about_schema
from studio.llm.client import ChatAnswer, ChatRequest, ToolCall, Usage
from studio.llm.embeddings import as_vector
from studio.sdk.context import Folder, Form
from studio.sdk.prelude.folder import ProjectFolder
from studio.sdk.prelude.forms import field_prompt, read_answer
from studio.sdk.tool import LentFlow, Tool
from studio.servers.connection import McpServers
from studio.servers.records import Listening, Server, ToolServer
from studio.trace.variables import Operation, changed
from studio.web.broker import Broker
from studio.web.request import WebAnswer, WebRequest

R = TypeVar("R")
Create: TypeAlias = Callable[..., Awaitable[ChatCompletion]]
Ask: TypeAlias = Callable[[ChatRequest, str], Awaitable[ChatAnswer]]


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


class WaitingError(BaseException):
    """Something waits for a person, and nobody is here to ask; no `Exception`, for nothing mends it."""


class Variables:
    """What the steps share beside their arguments, by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def has(self, name: str) -> bool:
        """Tell whether anything was written to a variable."""
        return name in self.values

    def read(self, name: str, default: Any = None) -> Any:
        """Give a variable, or `default` where nothing was written."""
        return self.values.get(name, default)

    def write(self, name: str, value: Any, operation: Operation = "set") -> None:
        """Change a variable."""
        self.values[name] = changed(name, self.values.get(name), operation, value)


@dataclass
class Context:
    """What the steps use besides their arguments: a language model, tools, the terminal, files."""

    root: Path = Path()
    """The folder in which files are read and written."""
    client: AsyncOpenAI = field(default_factory=AsyncOpenAI)
    model: str = ""
    """The language model that is asked."""
    terminal: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a question stands on the terminal."""
    fallbacks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The profiles to ask in turn where one can't be reached or refuses, by its name (empty: the usual)."""
    forms: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]] = ()
    """Forms of answers, each with the strict one to ask for, if it has one; others are strict as they are."""
    state: Variables = field(default_factory=Variables)
    chance: Random = field(default_factory=Random)
    lent: LentFlow | None = None
    """The flow that a tool runs."""

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask the language model, and wait for the whole answer."""
        ask = self.asked_once
        if request.response_schema is not None:  # only with: response_schema
            ask = self.formed
        if self.fallbacks:  # only with: fallbacks
            ask = partial(self.first_to_answer, ask)
        return await ask(request, profile)

    async def first_to_answer(self, ask: Ask, request: ChatRequest, profile: str) -> ChatAnswer:
        """Ask a language model, and where it fails those that its profile falls back on."""
        name, left = profile, list(self.fallbacks.get(profile, ()))
        while True:
            try:
                return await ask(request, name)
            except (ChatUnreachableError, APIStatusError) as error:
                if not left:
                    raise
                name = left.pop(0)
                self.log(f"{error} Now `{name}` is asked.")

    async def formed(self, request: ChatRequest, profile: str) -> ChatAnswer:
        """Ask for an answer in its form, in words where that is said or the endpoint refuses a schema."""
        if request.schema_by == "instruction":
            request = instructed(request)
        try:
            return await self.asked_once(request, profile)
        except APIStatusError as error:
            if request.schema_by != "auto" or not is_about_schema(error.status_code, str(error)):
                raise
        return await self.asked_once(instructed(request), profile)

    async def asked_once(self, request: ChatRequest, profile: str) -> ChatAnswer:
        """Ask one language model once, and wait for its whole answer."""
        messages = [as_openai(message) for message in request.messages]
        options = self.options_of(request, profile)
        model = self.model_of(profile)
        # The options are made for the protocol, not for the overloads of the client.
        create = cast("Create", self.client_of(profile).chat.completions.create)
        try:
            completion = await create(model=model, messages=messages, **options)
        except APIConnectionError as error:
            raise self.unreachable(error, profile) from error
        choices = sorted(completion.choices, key=lambda one: one.index)
        told = [message_of(one) for one in choices if one.message.content or not one.message.refusal]
        if not told:
            raise ChatError(f"The language model refused to answer: {choices[0].message.refusal}")
        answer = ChatAnswer(told[0])
        if told[1:]:  # only with: .others
            answer = replace(answer, others=tuple(told[1:]))
        if completion.usage is not None:  # only with: .input_tokens
            counted = completion.usage
            answer = replace(answer, usage=Usage(counted.prompt_tokens, counted.completion_tokens))
        return answer

    def options_of(self, request: ChatRequest, profile: str) -> dict[str, Any]:
        """Give what is said to the language model beside messages."""
        options: dict[str, Any] = {}
        if request.tools:  # only with: tools
            options["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
            if not request.may_call:
                options["tool_choice"] = "none"
            if not request.several_calls:
                options["parallel_tool_calls"] = False
        if request.temperature is not None:  # only with: temperature
            options["temperature"] = request.temperature
        if request.max_tokens is not None:  # only with: max_tokens
            is_openai = self.client_of(profile).base_url.host.endswith("api.openai.com")
            options["max_completion_tokens" if is_openai else "max_tokens"] = request.max_tokens
        if request.response_schema is not None:  # only with: response_schema
            options["response_format"] = self.response_format(request.response_schema)
        if request.samples > 1:  # only with: samples
            options["n"] = request.samples
        return options

    def response_format(self, schema: Mapping[str, object]) -> dict[str, object]:
        """Say in which form an answer is wanted: strictly as it is written, where nothing else is known."""
        form: dict[str, object] = {"name": "answer", "schema": schema, "strict": True}
        if self.forms:  # only with: forms
            strict = next((strict for given, strict in self.forms if given == schema), schema)
            form |= {"schema": strict or schema, "strict": strict is not None}
        return {"type": "json_schema", "json_schema": form}

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors; a profile names a language model as for `chat`."""
        options: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
        model = self.model_of(profile)
        try:
            answer = await self.client_of(profile).embeddings.create(
                model=model, input=list(texts), encoding_format="float", **options
            )
        except APIConnectionError as error:
            raise self.unreachable(error, profile) from error
        rows = sorted(answer.data, key=lambda row: row.index)
        if len(rows) != len(texts):
            raise ChatIncompleteError("The endpoint sent no vectors for the texts.")
        return [as_vector(row.embedding) for row in rows]

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run a tool; what it says no to is answered in words, or raised, as is whatever goes wrong then."""
        self.log(f"{tool.name} {call.arguments}")
        try:
            return await tool.run(json.loads(call.arguments))
        except ToolError as error:
            if raises:
                raise
            return str(error)
        except Exception as error:
            if not raises:
                raise
            raise ToolError(getattr(error, "message", "") or f"{type(error).__name__}: {error}") from error

    def model_of(self, profile: str) -> str:
        """Give the language model that is asked for a profile."""
        model = self.model
        if profile:  # only with: profile, fallbacks
            model = self.variable("OPENAI_MODEL", profile) or model
        if not model:
            raise ChatError("No language model is named. Pass `--model`, or set OPENAI_MODEL.")
        return model

    def client_of(self, profile: str) -> AsyncOpenAI:
        """Give the client that is asked for a profile."""
        if profile:  # only with: profile, fallbacks
            return self.own_client(profile)
        return self.client

    def own_client(self, profile: str) -> AsyncOpenAI:
        """Give the client of a profile; what nothing else is said of is asked at the usual place.

        A profile is a language model of its own, named by the environment variable `OPENAI_MODEL_<PROFILE>`;
        `OPENAI_BASE_URL_<PROFILE>` and `OPENAI_API_KEY_<PROFILE>` say where it is, if it is elsewhere.
        """
        url = self.variable("OPENAI_BASE_URL", profile)
        key = self.variable("OPENAI_API_KEY", profile)
        if not url and not key:
            return self.client
        if not key:
            message = f"`{profile}` has a place of its own, and no key; any text will do if it wants none."
            raise ChatError(message)
        return self.client.with_options(base_url=url or self.client.base_url, api_key=key)

    def variable(self, name: str, profile: str) -> str:
        """Read what the environment says of a profile: `NAME_PROFILE`, in capitals."""
        own = "".join(letter if letter.isalnum() else "_" for letter in profile.upper())
        return os.environ.get(f"{name}_{own}", "") if own else ""

    def unreachable(self, error: APIConnectionError, profile: str) -> ChatUnreachableError:
        """Say in a sentence that nobody answers."""
        url = self.client_of(profile).base_url
        return ChatUnreachableError(f"{url} could not be reached: {error.__cause__ or error}")

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls, at most `limit` at once, and give their results in the order of `calls`."""
        turns = asyncio.Semaphore(limit)

        async def one(call: Callable[[], Awaitable[R]]) -> R:
            async with turns:
                return await call()

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(call)) for call in calls]
        except BaseExceptionGroup as errors:
            _, others = errors.split(Exception)
            raise (others or errors).exceptions[0] from None
        return [task.result() for task in tasks]

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Ask the person at the terminal, field by field, until what is typed fits."""
        async with self.terminal:
            self.log(f"\n? {form.question}")
            fields: Any = form.schema.get("properties", {})
            required: Any = form.schema.get("required", [])
            answer: dict[str, object] = {}
            for name, schema in fields.items():
                found = await self.field(form, name, schema, is_required=name in required)
                if found is not None:
                    answer[name] = found
            return answer

    async def field(
        self, form: Form, name: str, schema: Mapping[str, object], *, is_required: bool
    ) -> object | None:
        """Ask for one field of a form."""
        while True:
            print(f"  {field_prompt(name, schema)}: ", end="", file=sys.stderr, flush=True)
            line = await asyncio.to_thread(sys.stdin.readline)
            text = line.strip()
            default = schema.get("default")
            if not line:
                self.log("")
                raise WaitingError(f"Nobody is here to answer: {form.question}")
            if not text and (default is not None or not is_required):
                return default
            try:
                if text:
                    return read_answer(text, schema)
                self.log("  Something has to be answered here.")
            except ValueError as error:
                self.log(f"  {error}")

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await asyncio.sleep(seconds)

    def now(self, *, working: bool = False) -> datetime:
        """Give the time, with its zone; a script is never held."""
        del working
        return datetime.now().astimezone()

    def random(self) -> Random:
        """Give the source of chance."""
        return self.chance

    def folder(self, path: str = "") -> Folder:
        """Open a folder; nothing outside `root` can be reached."""
        return ProjectFolder(self.root, path)

    async def run_code(
        self,
        code: str,
        function: str,
        arguments: Mapping[str, Any],
        *,
        seconds: float = 10.0,
        memory: int = 256,
    ) -> Any:
        """Call a function that Python source defines: in a process of its own, but in no box.

        It is given neither the environment nor a folder, and no more time and memory than it may use; what it
        could read as whoever started the script, it still can.
        """
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
                raise CodeError(f"The code worked longer than its {seconds:g} s.") from error
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

    def flow(self, name: str, *, max_depth: int = 8) -> LentFlow:
        """Give the flow that a tool runs."""
        del max_depth
        if self.lent is None:
            raise StepError(f"There is no flow `{name}` here.")
        return self.lent

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server that lends tools; it is started when it is first asked."""
        listening = Listening(self.progress, self.asked)
        return McpServers(self.root).open(server, listening, seconds)

    async def asked(self, question: str, schema: Mapping[str, object]) -> Mapping[str, object]:
        """Ask the person at the terminal what a server wants to know."""
        return await self.ask(Form(question, schema))

    async def aside(self, work: Callable[[], R]) -> R:
        """Do what takes long on a thread."""
        return await asyncio.to_thread(work)

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request within its reach, and wait for the answer."""
        return await Broker().fetch(request)

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far a step has come."""
        self.log(f"{done:g} of {total:g} {note}".rstrip())

    def log(self, text: str) -> None:
        """Say on standard error what happens."""
        print(text, file=sys.stderr)
