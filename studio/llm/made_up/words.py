"""Sentences that are made up of the words of a prompt."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import cast

from studio.llm.scripted_answers.filters import best_sentences, keywords, sentences, truncate_words
from studio.llm.scripted_answers.request import ScriptRequest
from studio.llm.solvers.chance import chance

FRAMES = (
    "{One} comes first, for {two} follows from it.",
    "What matters most about {one} is how it goes together with {two}.",
    "{One} and {two} are linked: a change in one shows in the other.",
    "In practice, {one} decides how much {two} counts.",
    "Where {one} is settled, {two} and {three} fall into place.",
    "There are two sides to {one}: {two}, and {three}.",
    "The short answer is that {one} depends on {two}.",
    "Compared with {two}, {one} is the larger part.",
)
AGAIN = (
    "This version takes up what was said of {one}.",
    "Mended: {one} now stands before {two}.",
    "What was missing about {one} is in it now.",
)
PLAIN = ("subject", "question", "answer")
"""What is spoken of where a prompt has no words."""

NOT_WORDS = re.compile(r"https?://\S+|```.*?```|[{}\[\]\"<>`*_#|\\]", re.DOTALL)
LONGEST_WORD = 24
QUOTED_WORDS = 60
MOST_TOPICS = 12


def topics(request: ScriptRequest) -> list[str]:
    """Name what a request is about: telling words of what was asked, else of the instructions."""
    for text in (request.question, request.system):
        found = [one for one in keywords(NOT_WORDS.sub(" ", text)) if _is_word(one)]
        if found:
            return found[:MOST_TOPICS]
    return list(PLAIN)


def _is_word(text: str) -> bool:
    return 2 < len(text) <= LONGEST_WORD and not any(one.isdigit() for one in text)


class Words:
    """Makes sentences about one request; the same `seed` and request give the same."""

    def __init__(self, request: ScriptRequest, seed: str) -> None:
        self._request = request
        self._seed = seed
        self.topics = topics(request)

    def draw(self, what: str, count: int) -> int:
        """Give a number from 0 up to, and without, `count`, the same for the same `what`."""
        return int(chance(self._seed, what) * count)

    def prose(self) -> str:
        """Answer in words: with what tools have found since the question, or else by the prompt alone."""
        found = self._found()
        if found:
            return f"{found} {self.sentence('after')}"
        first = self.sentence("0", AGAIN if _is_again(self._request) else FRAMES)
        return " ".join([first, *(self.sentence(str(number)) for number in range(1, 3))])

    def sentence(self, what: str, frames: Sequence[str] = FRAMES) -> str:
        """Make one sentence."""
        start = self.draw(f"{what} topic", len(self.topics))
        around = [*self.topics[start:], *self.topics[:start], *PLAIN]
        one, two, three, *_ = dict.fromkeys(around)
        frame = frames[self.draw(f"{what} frame", len(frames))]
        return frame.format(One=f"{one[:1].upper()}{one[1:]}", one=one, two=two, three=three)

    def name(self, what: str, count: int = 2) -> str:
        """Make a short name of a few of the words."""
        start = self.draw(f"{what} name", len(self.topics))
        picked = [*self.topics[start:], *self.topics[:start]][:count]
        text = " ".join(picked)
        return f"{text[:1].upper()}{text[1:]}"

    def search(self) -> str:
        """Make what one would look for."""
        return " ".join(self.topics[:4])

    def _found(self) -> str:
        """What tools have said since the last question, in a sentence or two."""
        said: list[str] = []
        for message in reversed(self._request.messages):
            if message.role == "user":
                break
            if message.role == "tool" and message.text.strip():
                said.append(message.text)
        if not said:
            return ""
        results = self._request.tool_results
        name = results[-1]["name"] if results else ""
        text = plain_text(said[0])
        best = best_sentences(text, self._request.question, 2) or sentences(text)[:2]
        quoted = truncate_words(" ".join(best) or text, QUOTED_WORDS)
        who = name or "the tool"
        return f"According to {who}: {quoted}"


def plain_text(said: str) -> str:
    """Give what is to be read in what a tool said: of JSON the longest text, else the text itself."""
    if said[:1] not in {"{", "["}:
        return said
    try:
        texts = list(_texts(json.loads(said)))
    except (ValueError, RecursionError):
        return said
    return max(texts, key=len, default=said)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("dict[str, object]", value).values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _texts(one)


def _is_again(request: ScriptRequest) -> bool:
    return max(request.rounds.values(), default=0) > 1
