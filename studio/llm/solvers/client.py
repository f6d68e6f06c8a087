"""Simulated solvers asked without a protocol between: what thousands of runs of a measurement speak to."""

import asyncio
from collections.abc import Callable

from studio.errors import ChatRefusedError
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message, Usage
from studio.llm.embeddings import EmbedAnswer, EmbedRequest
from studio.llm.endpoints.request_body import request_body
from studio.llm.scripted_answers.chances import tokens_of
from studio.llm.scripted_answers.embeddings import DIMENSIONS, embed
from studio.llm.scripted_answers.script_book import ScriptedReply, count_tokens
from studio.llm.solvers.book import SIMULATED_LLM, SolverBook


class SolverClient:
    """Implements `ChatClient`: as the endpoint answers, after as long as the solvers take."""

    def __init__(self, book: SolverBook) -> None:
        self._book = book
        self._prices = book.prices()

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Answer, all at once and in the end."""
        reply = self._book.answer(request_body(request, SIMULATED_LLM), caller)
        await asyncio.sleep(reply.delay)
        if reply.error is not None:
            raise ChatRefusedError(reply.error.message, status=reply.error.status)
        if on_text is not None and reply.text:
            on_text(reply.text)
        return ChatAnswer(
            _message(reply),
            "tool_calls" if reply.tool_calls else "stop",
            reply.usage,
            reply.llm,
            self._prices.cost(reply.llm, reply.usage),
            tuple(_message(one) for one in reply.others),
            tokens=tokens_of(reply, request.log_probabilities),
        )

    async def embed(self, request: EmbedRequest) -> EmbedAnswer:
        """Give the vectors that the scripted endpoint gives."""
        tokens = sum(map(count_tokens, request.texts))
        vectors = [embed(one, request.dimensions or DIMENSIONS) for one in request.texts]
        return EmbedAnswer(vectors, Usage(tokens), SIMULATED_LLM)

    async def close(self) -> None:
        """Nothing is open."""


def _message(reply: ScriptedReply) -> Message:
    return Message("assistant", reply.text, reply.tool_calls)
