"""Vectors of texts as a child step: through gate, budget, queue and recording."""

from dataclasses import replace

from studio.errors import UsageError
from studio.ids import StepId
from studio.llm.embeddings import Embedder, EmbedRequest, Vector
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.calls.held_calls import embed_after, embed_before
from studio.runtime.values import CHAT, said_by
from studio.trace.events import EmbedAnswered, EmbedRequested


async def embed_texts(children: ChildSteps, request: EmbedRequest, profile: str) -> list[Vector]:
    """Ask a language model for vectors; they are on disk before they are returned.

    No other profile is asked where this one fails: vectors of two language models say nothing of one another.
    """
    step = children.begin("embed")
    texts, given = await embed_before(children, step, request.texts)
    request = replace(request, texts=texts)
    asked = EmbedRequested(profile, request.texts, request.dimensions)
    await children.request(asked, step)
    if given is not None:
        answered = EmbedAnswered(given, cost=0.0)
    else:
        answered = await _asked(children, step, asked, request)
    await children.answered(answered, step)
    children.recorder.spent[step] = answered.tokens, answered.cost or 0.0
    await children.recorder.committed()
    vectors = await embed_after(children, step, answered.vectors)
    return [list(vector) for vector in vectors]


async def _asked(
    children: ChildSteps, step: StepId, asked: EmbedRequested, request: EmbedRequest
) -> EmbedAnswered:
    """Take the vectors of an earlier run, or buy them."""
    children.take_in(CHAT)
    with children.failures(step):
        answered = await children.earlier(step, asked)
        if not isinstance(answered, EmbedAnswered):
            answered = await _bought(children, request, asked.profile)
    children.take_in(said_by(answered.llm))
    return answered


async def _bought(children: ChildSteps, request: EmbedRequest, profile: str) -> EmbedAnswered:
    await children.count_call()
    client, budget = children.services.chats(profile), children.budget
    if not isinstance(client, Embedder):
        raise UsageError(
            "This chat profile does not support embeddings.", hint="Choose one with an endpoint."
        )
    answer = await client.embed(request)
    if budget is not None:
        budget.spend(children.node, answer.usage.total, answer.cost or 0.0)
    return EmbedAnswered(answer.vectors, answer.usage.input_tokens, answer.cost, answer.llm)
