"""Vectors of texts as a child step: through budget, queue and recording."""

from studio.errors import UsageError
from studio.llm.embeddings import Embedder, EmbedRequest
from studio.runtime.child_steps import ChildSteps
from studio.runtime.values import CHAT
from studio.trace.events import EmbedAnswered, EmbedRequested


async def embed_texts(children: ChildSteps, request: EmbedRequest, profile: str) -> list[list[float]]:
    """Ask a language model for vectors; they are on disk before they are returned.

    No other profile is asked where this one fails: vectors of two language models say nothing of one another.
    """
    step = children.begin("embed")
    asked = EmbedRequested(profile, request.texts, request.dimensions)
    children.record(asked, step)
    children.take_in(CHAT)
    with children.failures(step):
        answered = await children.earlier(step, asked)
        if not isinstance(answered, EmbedAnswered):
            answered = await _bought(children, request, profile)
    children.record(answered, step)
    await children.recorder.committed()
    return [list(vector) for vector in answered.vectors]


async def _bought(children: ChildSteps, request: EmbedRequest, profile: str) -> EmbedAnswered:
    await children.count_call()
    client, budget = children.services.chats(profile), children.budget
    if not isinstance(client, Embedder):
        raise UsageError("This chat profile gives no vectors.", hint="Choose one that speaks to an endpoint.")
    answer = await client.embed(request)
    if budget is not None:
        budget.spend(children.node, answer.usage.total, answer.cost or 0.0)
    return EmbedAnswered(answer.vectors, answer.usage.input_tokens, answer.cost, answer.llm)
