"""Embeddings without a language model: hashed bags of words.

Feature hashing (Weinberger et al., 2009): each word adds or takes 1 at a place that its hash names, and
the vector is scaled to length 1. Texts that share words are near each other, and the same everywhere.
"""

import base64
import hashlib
import math
import struct

from studio.llm.scripted_answers.filters import WORD

DIMENSIONS = 256


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Give the vector of `text`; a text without words gives zeros."""
    vector = [0.0] * dimensions
    for word in WORD.findall(text.casefold()):
        number = int.from_bytes(
            hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big"
        )
        vector[(number >> 1) % dimensions] += 1.0 if number & 1 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else vector


def as_base64(vector: list[float]) -> str:
    """Give a vector as OpenAI's `encoding_format: base64`: little-endian 32-bit floats."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
