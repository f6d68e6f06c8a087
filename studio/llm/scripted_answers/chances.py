"""How likely the words of an answer were that no model gave: as a rule says, or drawn by the request."""

import hashlib
import re
from collections.abc import Sequence
from math import log
from typing import cast

from studio.llm.log_probabilities import MOST_ALTERNATIVES, TokenChance
from studio.llm.scripted_answers.script_book import ScriptedReply

TOKEN = re.compile(r"\S+\s*|\s+")
LEAST = 0.5
"""The probability from which on words are drawn: what was said is the likeliest."""

OTHERS = ("the", "a", "not", "no", "is", "it", "and", "or", "one", "so")
"""What stands beside a word as what might have been said instead."""


def chances_of(reply: ScriptedReply, alternatives: int) -> Sequence[TokenChance]:
    """Give the chance of each word of a text, with so many alternatives; the same for the same reply."""
    return [_chance(reply, place, word, alternatives) for place, word in enumerate(TOKEN.findall(reply.text))]


def tokens_of(reply: ScriptedReply, alternatives: int | None) -> tuple[tuple[TokenChance, ...], ...]:
    """Give those of a reply and of its other samples, as an answer has them; None asks for none."""
    if alternatives is None:
        return ()
    return tuple(tuple(chances_of(one, alternatives)) for one in (reply, *reply.others))


def _chance(reply: ScriptedReply, place: int, word: str, alternatives: int) -> TokenChance:
    probability = reply.probability
    if probability is None:
        drawn = hashlib.blake2b(
            f"{reply.id} {place} {word}".encode("utf-8", "replace"), digest_size=6
        ).digest()
        probability = LEAST + (1 - LEAST) * int.from_bytes(drawn) / 2**48
    named = [one for one in OTHERS if one != word.strip()][: min(max(alternatives - 1, 0), MOST_ALTERNATIVES)]
    left = max(1 - probability, 1e-9)  # halved from one to the next: together they are no more than certain
    others = [(other, log(left / 2**number)) for number, other in enumerate(named, 1)]
    said = log(probability)
    return TokenChance(word, said, ((word, said), *others) if alternatives else ())


def chances_json(chances: Sequence[TokenChance]) -> list[object]:
    """Give chances as the protocol does (`logprobs.content`)."""
    return [
        {**_pair(one.token, one.log_probability), "top_logprobs": [_pair(*other) for other in one.others]}
        for one in chances
    ]


def _pair(token: str, log_probability: float) -> dict[str, object]:
    data = token.encode("utf-8", "replace")
    return {"token": token, "logprob": log_probability, "bytes": list(data)}


def alternatives_wanted(body: object) -> int | None:
    """Tell how many alternatives a request of Chat Completions asks for; None where it asks for no chances.

    Raises `ValueError` for a number that OpenAI refuses.
    """
    fields = cast("dict[str, object]", body if isinstance(body, dict) else {})
    if not fields.get("logprobs"):
        return None
    wanted = fields.get("top_logprobs") or 0
    if not isinstance(wanted, int) or not 0 <= wanted <= MOST_ALTERNATIVES:
        reason = f"`top_logprobs` is not a number from 0 to {MOST_ALTERNATIVES}"
        raise ValueError(reason)
    return wanted
