"""How an answer that is JSON of a schema is asked for: by the endpoint's own means, or in words.

Not every endpoint takes a schema. Whether this one does is known from a test of its profile, or learnt from
its refusal; it is then told the schema in the instructions, and is asked that way from then on.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from studio.errors import ChatRefusedError, UsageError
from studio.llm.client import Caller, ChatAnswer, ChatClient, ChatRequest, Message
from studio.llm.embeddings import EmbedAnswer, Embedder, EmbedRequest

INSTRUCTION = (
    "Answer with one JSON object and nothing else: no words around it, no code block. "
    "It has to fit this JSON Schema:"
)

SAYS_NO = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses by which endpoints refuse what they do not know; some fall over instead."""

ABOUT_SCHEMA = re.compile(
    r"response.?format|json.?schema|json.?mode|structured.?output|text\.format|grammar|\bschema\b|\bstrict\b",
    re.IGNORECASE,
)


def instructed(request: ChatRequest) -> ChatRequest:
    """Ask for the form in words: the schema stands at the end of the instructions."""
    if request.response_schema is None:
        return request
    schema = json.dumps(dict(request.response_schema), ensure_ascii=False)
    text = f"{INSTRUCTION}\n{schema}"
    first, *others = request.messages or (Message("system"),)
    if first.role == "system":
        text = f"{first.content}\n\n{text}".lstrip()
    else:
        others = [first, *others]
    messages = (Message("system", text), *others)
    return replace(request, messages=messages, response_schema=None, schema_by="auto")


def is_about_schema(status: int, text: str) -> bool:
    """Tell whether an endpoint refused because of the form that was asked for."""
    return status in SAYS_NO and ABOUT_SCHEMA.search(text) is not None


class FormClient:
    """A chat client that asks for forms as its endpoint takes them.

    `takes_schema` is what a test has found, `takes_object` whether a schema may stand beside `json_object`;
    None where none has told.
    """

    def __init__(
        self, client: ChatClient, *, takes_schema: bool | None = None, takes_object: bool | None = None
    ) -> None:
        self._client = client
        self._takes_schema = takes_schema
        self._takes_object = takes_object

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """As the client's own; asks once more, in words, where the endpoint refuses a schema."""
        by = request.schema_by
        is_other_form = self._takes_schema is False and self._takes_object is True
        if by in ("auto", "native") and is_other_form and request.response_schema is not None:
            request = replace(request, schema_by="json_object")
        elif by == "instruction" or (by == "auto" and self._takes_schema is False):
            request = instructed(request)
        try:
            return await self._client.answer(request, on_text=on_text, caller=caller)
        except ChatRefusedError as error:
            is_refused = request.response_schema is not None and is_about_schema(error.status, error.message)
            if by != "auto" or not is_refused:
                raise
        self._takes_schema = False
        if request.schema_by == "json_object":
            self._takes_object = False
        return await self._client.answer(instructed(request), on_text=on_text, caller=caller)

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """As the client's own."""
        if not isinstance(self._client, Embedder):
            raise UsageError("This chat profile does not support embeddings.")
        return await self._client.embed(request)

    async def close(self) -> None:
        """Release the client's connections."""
        await self._client.close()
