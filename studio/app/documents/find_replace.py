"""Finding words in flows, and putting others in their place: in one flow, or in all of a project."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from studio.app.documents.session import Session
from studio.bounds.patterns import replacements_of
from studio.errors import StepwireError, UsageError
from studio.flow.change import Change
from studio.flow.edits.texts import Place, texts_of, with_texts
from studio.flow.records import Flow

MOST = 2_000
"""Hits that are given of one flow."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: words as they stand, unless it is a pattern of Python's `re`."""

    words: str
    is_case: bool = False
    """Whether capitals matter."""
    is_word: bool = False
    """Whether it has to be whole words."""
    is_pattern: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One place where the words stand."""

    place: Place
    text: str
    """The whole text there."""
    start: int
    end: int
    can_change: bool


@dataclass(frozen=True, slots=True)
class FoundInFlow:
    """What was found in one flow of a project."""

    name: str
    path: Path
    title: str
    hits: Sequence[Found]


@dataclass(slots=True)
class Replaced:
    """What became of a replacement: how many places in which flows, and what could not be."""

    places: int = 0
    flows: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])


def find_in(flow: Flow, query: Query) -> list[Found]:
    """Find the words in a flow's titles, ids, kinds, settings, typed values, frames and notes.

    Raises `PatternError` for a pattern that cannot be read, or takes too long.
    """
    if not query.words:
        return []
    places = _finder(query)
    found: list[Found] = []
    for one in texts_of(flow):
        for start, end in places(one.text):
            found.append(Found(one.place, one.text, start, end, one.can_change))
            if len(found) == MOST:
                return found
    return found


def replaced(flow: Flow, hits: Iterable[Found], query: Query, words: str) -> Change:
    """The change that puts `words` in the place of these hits; those whose text is another now are left."""
    chosen: dict[Place, set[int]] = {}
    texts = {one.place: one.text for one in texts_of(flow) if one.can_change}
    for hit in hits:
        if texts.get(hit.place) == hit.text:
            chosen.setdefault(hit.place, set()).add(hit.start)
    places = _finder(query)
    after: dict[Place, str] = {}
    for place, starts in chosen.items():
        text, done, parts = texts[place], 0, list[str]()
        instead = instead_of(text, query, words)
        for start, end in places(text):
            if start in starts:
                parts += [text[done:start], instead[start]]
                done = end
        after[place] = "".join((*parts, text[done:]))
    return with_texts(flow, after, f"Replace “{_short(query.words)}”")


def instead_of(text: str, query: Query, words: str) -> dict[int, str]:
    """What would stand in the place of each hit in a text, by where it starts; raises `PatternError`."""
    if not query.is_pattern:
        return dict.fromkeys((start for start, _ in _finder(query)(text)), words)
    return {start: instead for start, _, instead in replacements_of(_pattern(query), text, words)}


def find_in_project(session: Session, query: Query) -> list[FoundInFlow]:
    """Find the words in all flows of a session's project, open ones as they are edited."""
    found: list[FoundInFlow] = []
    flows = session.registry.flows
    for name in sorted({*flows.names(), session.name}):
        with suppress(UsageError):  # a flow that cannot be read has nothing to find
            flow = session.flow if name == session.name else flows.flow(name)
            hits = find_in(flow, query)
            if hits:
                found.append(FoundInFlow(name, session.project.place_of(name), flow.name or name, hits))
    return found


def replace_in_project(
    hits: Mapping[Path, Sequence[Found]],
    query: Query,
    words: str,
    open_flow: Callable[[Path], tuple[Session, bool]],
    close_flow: Callable[[Session], None],
) -> Replaced:
    """Replace in each flow as one undo step; a flow that was not open is saved, and its old text kept.

    `open_flow` gives a session, and whether a person has it open.
    """
    done = Replaced()
    for path, chosen in hits.items():
        try:
            session, is_open = open_flow(path)
        except StepwireError as error:
            done.refused.append(error.message)
            continue
        try:
            change = replaced(session.flow, chosen, query, words)
            if change.is_empty:
                continue
            session.history.do(change)
            if not is_open:
                session.save()
            done.flows.append(session.name)
            done.places += len(chosen)
        except StepwireError as error:
            done.refused.append(error.message)
        finally:
            if not is_open:
                close_flow(session)
    return done


def _finder(query: Query) -> Callable[[str], Sequence[tuple[int, int]]]:
    """What gives the places of a query in a text; words as they stand need no watch on the time."""
    pattern = _pattern(query)
    if query.is_pattern:
        return lambda text: [(start, end) for start, end, _ in replacements_of(pattern, text, None)]
    compiled = re.compile(pattern)
    return lambda text: [match.span() for match in compiled.finditer(text)]


def _pattern(query: Query) -> str:
    pattern = query.words if query.is_pattern else re.escape(query.words)
    if query.is_word:
        pattern = rf"\b(?:{pattern})\b"
    return pattern if query.is_case else f"(?i){pattern}"


def _short(words: str) -> str:
    return words if len(words) <= 24 else f"{words[:23]}…"
