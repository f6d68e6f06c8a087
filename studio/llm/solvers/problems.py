"""Problems whose answers are known: what simulated solvers solve, and what a measurement asks.

A file of problems is JSON lines, each `{"id", "question", "answer", "wrong": [...]}` and, where wanted,
`difficulty` from 0 to 1 (0.5 where nothing is said), `topic` and `facts`. `wrong` has the answers of those
who err.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError

from studio.errors import UsageError

GIVES = r"""\banswer["'*`]*(?:\s+is\b)?\s*[:=]?[\s"'*`]*"""
"""Stands before an answer that is given as such."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Problem(BaseModel, frozen=True):
    """A question, its right answer, and the wrong ones that are given to it."""

    model_config = ConfigDict(extra="forbid")

    id: _Text
    question: _Text
    answer: _Text
    wrong: tuple[_Text, ...] = Field(min_length=1)
    difficulty: float = Field(default=0.5, ge=0, le=1)
    topic: str = ""
    facts: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """What rules of the project want to know of it, such as the tools that it takes."""

    def answers_in(self, text: str) -> list[str]:
        """Give the known answers that a text names as whole words, in order, each as often as it is named."""
        named = self._named
        return [named[hit.group().casefold()] for hit in self._pattern.finditer(text)]

    def given_in(self, text: str) -> list[str]:
        """Give the answers that a text gives as such (`Answer: 17`), or else all that it names."""
        named = self._named
        given = [named[hit["answer"].casefold()] for hit in self._giving.finditer(text)]
        return given or self.answers_in(text)

    def stated_in(self, text: str) -> str:
        """Give the answer that a text comes to: the last that it gives; empty where it gives none."""
        return next(reversed(self.given_in(text)), "")

    def without_question(self, text: str) -> str:
        """Take the question out of a text, for it may name answers itself."""
        for said in {self.question, json.dumps(self.question, ensure_ascii=False)[1:-1]}:
            text = text.replace(said, " ")
        return text

    @cached_property
    def key(self) -> str:
        """The question without regard to line breaks and blanks."""
        return _even(self.question)

    @cached_property
    def escaped(self) -> str:
        """The same as it stands within JSON."""
        return json.dumps(self.key, ensure_ascii=False)[1:-1]

    @cached_property
    def _named(self) -> dict[str, str]:
        return {one.casefold(): one for one in (*self.wrong, self.answer)}

    @cached_property
    def _any(self) -> str:
        known = sorted((self.answer, *self.wrong), key=len, reverse=True)
        return "|".join(map(_whole, known))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._any, re.IGNORECASE)

    @cached_property
    def _giving(self) -> re.Pattern[str]:
        return re.compile(f"{GIVES}(?P<answer>{self._any})", re.IGNORECASE)


class Problems(Sequence[Problem]):
    """The problems of a file; tells which of them a text asks."""

    def __init__(self, problems: Sequence[Problem], place: str = "the problems") -> None:
        self.place = place
        self._all = tuple(problems)

    @classmethod
    def load(cls, path: Path) -> "Problems":
        """Read a file; raises `UsageError` naming the line that is wrong."""
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "this is not UTF-8 text"
            raise UsageError(f"The problems in `{path}` could not be read: {reason}.") from error
        problems = [
            _read(line, f"`{path.name}`, line {at}") for at, line in enumerate(lines, 1) if line.strip()
        ]
        ids = [one.id for one in problems]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise UsageError(f"In `{path.name}`, two problems have the id `{twice}`.")
        if not problems:
            raise UsageError(f"There are no problems in `{path}`.", hint="Put one per line, as JSON.")
        return cls(problems, f"`{path.name}`")

    def asked_in(self, text: str) -> Problem | None:
        """Find the problem whose question a text has; of several the longest."""
        evened = _even(text)
        found = [one for one in self._all if one.key in evened or one.escaped in evened]
        return max(found, key=lambda one: len(one.key), default=None)

    def __getitem__(self, at: int) -> Problem:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._all)


def _read(line: str, place: str) -> Problem:
    try:
        problem = Problem.model_validate_json(line)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'the line'}: {one['msg'].lower()}" for one in error.errors()
        )
        message = f"In {place}, this is not a problem: {wrong}."
        hint = 'A problem is {"id", "question", "answer", "wrong": […], "difficulty", "topic", "facts"}.'
        raise UsageError(message, hint=hint) from error
    if problem.answer.casefold() in {one.casefold() for one in problem.wrong}:
        raise UsageError(f"In {place}, the right answer is also listed as wrong.")
    return problem


def _even(text: str) -> str:
    return " ".join(text.split())


def _whole(answer: str) -> str:
    """Match an answer where it is no part of a longer word or number."""
    before = r"(?<!\w)(?<!\d[.,])" if answer[:1].isalnum() else ""
    after = r"(?!\w)(?![.,]\d)" if answer[-1:].isalnum() else ""
    return f"{before}{re.escape(answer)}{after}"
