"""Texts as vectors: what is asked of a language model for embeddings, and what it gives back."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast, runtime_checkable

from studio.errors import ChatIncompleteError
from studio.llm.clean_text import normalise
from studio.llm.client import Usage
from studio.llm.limits import read_count

Plain = Mapping[str, object]
Vector = list[float]


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """Texts to be turned into vectors; None means that the language model decides how long they are."""

    texts: tuple[str, ...]
    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class EmbedAnswer:
    """One vector for each text, in their order; all are of one length."""

    vectors: list[Vector]
    usage: Usage = field(default_factory=Usage)
    llm: str = ""
    cost: float | None = None
    """In US dollars; None where the price is not known."""


@runtime_checkable
class Embedder(Protocol):
    """What turns texts into vectors; the chat clients that can are such, too."""

    async def embed(self, request: EmbedRequest, /) -> EmbedAnswer:
        """Ask, and wait for all vectors; raises as `ChatClient.answer` does."""
        ...


def embed_body(request: EmbedRequest, llm: str) -> dict[str, object]:
    """Give the JSON body for `POST /embeddings`."""
    texts = [normalise(text) for text in request.texts]
    body: dict[str, object] = {"model": llm, "input": texts, "encoding_format": "float"}
    if request.dimensions is not None:
        body["dimensions"] = request.dimensions
    return body


def as_vector(numbers: Iterable[float]) -> Vector:
    """Give the numbers with the nine digits that a 32-bit number holds; more are noise that takes space."""
    return [float(f"{one:.9g}") for one in numbers]


def read_embeddings(plain: Plain, count: int, llm: str, endpoint: str) -> EmbedAnswer:
    """Read the answer to a request of `count` texts; raises `ChatIncompleteError` for any other."""
    found: dict[object, Vector] = {}
    for row in map(_fields, _list(plain.get("data"))):
        numbers = _list(row.get("embedding"))
        if numbers and all(_is_number(one) for one in numbers):
            found[row.get("index", len(found))] = as_vector(cast("list[float]", numbers))
    vectors = [found[index] for index in range(count) if index in found]
    if len(found) != count or len(vectors) != count or len(set(map(len, vectors))) > 1:
        message = f"{endpoint} sent no vectors for the texts."
        raise ChatIncompleteError(message, hint="Check that the model is an embedding model.")
    usage, told = _fields(plain.get("usage")), plain.get("model")
    tokens = usage.get("prompt_tokens") or usage.get("total_tokens")
    return EmbedAnswer(vectors, Usage(read_count(tokens)), told if isinstance(told, str) and told else llm)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _fields(value: object) -> Plain:
    return cast("Plain", value) if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()
