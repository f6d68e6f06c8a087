"""Keys leave no trace: the one function through which every event goes before it is written.

What is hidden: every secret that the studio knows, by value, also where JSON text quotes it; and whatever
looks like a key of a well-known service. `TextStreamed` is never stored, so that a key which a provider
splits between two pieces of a stream can be seen for as long as the stream lasts, but not kept.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import orjson

from studio.trace.events import Event, StepFinished, StepReady, StepStarted, Values

HIDDEN = "[hidden]"
SHORTEST = 6
"""A secret of fewer characters would hide ordinary text; nothing that short is a key."""

PREFIXES = ("sk-", "gsk_", "ghp_", "github_pat_", "xoxb-", "AKIA", "AIza")
"""What keys of OpenAI and its like, Groq, GitHub, Slack, AWS and Google begin with."""

_PATTERN = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, PREFIXES))})(?=[\w-]*\d)[A-Za-z0-9_-]{{16,}}", re.ASCII
)
MOST_KNOWN = 1_000
"""How many names and labels of values are remembered."""

_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})
_PREFIX_MARKS = tuple(prefix.encode() for prefix in PREFIXES)


class Redactor:
    """Hides `secrets`, and what looks like one, in events."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for one in secrets if len(one) >= SHORTEST for form in _forms(one)}
        self._secrets = sorted(known, key=len, reverse=True)
        self._in_texts = (*PREFIXES, *self._secrets)
        self._harmless: set[tuple[str, tuple[str, ...]]] = set()
        """Names and labels of values in which there is no key."""
        self._marks = _PREFIX_MARKS + tuple(_quoted(one).encode("utf-8", "replace") for one in self._secrets)

    def event(self, event: Event) -> Event:
        """Give the event without keys; the same object when there is none in it."""
        if type(event) is StepStarted:
            if self._is_plain(event.inputs):
                return event
        elif type(event) is StepFinished:
            if self._is_plain(event.outputs):
                return event
        elif type(event) is StepReady:
            return event
        # Almost no event has a key in it, and to look at its JSON is the cheapest way to know.
        try:
            written = orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError:  # half a surrogate, or a number of more than 64 bits
            return self._clean(event)
        for mark in self._marks:
            if mark in written:
                cleaned = self._clean(event)
                return event if cleaned == event else cleaned
        return event

    def _is_plain(self, values: Values) -> bool:
        """Whether all values are so simple that a look at them tells of no key in them; most are."""
        for name, one in values.items():
            data = one.data
            if type(data) is str:
                if self._is_suspect(data):
                    return False
            elif type(data) not in _WITHOUT_TEXT:
                return False
            if (name, one.labels) not in self._harmless:
                if any(map(self._is_suspect, (name, *one.labels))) or len(self._harmless) > MOST_KNOWN:
                    return False
                self._harmless.add((name, one.labels))
        return True

    def _is_suspect(self, text: str) -> bool:
        for mark in self._in_texts:  # noqa: SIM110  # a generator would cost as much again
            if mark in text:
                return True
        return False

    def text(self, text: str) -> str:
        """Give the text without keys."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _PATTERN.sub(HIDDEN, text)

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            pairs = cast("Mapping[object, object]", value).items()
            return {self._clean(key): self._clean(one) for key, one in pairs}
        if isinstance(value, list | tuple):
            items = [self._clean(one) for one in cast("list[object]", value)]
            return items if isinstance(value, list) else tuple(items)
        if is_dataclass(value) and not isinstance(value, type):
            names = [one.name for one in fields(value) if one.name != "kind"]
            return replace(value, **{name: self._clean(getattr(value, name)) for name in names})
        return value


def redactor(secrets: Iterable[str]) -> Callable[[Event], Event]:
    """Give the function that hides every one of `secrets`, wherever it stands in an event."""
    return Redactor(secrets).event


def _forms(secret: str) -> tuple[str, str, str]:
    # Events hold JSON text in texts (the arguments of a tool call), and that may hold JSON text again.
    once = _quoted(secret)
    return secret, once, _quoted(once)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
