"""Keys leave no trace: the one function through which every event goes before it is written.

What is hidden: every secret that the studio knows, by value, also where JSON text quotes it and where it is
encoded (`key_forms`); and whatever looks like a key. `TextStreamed` is never stored, so that a key which a
provider splits between two pieces of a stream can be seen for as long as the stream lasts, but not kept.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

import orjson

from studio.trace.events import Event, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Values
from studio.trace.key_forms import SHORTEST_LOOK, forms_of, quoted, rough_look, without_looks

HIDDEN = "[hidden]"
SHORTEST = 6
"""A secret of fewer characters would hide ordinary text; nothing that short is a key."""

MOST_KNOWN = 1_000
"""How many names and labels of values are remembered."""

_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})


class Redactor:
    """Hides `secrets`, and what looks like one, in events."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        looks = _looks(frozenset(one for one in secrets if len(one) >= SHORTEST))
        self._forms, self._shortest = looks.forms, looks.shortest
        self._look, self._look_in_json = looks.in_text, looks.in_json
        self._harmless: set[tuple[str, tuple[str, ...]]] = set()
        """Names and labels of values in which there is no key."""

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
        # To look at an event's JSON is the cheapest way to know of all texts in it.
        try:
            written = orjson.dumps(event, option=orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError:  # half a surrogate, or a number of more than 64 bits
            return self._clean(event)
        if self._look_in_json.search(written) is None:
            return event
        cleaned = self._clean(event)
        return event if cleaned == event else cleaned

    def _is_plain(self, values: Values) -> bool:
        """Whether all values are so simple that a look at them tells of no key in them; most are."""
        for name, one in values.items():
            data = one.data
            if type(data) is str:
                if len(data) >= self._shortest and self._look.search(data) is not None:
                    return False
            elif type(data) not in _WITHOUT_TEXT:
                return False
            if (name, one.labels) not in self._harmless:
                if any(map(self._look.search, (name, *one.labels))) or len(self._harmless) > MOST_KNOWN:
                    return False
                self._harmless.add((name, one.labels))
        return True

    def text(self, text: str) -> str:
        """Give the text without keys."""
        if len(text) < self._shortest or self._look.search(text) is None:
            return text
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return without_looks(text, HIDDEN)

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


class _Looks(NamedTuple):
    """What keys are known by: their forms, the longest first, and what finds whether one could be there."""

    forms: tuple[str, ...]
    shortest: int
    in_text: re.Pattern[str]
    in_json: re.Pattern[bytes]


@lru_cache(maxsize=16)  # of one project, all runs have the same keys
def _looks(secrets: frozenset[str]) -> _Looks:
    known = {form for one in secrets for form in forms_of(one) if len(form) >= SHORTEST}
    forms = sorted(known, key=lambda one: (-len(one), one))
    # Almost no text has a key in it, and one search for a few characters of each form knows that.
    in_text = re.compile(rough_look(forms), re.ASCII)
    in_json = re.compile(rough_look(map(quoted, forms)).encode("utf-8", "surrogatepass"))
    return _Looks(tuple(forms), min((SHORTEST_LOOK, *map(len, forms))), in_text, in_json)
