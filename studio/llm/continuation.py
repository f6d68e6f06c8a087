"""An answer that goes on from its beginning, made whole whether the endpoint repeats that or not."""

from collections.abc import Callable
from dataclasses import replace

from studio.llm.client import ChatAnswer, Message


class Continuation:
    """Puts the `prefix` of an answer before what is heard of it; without one, all passes as it is.

    Mistral says the beginning again, all others only what follows it.
    """

    def __init__(self, prefix: str, tell: Callable[[str], None]) -> None:
        self._prefix = prefix
        self._tell = tell
        self._waiting = prefix
        """What may still be said again."""
        self._heard = ""

    def hear(self, text: str) -> None:
        """Take a piece of the answer as it comes, and tell what is new of it."""
        if not self._waiting:
            self._tell(text)
            return
        self._heard += text
        if len(self._heard) < len(self._waiting) and self._waiting.startswith(self._heard):
            return
        self._waiting = ""
        self._tell(self._joined(self._heard))

    def whole(self, answer: ChatAnswer) -> ChatAnswer:
        """Give the answer with its beginning; one that calls tools instead says nothing of it."""
        if not self._prefix:
            return answer
        return replace(
            answer, message=self._begun(answer.message), others=tuple(map(self._begun, answer.others))
        )

    def _begun(self, message: Message) -> Message:
        if message.tool_calls and not message.content:
            return message
        return replace(message, content=self._joined(message.content))

    def _joined(self, text: str) -> str:
        return text if text.startswith(self._prefix) else self._prefix + text
