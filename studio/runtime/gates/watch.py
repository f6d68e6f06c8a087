"""Decides what a run is held for: at which places, on what condition, from which time on, for what caught.

A condition is checked against the kinds of the ports before a run; one that cannot be computed while it goes
on holds, and says why. How often a breakpoint would have held is told to the window and not recorded; its
lines are `log_written` with its key, and count in no comparison.

Catches hold for an error before retries, policies and catches see it; outputs that a person gives stand in
its place, and are kept in replays and forks as those of any held step. They hold also for a call of a tool,
for a text in what is asked or answered (what a request repeats is not looked at again), for what may be
started or reached, and for a limit that is neared or reached, where whatever comes to the gate next is held.
An error is held for once, where it happened, in calls only if errors are caught that something takes in.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple, cast

from studio.bounds.patterns import PatternError, is_found
from studio.errors import ExpressionError
from studio.ids import ROOT, NodeId, StepId
from studio.llm.client import Message
from studio.runtime.failures import describe
from studio.runtime.gates.breakpoints import Breakpoint, On, place_parts, split_place
from studio.runtime.gates.log_line import line_of, names_in, read_expression
from studio.runtime.gates.moment import NO_VALUES, Moment, plain_all, text_of
from studio.runtime.gates.step_ref import StepRef
from studio.runtime.recorder import Recorder
from studio.runtime.values import Absent, Resolved, Value
from studio.trace.events import BudgetReached, BudgetWarned, Entry, LogWritten, PolicyDecided
from studio.trace.figures import amount

SEARCHING_SECONDS = 0.1
"""How long a pattern may look through one message, for nothing else of a run goes on meanwhile."""

ERRORS_KEPT = 100
"""How many errors are known again that were let go."""


class Reason(NamedTuple):
    """Why something is held: a word, what there is to say beside it, and the key of what holds it."""

    word: str
    detail: str = ""
    key: str = ""


class Watch:
    """The breakpoints and catches of one run. It belongs to the run's event loop."""

    def __init__(
        self, recorder: Recorder, breakpoints: Iterable[Breakpoint | str], is_due: Callable[[], None]
    ) -> None:
        """Make it; `is_due` is called when whatever comes next is to be held."""
        self._recorder = recorder
        self._is_due = is_due
        self.hits: dict[str, int] = {}
        """How often each would have held so far, by key."""
        self._is_listening = False
        self._let_go: deque[BaseException] = deque(maxlen=ERRORS_KEPT)
        self._asked: dict[StepId, int] = {}
        """How many messages the last request of a step had."""
        self._inputs: dict[StepId, Mapping[str, Resolved]] = {}
        """What steps have read that will be looked at once more with what they gave."""
        self.due: Reason | None = None
        """Why whatever comes next is held."""
        self.set(breakpoints)

    def set(self, breakpoints: Iterable[Breakpoint | str]) -> None:
        """Watch for these from now on; what was counted of those that stay goes on being counted."""
        known = [Breakpoint(one) if isinstance(one, str) else one for one in breakpoints]
        self._at: dict[str, list[Breakpoint]] = {}
        self._catches: dict[str, list[Breakpoint]] = {}
        for one in known:
            found = self._at if one.on == "step" else self._catches
            found.setdefault(one.place if one.on == "step" else one.on, []).append(one)
        self.nodes = frozenset(one.node_place for one in known if one.on == "step")
        """The nodes whose steps have to be looked at: `critic`, or `summary.json:critic`."""
        self._at_ends = {
            one.place.rpartition(".")[0]
            for one in known
            if one.on == "step" and place_parts(split_place(one.place)[1])[2] and (one.condition or one.log)
        }
        self.is_idle = not known
        """Whether there is nothing to watch for."""
        keys = {one.key for one in known}
        self.hits = {key: hits for key, hits in self.hits.items() if key in keys}
        if "budget" not in self._catches:
            self.due = None
        elif not self._is_listening:
            self._is_listening = True
            self._recorder.follow(self._note)

    def catches(self, on: On) -> bool:
        """Whether anything is held for what happens of this kind."""
        return on in self._catches

    def before(self, ref: StepRef, inputs: Mapping[str, Resolved]) -> Reason | None:
        """Why a step or call is to be held before its work; None where it may go on."""
        if self.is_idle:
            return None
        moment = Moment(ref, "before", self._recorder, inputs)
        places = (ref.place, ref.lending_place, *(f"{ref.place}.{port}" for port in _there(inputs)))
        found = [self._met(one, moment, "breakpoint") for one in self._standing_at(places)]
        if ref.call == "tool":
            calls = (one for one in self._caught("tool", ref) if fnmatchcase(ref.tool, one.tool or "*"))
            found += [self._met(one, moment, "tool") for one in calls]
        elif ref.call == "chat" and "text" in self._catches:
            for message in self._new_messages(ref, inputs.get("messages")):
                found += self._searched(moment, message.role, message.content)
        return self._first(found)

    def after(self, ref: StepRef, outputs: Mapping[str, Resolved]) -> Reason | None:
        """Why what a step gave, or a call was answered, is to be held; None where it may be used."""
        if self.is_idle:
            return None
        moment = Moment(ref, "after", self._recorder, outputs, self._inputs.pop(ref.step, NO_VALUES))
        places = [f"{ref.place}.{port}" for port in _there(outputs)]
        found = [self._met(one, moment, "breakpoint") for one in self._standing_at(places)]
        if ref.call == "chat" and "text" in self._catches:
            answer = outputs.get("answer")
            said = text_of(answer.data) if isinstance(answer, Value) else ""
            found += self._searched(moment, "assistant", said)
        return self._first(found)

    def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> Reason | None:
        """Why a step or call is to be held that failed; None where its failure takes its course.

        An error is held for once, where it happened, and not again in what it passes through.
        """
        if any(known is one for known in self._let_go for one in _chain(error)):
            return None
        told = describe(error)
        said = {"error": told.error, "text": told.message, "inputs": plain_all(inputs)}
        moment = Moment(ref, "after", self._recorder, inputs=inputs, said=said)
        catches = (one for one in self._caught("error", ref) if one.caught or not is_caught)
        found = self._first([self._met(one, moment, "error", told.message) for one in catches])
        if found is not None:
            self._let_go.append(error)
        return found

    def decided(self, ref: StepRef, decision: PolicyDecided) -> Reason | None:
        """Why a decision is to be held before it takes effect."""
        said = {"decision": decision.decision, "rule": decision.rule, "text": decision.subject}
        moment = Moment(ref, "after", self._recorder, said=said)
        detail = f"{decision.decision}: {decision.subject}"
        return self._first([self._met(one, moment, "policy", detail) for one in self._caught("policy", ref)])

    def remember(self, ref: StepRef, inputs: Mapping[str, Resolved]) -> None:
        """Keep what a step has read, where a condition may ask for it once the step has finished."""
        if ref.place in self._at_ends:
            self._inputs[ref.step] = inputs

    def _first(self, found: Sequence[Reason | None]) -> Reason | None:
        """The first reason; what is due since a limit was neared, where there is none."""
        reason = next((one for one in found if one is not None), None)
        if reason is None:
            reason, self.due = self.due, None
        return reason

    def _standing_at(self, places: Iterable[str]) -> Iterator[Breakpoint]:
        for place in places:
            yield from self._at.get(place, ())

    def _caught(self, on: str, ref: StepRef) -> Iterator[Breakpoint]:
        for one in self._catches.get(on, ()):
            if not one.place or one.place in {ref.node_place, ref.lending_place}:
                yield one

    def _met(self, one: Breakpoint, moment: Moment, word: str, detail: str = "") -> Reason | None:
        """Count, and say why to hold, where the condition is met; one that cannot be computed holds."""
        if one.condition.strip():
            try:
                condition = read_expression(one.condition)
                if not condition.evaluate(moment.named(condition.names)):
                    return None
            except ExpressionError as error:
                return Reason("condition", error.message, one.key)
        self.hits[one.key] = hits = self.hits.get(one.key, 0) + 1
        if hits < one.hits:
            return None
        if one.log:
            values = moment.named(names_in(one.log))
            self._recorder.record(
                LogWritten(line_of(one.log, values), one.key), moment.ref.step, moment.ref.parent
            )
            return None
        return Reason(word, detail or one.condition, one.key)

    def _searched(self, moment: Moment, role: str, text: str) -> list[Reason | None]:
        """Look for the texts that are caught in a message."""
        found: list[Reason | None] = []
        spoken = replace(moment, said={"text": text, "role": role})
        for one in self._caught("text", moment.ref):
            try:
                is_there = is_found(one.text, text, SEARCHING_SECONDS) if one.is_pattern else one.text in text
            except PatternError as error:
                found.append(Reason("condition", error.message, one.key))
                continue
            if is_there:
                found.append(self._met(one, spoken, "text", one.text))
        return found

    def _new_messages(self, ref: StepRef, asked: Resolved | None) -> list[Message]:
        """What a step's request says that its last one did not, and no language model has said."""
        messages = cast("list[Message]", asked.data) if isinstance(asked, Value) else []
        known = self._asked.get(ref.parent, 0)
        self._asked[ref.parent] = len(messages)
        new = messages[known:] if len(messages) > known else messages[-1:]
        return [one for one in new if one.role != "assistant"]

    def _note(self, entry: Entry) -> None:
        """Have the next that comes to the gate held, where a limit is neared or reached."""
        event = entry.event
        if not isinstance(event, BudgetWarned | BudgetReached):
            return
        said = {"limit": event.limit, "spent": event.spent, "allowed": event.allowed, "node": event.node}
        ref = StepRef(entry.step, NodeId(event.node), ROOT, entry.parent)
        of_all = f"{amount(event.limit, event.spent)} of {amount(event.limit, event.allowed)}"
        for one in self._caught("budget", ref):
            moment = Moment(ref, "before", self._recorder, said=said)
            self.due = self._met(one, moment, "budget", of_all) or self.due
        if self.due is not None:
            self._is_due()


def _there(values: Mapping[str, Resolved]) -> Iterator[str]:
    """The ports at which something stands: where another way was taken, nothing leaves or arrives."""
    return (port for port, value in values.items() if not isinstance(value, Absent))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__
