"""An answer put together from the chunks of its stream, refused when it is not whole."""

from typing import cast

from studio.errors import ChatRefusedError
from studio.llm.clean_text import normalise
from studio.llm.client import ChatAnswer, Usage
from studio.llm.endpoints.choice import ASK_AGAIN, Choice, Plain, as_mapping
from studio.llm.limits import read_count

__all__ = ["ASK_AGAIN", "AnswerBuilder", "Plain", "raise_stream_error", "read_usage"]


class AnswerBuilder:
    """Takes chunks of the Chat Completions protocol; each is parsed once and joined once, at the end.

    Of several `samples`, the text of the first is what is heard while they come.
    """

    def __init__(self, llm: str, id_prefix: str, samples: int = 1) -> None:
        self.llm = llm
        self.usage: Usage | None = None
        self.has_head = False
        """Whether the endpoint has begun to answer."""
        self.is_streamed = False
        """Whether the answer comes piece by piece."""
        self._id_prefix = id_prefix
        self._samples = samples
        self._choices = {0: Choice()}

    @property
    def finish_reason(self) -> str:
        """Why the first sample ended, once all have; empty before."""
        reasons = [one.finish_reason for one in self._choices.values()]
        return self._choices[0].finish_reason if all(reasons) and len(reasons) == self._samples else ""

    def add(self, chunk: Plain) -> str | None:
        """Take one chunk; gives its text (perhaps empty), or None when it carried no content at all.

        Raises `ChatRefusedError` when the chunk is an error of the provider.
        """
        if chunk.get("error"):
            raise_stream_error(chunk["error"])
        llm = chunk.get("model")
        if isinstance(llm, str) and llm:
            self.llm = llm
        if (usage := chunk.get("usage")) is not None:
            self.usage = read_usage(usage)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return None
        text: str | None = None
        for place, plain in enumerate(cast("list[object]", choices)):
            choice = as_mapping(plain)
            index = choice.get("index", place)
            if not isinstance(index, int) or not 0 <= index < self._samples:
                continue
            found = self._choices.setdefault(index, Choice()).add(choice)
            if found is not None:
                text = (text or "") + (found if index == 0 else "")
        return "" if text is None and self.finish_reason else text

    def finish(self) -> ChatAnswer:
        """Give the whole answer, without its cost; raises `ChatIncompleteError` when it is not whole.

        Of several samples, refusals are left out; where there is nothing else, `ChatRefusedError` is raised.
        """
        for one in self._choices.values():
            one.require_end()
        answered = {index: one for index, one in sorted(self._choices.items()) if not one.refusal}
        if not answered:
            message = f"The language model refused to answer: {self._choices[0].refusal}"
            raise ChatRefusedError(message)
        told = [
            one.finish(f"{self._id_prefix}_{index}" if index else self._id_prefix)
            for index, one in answered.items()
        ]
        others = tuple(message for message, _ in told[1:])
        chances = tuple(tuple(one.tokens) for one in answered.values())
        tokens = chances if any(chances) else ()
        return ChatAnswer(*told[0], self.usage or Usage(), self.llm, others=others, tokens=tokens)


def read_usage(plain: object) -> Usage:
    """Read the `usage` of a chunk; what is missing counts as 0."""
    usage = as_mapping(plain)
    return Usage(
        read_count(usage.get("prompt_tokens")),
        read_count(usage.get("completion_tokens")),
        read_count(as_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        read_count(as_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def raise_stream_error(error: object) -> None:
    """Raise the error that a provider put into its stream."""
    fields = as_mapping(error)
    text = fields.get("message") if fields else error
    code = fields.get("status") or fields.get("code")
    status = code if isinstance(code, int) else 0
    message = f"The endpoint aborted its answer: {normalise(str(text))}"
    raise ChatRefusedError(message, status, hint="Nothing of the answer was used.")
