"""Texts as vectors for memories: embedded ones, made here, or those of a chat profile's language model.

The embedded ones are WordLlama's (256 numbers): each token has a vector that was cut out of large language
models and trained for searching, and a text has the mean of its tokens. There is neither network nor chance
in it, so the same text has the same vector everywhere. Its two files are a release's own; set-up takes them
out of the package. Which of the ways finds what, tests/nodes/memory states.
"""

import array
import math
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias, cast

from studio.extras import missing_library
from studio.places import vector_files
from studio.sdk import Context, StepError

VectorMethod: TypeAlias = Literal["embedded", "profile"]
"""Which vectors: those that are made here, or those of a chat profile."""

TOKENS = 8192
"""So much of a text counts for its embedded vector."""

BATCH = 64
"""Texts that are sent to a language model at a time."""

AT_ONCE = 4
"""Requests that are under way together."""


async def vectors_of(
    context: Context, texts: Sequence[str], method: VectorMethod = "embedded", profile: str = ""
) -> list[bytes]:
    """Give each text its vector: float32, little-endian, of length 1; nothing for one that says nothing."""
    unlike = list(dict.fromkeys(text for text in texts if text.strip()))
    if method == "profile":
        asked = await profile_vectors(context, unlike, profile=profile)
        return in_their_places(texts, unlike, asked)
    made = await context.aside(partial(embedded_vectors, unlike)) if unlike else []
    return in_their_places(texts, unlike, made)


def in_their_places(texts: Sequence[str], unlike: Sequence[str], vectors: Sequence[bytes]) -> list[bytes]:
    """The vectors of all texts, of which some may be alike, or say nothing."""
    found = dict(zip(unlike, vectors, strict=True))
    return [found.get(text, b"") for text in texts]


def made_by(method: VectorMethod = "embedded", profile: str = "") -> str:
    """Name what makes the vectors; those of another maker say nothing beside them."""
    if method == "profile":
        return f"profile {profile}".strip()
    return "WordLlama 256"


async def profile_vectors(context: Context, texts: Sequence[str], profile: str = "") -> list[bytes]:
    """Ask the language model of a chat profile, some texts at a time."""
    parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    asked = [partial(context.embed, part, profile=profile) for part in parts]
    answered = await context.gather(asked, AT_ONCE)
    return [as_bytes(vector) for vectors in answered for vector in vectors]


def embedded_vectors(texts: Sequence[str]) -> list[bytes]:
    """Make the embedded vectors, which takes a quarter of a second the first time."""
    embed = embedded()
    return [as_bytes(embed(text)) for text in texts]


@lru_cache(maxsize=1)
def embedded() -> Callable[[str], Sequence[float]]:
    """Read the vectors of the tokens; gives what makes one of a text."""
    try:
        import numpy as np
        from safetensors import numpy as stored
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        message = f"Embedded vectors need `{error.name}`, which is not installed."
        raise StepError(message, hint=missing_library(error.name or "")) from error

    home = vector_files()
    tokenizer = cast("Any", Tokenizer).from_file(f"{home}/tokenizers/l2_supercat_tokenizer_config.json")
    weights = home / "weights" / "l2_supercat_256.safetensors"
    rows = cast("Any", stored).load_file(weights)["embedding.weight"]

    def embed(text: str) -> Sequence[float]:
        whole = text[: TOKENS * 8].encode("utf-8", "replace").decode()
        ids: list[int] = tokenizer.encode(whole, add_special_tokens=False).ids[:TOKENS]
        return rows[ids].astype(np.float32).mean(axis=0).tolist() if ids else ()

    return embed


def as_bytes(vector: Sequence[float]) -> bytes:
    """Give a vector of length 1 as bytes; nothing where it has no length."""
    size = math.sqrt(sum(one * one for one in vector))
    if not 0 < size < math.inf:
        return b""
    numbers = array.array("f", [one / size for one in vector])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
