"""What an endpoint can do, found out by asking it: one tiny request for each thing."""

import base64
import json
import struct
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from studio.errors import ChatError, ChatRefusedError
from studio.llm.client import ChatRequest, Message, ToolSpec
from studio.llm.embeddings import EmbedRequest

if TYPE_CHECKING:
    from studio.llm.endpoints.openai_client import OpenAIClient

ROOM = 512
"""Tokens that an answer may have: few, but enough for a language model that thinks before it speaks."""

SAYS_NO = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses by which endpoints refuse what they do not know; some fall over instead."""


class Capability(StrEnum):
    """Something that endpoints can do, or not; in the order in which it is tried."""

    ANSWERS = "answers"
    STREAMING = "streaming"
    TOOLS = "tools"
    JSON_SCHEMA = "JSON schema"
    JSON_OBJECT = "JSON object with schema"
    IMAGES = "images"
    LOG_PROBABILITIES = "log-probabilities"
    CONTINUES = "continued replies"
    EMBEDDINGS = "embeddings"


class Verdict(StrEnum):
    """What came of a try."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    UNTRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of trying one thing, and why, in a sentence; `hint` says what to do."""

    capability: Capability
    verdict: Verdict
    words: str
    hint: str = ""


async def probe(client: "OpenAIClient") -> AsyncGenerator[Finding]:
    """Try one thing after the other, and give each finding as it comes; an error is a finding as well.

    Where the endpoint cannot be asked at all, the rest is not tried.
    """
    is_there = True
    for capability in Capability:
        if not is_there:
            yield Finding(capability, Verdict.UNTRIED, "The endpoint can't be reached.")
            continue
        try:
            yield await TRIES[capability](client)
        except ChatError as error:
            yield _failed(capability, error)
            is_there = capability is not Capability.ANSWERS


def _failed(capability: Capability, error: ChatError) -> Finding:
    says_no = isinstance(error, ChatRefusedError) and error.status in SAYS_NO
    is_no = says_no or capability is Capability.ANSWERS
    return Finding(capability, Verdict.NO if is_no else Verdict.UNCLEAR, error.message, error.hint)


def _request(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),), max_tokens=ROOM, stream=False)


async def _try_answer(client: "OpenAIClient") -> Finding:
    answer = (await client.send(client.body_of(_request("Say: ok")))).answer
    said = " ".join(answer.message.content.split())[:40]
    words = f"`{answer.llm}` answered: “{said}”." if said else f"`{answer.llm}` sent an empty answer."
    return Finding(Capability.ANSWERS, Verdict.YES, words)


async def _try_streaming(client: "OpenAIClient") -> Finding:
    request = replace(_request("Count from one to five."), stream=True)
    if (await client.send(client.body_of(request))).is_streamed:
        return Finding(Capability.STREAMING, Verdict.YES, "Answers are streamed.")
    return Finding(Capability.STREAMING, Verdict.NO, "Answers are not streamed.")


async def _try_tools(client: "OpenAIClient") -> Finding:
    tool = ToolSpec("note", "Notes a number down", _object("number", "integer"))
    request = replace(_request("Call the tool `note` with the number 7."), tools=(tool,))
    answer = (await client.send(client.body_of(request))).answer
    if any(call.name == tool.name for call in answer.message.tool_calls):
        return Finding(Capability.TOOLS, Verdict.YES, "It called the tool.")
    if answer.message.tool_calls:
        return Finding(Capability.TOOLS, Verdict.UNCLEAR, "It called a tool that was not offered.")
    return Finding(Capability.TOOLS, Verdict.UNCLEAR, "It did not call the tool, but answered in text.")


async def _try_schema(client: "OpenAIClient") -> Finding:
    request = replace(_request("Give the number 7 as JSON."), response_schema=_object("number", "integer"))
    answer = (await client.send(client.body_of(request))).answer
    if isinstance(_fields(answer.message.content).get("number"), int):
        return Finding(Capability.JSON_SCHEMA, Verdict.YES, "It answered by the schema.")
    words = "It accepted the schema, but did not follow it."
    return Finding(
        Capability.JSON_SCHEMA, Verdict.NO, words, "Structured answers are requested in the prompt."
    )


async def _try_object(client: "OpenAIClient") -> Finding:
    # The name of the field stands in the schema alone: whoever gives it was held to the schema.
    schema = _object("kestrel", "integer")
    request = replace(_request("Give the number 7 as JSON."), response_schema=schema, schema_by="json_object")
    body = client.body_of(request)
    if "input" in body:
        return Finding(Capability.JSON_OBJECT, Verdict.NO, "The Responses API does not support this.")
    answer = (await client.send(body)).answer
    if isinstance(_fields(answer.message.content).get("kestrel"), int):
        return Finding(Capability.JSON_OBJECT, Verdict.YES, "It follows a schema beside `json_object`.")
    words = "It accepted a schema beside `json_object`, but did not follow it."
    return Finding(Capability.JSON_OBJECT, Verdict.NO, words)


def _fields(text: str) -> Mapping[str, object]:
    """The fields of an answer that is a JSON object; none of any other."""
    try:
        found: object = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}


async def _try_images(client: "OpenAIClient") -> Finding:
    text = "Which colour has this picture? Answer with one word."
    url = f"data:image/png;base64,{base64.b64encode(_red_square(64)).decode()}"
    body = client.body_of(_request(text))
    parts: list[object] = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    if "input" in body:  # the Responses API
        parts = [{"type": "input_text", "text": text}, {"type": "input_image", "image_url": url}]
    body["input" if "input" in body else "messages"] = [{"role": "user", "content": parts}]
    said = (await client.send(body)).answer.message.content
    if "red" in said.casefold():
        return Finding(Capability.IMAGES, Verdict.YES, "It recognized the colour of a picture.")
    words = "It accepted a picture, but did not recognize its colour."
    return Finding(Capability.IMAGES, Verdict.UNCLEAR, words)


async def _try_log_probabilities(client: "OpenAIClient") -> Finding:
    request = replace(_request("Say: ok"), log_probabilities=0)
    tokens = (await client.send(client.body_of(request))).answer.tokens
    if tokens:
        words = f"It sent those of {len(tokens[0])} token{'s' * (len(tokens[0]) != 1)}."
        return Finding(Capability.LOG_PROBABILITIES, Verdict.YES, words)
    return Finding(Capability.LOG_PROBABILITIES, Verdict.NO, "It accepted the request, but sent none.")


async def _try_continued(client: "OpenAIClient") -> Finding:
    # The reply is begun within a word, so that whoever starts anew is told from who goes on.
    begun = "one, two, thr"
    request = replace(_request("Count from one to five in words, separated by commas."), prefix=begun)
    try:
        body = client.body_of(request)
    except ChatRefusedError as error:
        return Finding(Capability.CONTINUES, Verdict.NO, error.message)
    said = (await client.send(body)).answer.message.content
    if said.casefold().startswith(("ee", begun)) and said.casefold() != begun:
        return Finding(Capability.CONTINUES, Verdict.YES, "It went on from the beginning of a reply.")
    words = "It accepted the beginning of a reply, but started anew."
    hint = "Choose another way under *Continues replies*."
    return Finding(Capability.CONTINUES, Verdict.NO, words, hint)


async def _try_embeddings(client: "OpenAIClient") -> Finding:
    vectors = (await client.embed(EmbedRequest(("one",)))).vectors
    return Finding(Capability.EMBEDDINGS, Verdict.YES, f"Vectors have {len(vectors[0])} numbers.")


TRIES: "Mapping[Capability, Callable[[OpenAIClient], Awaitable[Finding]]]" = {
    Capability.ANSWERS: _try_answer,
    Capability.STREAMING: _try_streaming,
    Capability.TOOLS: _try_tools,
    Capability.JSON_SCHEMA: _try_schema,
    Capability.JSON_OBJECT: _try_object,
    Capability.IMAGES: _try_images,
    Capability.LOG_PROBABILITIES: _try_log_probabilities,
    Capability.CONTINUES: _try_continued,
    Capability.EMBEDDINGS: _try_embeddings,
}


def _object(name: str, kind: str) -> dict[str, object]:
    """A schema that strict endpoints take as well: all required, nothing more."""
    properties = {name: {"type": kind}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}


def _red_square(size: int) -> bytes:
    """A picture as PNG (https://www.w3.org/TR/png-3/): 8 bits, red, green and blue, no filter."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\x00" + b"\xff\x00\x00" * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    ends = part(b"IHDR", head), part(b"IDAT", zlib.compress(row * size)), part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(ends)
