"""How many calls and tokens a profile bears in a minute, counted over the last one.

Tokens are guessed until the endpoint has counted them, and nobody overtakes whoever waits for the minute.
Where an endpoint says when to come back, by a refusal or by what is left of its minute, all of the profile
waits, a minute at most.
"""

from collections import deque
from dataclasses import dataclass

from studio.llm.client import ChatRequest

MINUTE = 60.0
CHARACTERS = 4
"""About as many characters as a token has; a guess that holds until the endpoint has counted."""

IMAGE = 1000
"""About as many tokens as a picture has, whatever its file weighs."""

LEARNING = 0.25
"""How much one call changes what is thought of the next."""

LEAST, MOST = 0.25, 8.0
"""Bounds of how far a guess may be off; one strange answer must not stop a profile."""


@dataclass(slots=True)
class Spent:
    """One call of the last minute; `tokens` are a guess until the endpoint has counted them.

    `number` is that of the call among those of all processes, if they are counted.
    """

    at: float
    tokens: int
    number: int = 0


class Rates:
    """The calls of the last minute; 0 is no limit. A call larger than a whole minute may go alone."""

    def __init__(self, requests: int = 0, tokens: int = 0) -> None:
        self._requests, self._tokens = requests, tokens
        self._calls: deque[Spent] = deque()

    def wait(self, now: float, tokens: int) -> float:
        """Give the seconds until a call of so many tokens may begin; 0 is now."""
        while self._calls and self._calls[0].at + MINUTE <= now:
            self._calls.popleft()
        until = now
        if self._requests and len(self._calls) >= self._requests:
            until = self._calls[-self._requests].at + MINUTE
        if self._tokens:
            left = sum(call.tokens for call in self._calls) + tokens
            for call in self._calls:
                if left <= self._tokens:
                    break
                left -= call.tokens
                until = max(until, call.at + MINUTE)
        return until - now

    def begin(self, now: float, tokens: int) -> Spent:
        """Count a call that begins now."""
        call = Spent(now, tokens)
        if self._requests or self._tokens:
            self._calls.append(call)
        return call


def guess_tokens(request: ChatRequest) -> int:
    """Guess how many tokens a request has, from its length."""
    texts = [message.content for message in request.messages]
    texts += [call.arguments for message in request.messages for call in message.tool_calls]
    texts += [f"{tool.name}{tool.description}{tool.parameters}" for tool in request.tools]
    texts.append(str(request.response_schema or ""))
    images = sum(len(message.images) for message in request.messages)
    return -(-sum(map(len, texts)) // CHARACTERS) + images * IMAGE


class Guesses:
    """What calls of one profile will take, in and out: guessed, and set right by what the endpoint counts."""

    def __init__(self) -> None:
        self._factor = 1.0

    def of(self, tokens: int) -> int:
        """Give what a call whose request is guessed to have so many tokens will take in all."""
        return round(tokens * self._factor)

    def learn(self, tokens: int, counted: int) -> None:
        """Take in what such a call took; what the endpoint did not count teaches nothing."""
        if tokens and counted:
            factor = min(max(counted / tokens, LEAST), MOST)
            self._factor += (factor - self._factor) * LEARNING
