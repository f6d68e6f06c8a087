"""What answers chat requests: a context, or something that stands before one."""

from typing import Protocol

from studio.sdk import ChatAnswer, ChatRequest


class Chats(Protocol):
    """Something that asks language models."""

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask, and wait for the whole answer."""
        ...
