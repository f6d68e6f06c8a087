"""The prefix cache of an endpoint: what a request begins with is not read again if it was read lately."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from studio.llm.client import Usage


class PrefixCache:
    """Remembers as many requests as an endpoint has slots, the latest ones; 0 remembers nothing.

    As llama.cpp does it: a request takes over the slot with which it shares most, and reads only the rest.
    """

    def __init__(self, slots: int = 0) -> None:
        self._slots: deque[str] = deque(maxlen=slots)

    def count(self, body: Mapping[str, object], usage: Usage) -> Usage:
        """Remember a request, and give its usage with the share of its input that was in the cache."""
        if not self._slots.maxlen:
            return usage
        text = json.dumps([body.get("tools"), body.get("messages")], default=str)
        shared = max((_common(text, slot) for slot in self._slots), default=0)
        self._slots.append(text)
        return replace(usage, cached_tokens=usage.input_tokens * shared // len(text))


def _common(one: str, other: str) -> int:
    """Count the characters that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
