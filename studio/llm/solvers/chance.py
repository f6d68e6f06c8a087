"""Chance that is the same everywhere: a number for a name, so that no answer hangs on who was asked first."""

import hashlib
from math import sqrt


def chance(*name: object) -> float:
    """Give a number from 0 up to 1 for a name, evenly spread over names."""
    said = "\x1f".join(map(str, name)).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big") / 2**64


def level(
    subject: str, who: str, sample: str, *, between_agents: float, between_samples: float
) -> tuple[str, ...]:
    """Name what an answer hangs on: the subject alone, who answers as well, or the very sample.

    With the draw of that name, answers of two agents are right together as two coins are that fall alike with
    the correlation `between_agents`, and two samples of one agent with `between_samples`, which is no less: a
    sample takes its agent's draw with the chance √s, and an agent takes the draw of all with √(c/s).
    """
    if chance(subject, who, sample, "own") >= sqrt(between_samples):
        return subject, who, sample
    if chance(subject, who, "own") >= sqrt(between_agents / between_samples):
        return subject, who
    return (subject,)
