"""What a run has asked of one chat profile, as the endpoint counted it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class ChatUse:
    """Answers and their tokens; `cached` input came out of the endpoint's prefix cache.

    `unpriced` tokens cost what nobody knows; of `uncounted` answers the endpoint told no tokens.
    """

    answers: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    unpriced: int = 0
    uncounted: int = 0

    @property
    def cached_share(self) -> float:
        """How much of the input came out of the cache, from 0 to 1."""
        return self.cached / self.input if self.input else 0.0

    def count(self, tokens_in: int, tokens_out: int, cached: int, cost: float | None) -> None:
        """Take in an answer that was paid for."""
        self.answers += 1
        self.input += tokens_in
        self.output += tokens_out
        self.cached += cached
        self.cost += cost or 0.0
        self.unpriced += tokens_in + tokens_out if cost is None else 0
        self.uncounted += not tokens_in + tokens_out


def total(uses: Iterable[ChatUse]) -> ChatUse:
    """Give several uses as one."""
    whole = ChatUse()
    for use in uses:
        whole.answers += use.answers
        whole.input += use.input
        whole.output += use.output
        whole.cached += use.cached
        whole.cost += use.cost
        whole.unpriced += use.unpriced
        whole.uncounted += use.uncounted
    return whole


def cached_words(use: ChatUse) -> str:
    """Say how much of the input came out of the cache: `1,024 of 4,096 input tokens (25 %) from …`."""
    share = f"{use.cached:,} of {use.input:,} input tokens ({use.cached_share:.0%})"
    return f"{share.replace('%', ' %')} from the provider's cache"
