"""A window on a long conversation: what is sent stays within a number of tokens.

Tokens are guessed from the length of the text (about four bytes each) and put right by what the endpoint
counts. First the older answers of tools are cut, then whole parts are left out, the oldest first; a call
and its answer go together. Instructions, the last question and the last part stay. More is left out at a
time than has to be, so that the beginning stays the same for a while, which endpoints answer cheaper.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from studio.llm.conversation import blocks
from studio.sdk import ChatAnswer, ChatRequest, Context, Message, StepError, WindowAccount

SUMMARISE = (
    "You are given the beginning of a conversation that has become too long, and perhaps a summary of what "
    "came before. Sum up all of it: what was asked, found, decided and done, names and figures included. "
    "Give the summary alone, in at most {words} words."
)
A_PICTURE = 800
"""About as many tokens as endpoints count for a picture."""

IN_SHORT = "(In short, what was said before: {summary})"


class Window:
    """Asks in the place of a context, with what of the conversation fits; the conversation itself stays."""

    def __init__(self, context: Context, tokens: int, *, summarise: bool = False) -> None:
        self.context = context
        self.tokens = tokens
        self.summarise = summarise
        self.summary = ""
        self.dropped: set[int] = set()
        """Which parts are left out, by their places in the conversation."""
        self.cut: set[int] = set()
        """In which parts the answers of tools are cut."""
        self.scale = 1.0
        """How many tokens the endpoint counts for one that is guessed."""

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask with what fits; raises `StepError` where not even the last question does."""
        fitted = await self.fitted(request, profile)
        answer = await self.context.chat(fitted, profile=profile)
        if answer.asked:
            # A person edited what was asked, which is the whole conversation from now on.
            self.dropped, self.cut, self.summary = set(), set(), ""
        if answer.usage.input_tokens:
            self.scale = min(8.0, max(0.125, answer.usage.input_tokens / guessed(fitted)))
        return answer

    async def fitted(self, request: ChatRequest, profile: str) -> ChatRequest:
        """The request with what fits, and the account of what does not."""
        said = [one for one in request.messages if one.role != "system"]
        parts = [[one for one in request.messages if one.role == "system"], *blocks(said)]
        asked = max(place for place, part in enumerate(parts) if part and part[0].role == "user")
        free = [place for place in range(1, len(parts) - 1) if place != asked]
        self.dropped &= set(free)
        if self.size(request, parts) > self.tokens:
            self.cut |= set(free)
        if self.size(request, parts) > self.tokens:
            left = self.leave_out(request, parts, free, asked)
            if self.summarise and left:
                await self.sum_up([parts[place] for place in left], request, profile)
        most = self.tokens * 4
        while self.size(request, parts, most) > self.tokens and most > 100:
            most //= 2
        fitted = replace(request, messages=self.kept(parts, most))
        taken = self.size(request, parts, most)
        if taken > self.tokens:
            message = f"The messages take about {taken} tokens, but the window is {self.tokens}."
            raise StepError(message, hint="Enlarge the window, or shorten the instructions and the prompt.")
        return replace(fitted, window=self.account(parts, most, taken))

    def leave_out(
        self, request: ChatRequest, parts: Sequence[list[Message]], free: Sequence[int], asked: int
    ) -> list[int]:
        """Leave out the oldest parts until there is room for more; gives those that were not yet."""
        room = self.tokens * 3 // 4 - (self.tokens // 8 if self.summarise else 0)
        taken = self.size(request, parts)
        left: list[int] = []
        for place in free:
            if place in self.dropped:
                continue
            is_answer = place < asked and parts[place][0].role != "user"  # a question goes with what follows
            if taken <= room and not (is_answer and place - 1 in self.dropped):
                break
            taken -= int(self.scale * sum(map(weight, self.sent(place, parts[place]))))
            self.dropped.add(place)
            left.append(place)
        return left

    def kept(self, parts: Sequence[list[Message]], most: int) -> tuple[Message, ...]:
        """The messages that are sent; answers of tools in the last part have at most `most` characters."""
        messages: list[Message] = []
        for place, part in enumerate(parts):
            if place not in self.dropped:
                messages += self.sent(place, part, most if place == len(parts) - 1 else 0)
        if self.summary:
            first = next(place for place, one in enumerate(messages) if one.role == "user")
            told = f"{IN_SHORT.format(summary=self.summary)}\n\n{messages[first].content}"
            messages[first] = replace(messages[first], content=told)
        return tuple(messages)

    def sent(self, place: int, part: Sequence[Message], most: int = 0) -> list[Message]:
        """The messages of a part, with answers of tools cut where they are."""
        most = most or (max(200, self.tokens // 5) if place in self.cut else 0)
        return [cut_to(one, most) if most and one.role == "tool" else one for one in part]

    def size(self, request: ChatRequest, parts: Sequence[list[Message]], most: int = 0) -> int:
        """About how many tokens are sent."""
        messages = self.kept(parts, most)
        return round(self.scale * guessed(replace(request, messages=messages)))

    def account(self, parts: Sequence[list[Message]], most: int, taken: int) -> WindowAccount:
        """What was left out and cut."""
        left = [one for place in sorted(self.dropped) for one in parts[place]]
        whole = [one for place, part in enumerate(parts) if place not in self.dropped for one in part]
        cut = sum(
            one.content not in sent.content for one, sent in zip(whole, self.kept(parts, most), strict=True)
        )
        return WindowAccount(self.tokens, taken, tuple(map(beginning, left)), cut, self.summary)

    async def sum_up(self, parts: Sequence[list[Message]], request: ChatRequest, profile: str) -> None:
        """Ask for a summary of what is left out from now on, and of the summary so far."""
        said = "\n\n".join(told(one) for part in parts for one in part)
        scale = max(1.0, self.scale)
        text = shortened(said, int(self.tokens * 2 / scale))
        words = max(20, self.tokens // 16)
        messages = (
            Message("system", SUMMARISE.format(words=words)),
            Message("user", f"{self.summary}\n\n{text}".strip()),
        )
        answer = await self.context.chat(ChatRequest(messages, speaker=request.speaker), profile=profile)
        self.summary = shortened(answer.message.content.strip(), int(self.tokens / 3 / scale))


def guessed(request: ChatRequest) -> int:
    """Guess how many tokens a request has, from its length."""
    texts = [f"{tool.name}{tool.description}{json.dumps(tool.parameters)}" for tool in request.tools]
    if request.response_schema is not None:
        texts.append(json.dumps(request.response_schema))
    return sum(map(weight, request.messages)) + sum(map(tokens_of, texts))


def weight(message: Message) -> int:
    """Guess how many tokens a message has."""
    return tokens_of(f"{message.role}    {told(message)}") + len(message.images) * A_PICTURE


def tokens_of(text: str) -> int:
    """Guess how many tokens a text has."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def told(message: Message) -> str:
    """All that a message says, calls included."""
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return "\n".join([f"{message.role}: {message.content}", *calls])


def beginning(message: Message) -> str:
    """How a message begins, on one line."""
    line = " ".join(told(message).split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def cut_to(message: Message, most: int) -> Message:
    """The message with at most about `most` characters."""
    return replace(message, content=shortened(message.content, most))


def shortened(text: str, most: int) -> str:
    """The beginning and the end of a text that has more than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"
