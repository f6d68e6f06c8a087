"""A chat profile that a person answers: what is asked becomes a form, and what was filled in an answer."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from studio.errors import UsageError
from studio.ids import MADE_UP, PERSON
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message, ToolCall, ToolSpec, Usage
from studio.llm.embeddings import EmbedAnswer, EmbedRequest
from studio.llm.scripted_answers.embeddings import DIMENSIONS, embed

ANSWER = "answer"
CALL = "call "
"""What stands before a tool's name in the name of the field that calls it."""

MOST_SHOWN = 6
"""How many of the last messages are shown with the question; all of them stand in the trace."""

LONGEST = 2_000
"""How many characters of a message are shown."""

HEADING = "What should the model answer?"
SPOKEN = {"system": "Instructions", "user": "Asked", "assistant": "You", "tool": "Tool"}

LENDS = "lends"
"""The keyword of a form that has fields by which tools are called: their names."""


class PersonClient:
    """Implements `ChatClient` where nobody asks a person: runs ask by the form, and wait."""

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Raise `UsageError`."""
        del request, on_text, caller
        raise UsageError("A person answers here, and only a run can wait for a person.")

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """Give made-up vectors, as no person can name any."""
        vectors = [embed(one, request.dimensions or DIMENSIONS) for one in request.texts]
        return EmbedAnswer(vectors, Usage(), MADE_UP, 0.0)

    async def close(self) -> None:
        """Nothing is open."""


def question_of(request: ChatRequest) -> str:
    """Say what is to be answered: a heading, and the last of what was said."""
    shown = request.messages[-MOST_SHOWN:]
    first = request.messages[0]
    if first.role == "system" and first not in shown:
        shown = (first, *shown)
    return "\n\n".join([HEADING, *(_said(one) for one in shown)])


def _said(message: Message) -> str:
    text = message.content if len(message.content) <= LONGEST else f"{message.content[:LONGEST]}…"
    calls = [f"calls {one.name} {one.arguments}" for one in message.tool_calls]
    pictures = [f"({len(message.images)} pictures)"] if message.images else []
    return f"{SPOKEN[message.role]}: {' '.join([*([text] if text else []), *calls, *pictures])}"


def form_of(request: ChatRequest) -> dict[str, Any]:
    """Make the form of an answer, as a JSON Schema: a text, the fields of a schema, or the call of a tool."""
    wanted = request.response_schema
    tools = request.tools if request.may_call else ()
    if not tools and wanted is not None:
        return dict(wanted)
    definitions: dict[str, Any] = {}
    answer: dict[str, Any] = {"type": "string", "title": "Answer"}
    if wanted is not None:
        answer = {**_hoisted(wanted, definitions), "title": "Answer"}
    fields: dict[str, Any] = {ANSWER: answer}
    if not tools:
        return {"type": "object", "properties": fields, "required": [ANSWER], "additionalProperties": False}
    for tool in tools:
        fields[f"{CALL}{tool.name}"] = _call_form(tool, definitions)
    form = {"type": "object", "properties": fields, "minProperties": 1, "additionalProperties": False}
    named = {"$defs": definitions} if definitions else {}
    return {**form, **named, LENDS: [tool.name for tool in tools]}


def _call_form(tool: ToolSpec, definitions: dict[str, Any]) -> dict[str, Any]:
    """The field that calls a tool: its arguments, or yes where it takes none."""
    about = {"title": f"the call of {tool.name}", "description": tool.description}
    if not tool.parameters.get("properties"):
        return {**about, "type": "boolean", "title": f"Call {tool.name}"}
    return {"type": "object", **_hoisted(tool.parameters, definitions), **about}


def _hoisted(schema: Mapping[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Give a schema whose named parts stand with those of the whole form, where references look for them.

    One whose names mean something else there stays what it is without them: an object, written as JSON.
    """
    named = {key: one for key in ("$defs", "definitions") for key, one in _mapping(schema.get(key)).items()}
    if any(name in definitions and definitions[name] != one for name, one in named.items()):
        return {"type": "object"}
    text = json.dumps({key: one for key, one in schema.items() if key not in {"$defs", "definitions"}})
    inner = json.dumps(named).replace('"#/definitions/', '"#/$defs/')
    definitions.update(json.loads(inner))
    found: dict[str, Any] = json.loads(text.replace('"#/definitions/', '"#/$defs/'))
    found.pop("$schema", None)
    return found


def answer_of(filled: Mapping[str, object], request: ChatRequest) -> ChatAnswer:
    """Make an answer of what a person filled in."""
    tools = {tool.name for tool in request.tools} if request.may_call else set[str]()
    if not tools and request.response_schema is not None:
        return _answer(json.dumps(dict(filled), ensure_ascii=False))
    calls: list[ToolCall] = []
    for name, given in filled.items():
        tool = name.removeprefix(CALL)
        if name == ANSWER or tool not in tools or given is False:
            continue
        written = json.dumps(_mapping(given), ensure_ascii=False)
        calls.append(ToolCall(f"call_{len(request.messages)}_{len(calls) + 1}", tool, written))
    said = filled.get(ANSWER, "")
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return _answer(text, tuple(calls))


def _answer(text: str, calls: tuple[ToolCall, ...] = ()) -> ChatAnswer:
    message = Message("assistant", text, calls)
    return ChatAnswer(message, "tool_calls" if calls else "stop", llm=PERSON, cost=0.0)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
