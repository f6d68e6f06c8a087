"""How much of what two requests begin with is the same: what an endpoint can take from its prefix cache."""

import json
from collections.abc import Iterator

from studio.llm.client import ChatRequest, message_to_json

BLOCK = 512
"""Characters that are compared as one: about 128 tokens, in whose steps OpenAI's cache grows
(https://platform.openai.com/docs/guides/prompt-caching)."""

LONGEST = 2048
"""Blocks that are looked at; what follows a million characters is not worth a place in the line."""


class Prefix:
    """The beginning of one request, in the order in which endpoints read it: tools, schema, messages."""

    __slots__ = ("_blocks", "_request")

    def __init__(self, request: ChatRequest) -> None:
        self._request: ChatRequest | None = request
        self._blocks: tuple[int, ...] = ()

    def shared(self, other: "Prefix | None") -> int:
        """Give how many characters both begin with, in whole blocks."""
        if other is None:
            return 0
        count = 0
        for mine, its in zip(self.blocks, other.blocks, strict=False):
            if mine != its:
                break
            count += 1
        return count * BLOCK

    @property
    def blocks(self) -> tuple[int, ...]:
        """A number for each block; made when it is first asked for, since most requests never wait."""
        if self._request is not None:
            text = "".join(_pieces(self._request))
            ends = range(BLOCK, min(len(text), LONGEST * BLOCK) + 1, BLOCK)
            self._blocks = tuple(hash(text[end - BLOCK : end]) for end in ends)
            self._request = None
        return self._blocks


def _pieces(request: ChatRequest) -> Iterator[str]:
    for tool in request.tools:
        yield f"{tool.name}\n{tool.description}\n{json.dumps(tool.parameters, default=str)}\n"
    if request.response_schema is not None:
        yield json.dumps(request.response_schema, default=str)
    for message in request.messages:
        if message.tool_calls or message.role == "tool":
            yield json.dumps(message_to_json(message), default=str)
        else:
            yield f"{message.role}\n{message.content}\n"
