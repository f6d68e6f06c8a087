"""The first thing that a script does otherwise than the run that it is held against."""

import ast
import builtins
import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.app.scripts.check.play_messages import Act, Played
from studio.app.scripts.check.requests import Asked, called_in, looking, requests_of
from studio.app.scripts.check.step_titles import step_title
from studio.app.scripts.check.words import excerpts, first_difference, gist, place_in_words, what
from studio.ids import StepId, own_step, place_of, step_parts
from studio.past.replays import OldRun
from studio.sdk.registry import Registry
from studio.trace import events
from studio.trace.differences.compare import settled
from studio.trace.events import Entry

WHERE = re.compile(r"^`[^`]+`, line \d+: ")
"""How the error of a script's run begins, with the line."""

WORDED = frozenset({"ValueTypeError", "ExpressionError"})
"""Errors that Python says in words of its own."""


@dataclass(frozen=True, slots=True)
class Unlike:
    """The first thing that a script does otherwise than the run, in words.

    `what` is `request`, `extra`, `missing`, `output`, `failure`, `outside`, `stuck`, or `broken` for a script
    that could not be executed; `place` is where in
    it the two differ, `line` where in the script, 0 if nowhere in it.
    """

    what: str
    sentence: str
    step: str = ""
    title: str = ""
    place: str = ""
    script: Any = None
    recording: Any = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended: with outputs, or with an error; Python has other words for one that `is_worded`."""

    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    message: str = ""
    is_worded: bool = False

    def words(self, at: str = "") -> str:
        """What it did, after its name; `at` says where it failed."""
        if not self.error:
            return "returns its outputs"
        said = self.message if self.message.startswith(self.error) else f"{self.error}: {self.message}"
        return f"fails{at} with {said}".rstrip(".")


def compare(old: OldRun, played: Played, registry: Registry, text: str) -> tuple[int, Unlike | None]:
    """Give how many requests were the same, and the first thing that was not; `text` is the script."""
    found = _Comparison(old, played, registry, text)
    unlike = found.first()
    return found.used, unlike


class _Comparison:
    def __init__(self, old: OldRun, played: Played, registry: Registry, text: str) -> None:
        self._old, self._played, self._registry, self._text = old, played, registry, text
        self._recorded = settled(old.entries)
        self.used = 0

    def first(self) -> Unlike | None:
        """The first difference; None where there is none."""
        if self._played.broken:
            sentence = f"The script cannot be executed{self._at(self._played.line)}: {self._played.broken}"
            return Unlike("broken", sentence, line=self._played.line)
        asked, left = self._asked()
        unlike = self._first_request(asked, left)
        if unlike is not None:
            return unlike
        if self._played.act is not None:
            return self._outside(self._played.act)
        if self._played.is_stuck:
            return self._stuck(asked)
        recorded, made = _end_of(self._recorded, self._registry, self._old), self._end()
        if made.error and not _is_alike(made, recorded):
            return self._other_end(made, recorded)
        owed = [one for queue in left.values() for one in queue if one.is_owed]
        if owed:
            return self._missing(min(owed, key=self._number))
        if bool(made.error) != bool(recorded.error):
            return self._other_end(made, recorded)
        return None if made.error else self._other_outputs(made, recorded)

    def _asked(self) -> tuple[list[Asked], dict[tuple[str, StepId], deque[Asked]]]:
        """What the script asked for, in its order, and what the run did, by sort and step."""
        drawn = called_in(self._old.flow, self._registry)
        written = called_in(self._old.flow, self._registry, self._played.entries)
        looks = looking(self._recorded, drawn) | looking(self._played.entries, written)
        left: dict[tuple[str, StepId], deque[Asked]] = defaultdict(deque)
        for one in requests_of(self._recorded, self._registry, drawn, looks):
            left[one.sort, one.step].append(one)
        return requests_of(self._played.entries, self._registry, written, looks), left

    def _first_request(
        self, asked: Sequence[Asked], left: Mapping[tuple[str, StepId], deque[Asked]]
    ) -> Unlike | None:
        known = {step for _, step in left}
        stopped = {one.step for one in self._recorded if isinstance(one.event, events.StepCancelled)}
        for one in asked:
            queue = left.get((one.sort, one.step))
            if queue:
                recorded = queue.popleft()
                difference = first_difference(one.request, recorded.request)
                if difference is not None:
                    return self._other_request(one, recorded, *difference)
                self.used += 1
            elif own_step(one.step) not in stopped:
                return self._extra(one, is_known=one.step in known)
        return None

    def _other_request(self, one: Asked, recorded: Asked, path: str, said: Any, was: Any) -> Unlike:
        place = place_in_words(one.sort, path, recorded.request)
        told, before = excerpts(said, was)
        sentence = (
            f"{self._head(one.step)}: the script {what(one.sort, one.request)} differently, at {place}: "
            f"{told} in the script, {before} in the recording."
        )
        return self._unlike("request", sentence, one.step, place=place, script=said, recording=was)

    def _extra(self, one: Asked, *, is_known: bool) -> Unlike:
        told = gist(one.sort, one.request)
        how = "more often than the recording" if is_known else "which the recording does not"
        sentence = f"{self._head(one.step)}: the script {what(one.sort, one.request)}, {how}: {told}."
        return self._unlike("extra", sentence, one.step, script=one.request)

    def _missing(self, one: Asked) -> Unlike:
        does, told = what(one.sort, one.request), gist(one.sort, one.request)
        sentence = f"{self._head(one.step)}: the recording {does}, the script does not: {told}."
        return self._unlike("missing", sentence, one.step, recording=one.request)

    def _outside(self, act: Act) -> Unlike:
        sentence = f"The script {act.does} `{act.what}`{self._at(act.line)}, past its steps."
        return Unlike("outside", sentence, script=act.what, line=act.line)

    def _stuck(self, asked: Sequence[Asked]) -> Unlike:
        waiting = next((one for one in asked if not one.is_answered), None)
        if waiting is None:
            return Unlike("stuck", "The script waits for something that never happens.")
        waits = "the script waits for an answer that the run did not get either"
        sentence = f"{self._head(waiting.step)}: {waits}."
        return self._unlike("stuck", sentence, waiting.step)

    def _other_end(self, made: _End, recorded: _End) -> Unlike:
        line = self._played.line if made.error else 0
        sentence = f"The script {made.words(self._at(line))}; the recording {recorded.words()}."
        return Unlike("failure", sentence, script=_plain(made), recording=_plain(recorded), line=line)

    def _other_outputs(self, made: _End, recorded: _End) -> Unlike | None:
        difference = first_difference(made.outputs, recorded.outputs)
        if difference is None:
            return None
        path, one, other = difference
        name, _, rest = path.partition(".")
        place = f"the output `{name}`{f', {rest}' if rest else ''}" if name else "the outputs"
        told, was = excerpts(one, other)
        sentence = f"At {place}: {told} in the script, {was} in the recording."
        return Unlike("output", sentence, place=place, script=one, recording=other)

    def _end(self) -> _End:
        return _end_of(self._played.entries, self._registry, self._old)

    def _number(self, asked: Asked) -> int:
        return next((one.number for one in self._recorded if one.step == asked.step), 0)

    def _unlike(self, how: str, sentence: str, step: StepId, **more: Any) -> Unlike:
        return Unlike(how, sentence, step, self._title(step), **more, line=self._line(step))

    def _title(self, step: StepId) -> str:
        return step_title(self._old.flow, self._registry, own_step(step))

    def _head(self, step: StepId) -> str:
        line = self._line(step)
        return self._title(step) + (f" (line {line})" if line else "")

    @staticmethod
    def _at(line: int) -> str:
        return f" in line {line}" if line else ""

    def _line(self, step: StepId) -> int:
        """Where in the script a step is called; for one that is not, where it would be."""
        own = own_step(step)
        lines = self._played.lines
        return lines.get(own) or lines.get(place_of(own)) or _line_of_name(self._text, step_parts(own)[1])


def _line_of_name(text: str, name: str) -> int:
    """The line of the only call in a script that has a name as its first argument; 0 for none or several."""
    try:
        calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call) and one.args]
    except (SyntaxError, ValueError):
        return 0
    named = [one.args[0] for one in calls]
    found = [one.lineno for one in named if isinstance(one, ast.Constant) and one.value == name]
    return found[0] if len(found) == 1 else 0


def _end_of(entries: Sequence[Entry], registry: Registry, old: OldRun) -> _End:
    """How a run ended; an error in the words of its step, for the run's name the step as well."""
    last = entries[-1].event if entries else None
    if isinstance(last, events.RunFinished):
        return _End({name: one.data for name, one in last.outputs.items()})
    if not isinstance(last, events.RunFailed):
        return _End(error="RunCancelled", message="The run was stopped")
    told = [
        one.event for one in entries if one.step == last.step and isinstance(one.event, events.StepFailed)
    ]
    message = told[-1].message if told else WHERE.sub("", last.message)
    node = called_in(old.flow, registry)(StepId(last.step)) if last.step else None
    kind = registry.get(node.kind) if node is not None else None
    is_worded = last.error in WORDED or (kind is not None and kind.function is None)
    return _End({}, last.error, message, is_worded)


def _is_alike(made: _End, recorded: _End) -> bool:
    """Whether two errors are the same: what is plain Python in the script fails in Python's words."""
    if not recorded.error:
        return False
    if recorded.is_worded:
        return made.error == recorded.error or hasattr(builtins, made.error) or made.error == "StepError"
    return (made.error, made.message) == (recorded.error, recorded.message)


def _plain(end: _End) -> Any:
    return {"error": end.error, "message": end.message} if end.error else dict(end.outputs)
