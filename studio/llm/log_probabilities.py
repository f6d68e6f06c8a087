"""How likely a language model held each token of its answer, where its endpoint says so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import cast

from studio.llm.clean_text import normalise

MOST_ALTERNATIVES = 20
"""How many other tokens OpenAI tells at each place, at most."""


@dataclass(frozen=True, slots=True)
class TokenChance:
    """A token that was said, with the natural logarithm of its probability.

    `others` has the likeliest tokens at its place with theirs, which may be the token itself.
    """

    token: str
    log_probability: float
    others: tuple[tuple[str, float], ...] = ()

    @property
    def probability(self) -> float:
        """Its probability, from 0 to 1."""
        return exp(min(self.log_probability, 0.0))


def confidence(tokens: Sequence[TokenChance]) -> float | None:
    """Give the geometric mean of the tokens' probabilities: the inverse of the perplexity. None for none."""
    if not tokens:
        return None
    return exp(min(sum(one.log_probability for one in tokens) / len(tokens), 0.0))


def read_tokens(plain: object) -> Iterable[TokenChance]:
    """Read what the `logprobs` of a choice, or of a response's text, list; what is no token is left out."""
    for one in cast("list[object]", plain) if isinstance(plain, list) else ():
        found = _pair(one)
        if found is not None:
            told = cast("Mapping[str, object]", one).get("top_logprobs")
            listed = cast("list[object]", told) if isinstance(told, list) else []
            yield TokenChance(*found, tuple(other for each in listed if (other := _pair(each)) is not None))


def _pair(plain: object) -> tuple[str, float] | None:
    if not isinstance(plain, Mapping):
        return None
    fields = cast("Mapping[str, object]", plain)
    token, value = fields.get("token"), fields.get("logprob")
    if not isinstance(token, str) or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return (normalise(token), float(value)) if isfinite(value) else None


def tokens_to_json(tokens: Iterable[TokenChance]) -> list[object]:
    """Give tokens as events keep them: `[token, logarithm]`, and with it the others of its place, if any."""
    return [
        [one.token, one.log_probability, *([[list(other) for other in one.others]] if one.others else [])]
        for one in tokens
    ]


def tokens_from_json(plain: object) -> tuple[TokenChance, ...]:
    """Read what `tokens_to_json` wrote; what is none is left out."""
    return tuple(_told(plain))


def _told(plain: object) -> Iterable[TokenChance]:
    for one in cast("list[object]", plain) if isinstance(plain, list) else ():
        parts = cast("list[object]", one) if isinstance(one, list) else []
        pair = _of_pair(parts[:2])
        if pair is not None:
            others = cast("list[object]", parts[2]) if len(parts) > 2 and isinstance(parts[2], list) else []
            yield TokenChance(
                *pair, tuple(found for other in others if (found := _of_pair(other)) is not None)
            )


def _of_pair(plain: object) -> tuple[str, float] | None:
    match plain:
        case [str(token), float() | int() as value]:
            return token, float(value)
        case _:
            return None
