"""What came from outside in a run, kept so that the run can be executed again without asking.

An answer is found by its step (scope, node, call number, attempt) and the hash of its request; then, for
nodes that were renamed and calls that moved, by the same hash in the same scope. Each is used once.
"""

import hashlib
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import TypeAlias

import orjson

from studio.ids import Scope, StepId, own_step, step_id, step_parts
from studio.trace import events
from studio.trace.differences.comparable_entries import without_call_ids
from studio.trace.events import Entry
from studio.trace.events.values import Plain

Request: TypeAlias = events.ChatRequested | events.EmbedRequested | events.ToolCalled | events.ApprovalAsked
Drawn: TypeAlias = events.StateRead | events.MemoryRead | events.ValueDrawn
Answer: TypeAlias = (
    events.ChatAnswered
    | events.EmbedAnswered
    | events.ToolAnswered
    | events.ApprovalGiven
    | events.StepFailed
)


@dataclass(slots=True)
class Kept:
    """One recorded answer, and the step that was given it."""

    step: StepId
    digest: str
    answer: Answer
    before: tuple[events.ApprovalAsked | events.ApprovalGiven, ...] = ()
    """By what form a person gave the answer, in the place of a language model."""
    is_used: bool = False


def request_digest(request: Request) -> str:
    """Hash what is asked, and not how calls are named or from which chat profile."""
    match request:
        case events.ChatRequested():
            plain: Plain = ["chat", without_call_ids(request.request)]
        case events.EmbedRequested():
            plain = ["embed", request.texts, request.dimensions]
        case events.ToolCalled():
            plain = ["tool", request.tool, request.arguments]
        case events.ApprovalAsked():
            plain = ["ask", request.question, request.schema]
    written = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(written).hexdigest()


class Recording:
    """The answers of one run."""

    def __init__(
        self,
        kept: Iterable[Kept],
        drawn: Mapping[tuple[StepId, str], Sequence[tuple[int, Drawn]]] | None = None,
        fallback: Mapping[StepId, tuple[str, ...]] | None = None,
    ) -> None:
        self._fallback = dict(fallback or {})
        self._drawn = {place: deque(found) for place, found in (drawn or {}).items()}
        self._places: dict[StepId, int] = {}
        self._exact: dict[tuple[StepId, str], Kept] = {}
        self._near: dict[tuple[Scope, str], list[Kept]] = defaultdict(list)
        for one in kept:
            self._exact[one.step, one.digest] = one
        for one in self._exact.values():
            self._near[step_parts(one.step)[0], one.digest].append(one)

    @classmethod
    def of(
        cls,
        entries: Iterable[Entry],
        *,
        with_failures: bool = False,
        without: Iterable[StepId] = (),
        rereads: Collection[StepId] = (),
    ) -> "Recording":
        """Read the answers out of a run's entries; `without` names calls whose answers are not for reuse.

        With failures, what failed outside fails again in the same words. Steps in `rereads` read run
        variables again.
        """
        drawn = _Drawing(rereads)
        left_out = set(without)
        asked: dict[StepId, str] = {}
        kept: list[Kept] = []
        chats: dict[StepId, events.ChatRequested] = {}
        by_hand: defaultdict[StepId, list[events.ApprovalAsked | events.ApprovalGiven]] = defaultdict(list)
        for entry in entries:
            step, event = entry.step, entry.event
            drawn.take(step, event)
            if isinstance(event, events.ChatRequested):
                chats[step] = event
                by_hand.pop(step, None)
            if step in chats and isinstance(event, events.ApprovalAsked | events.ApprovalGiven):
                by_hand[step].append(event)
                continue
            if isinstance(event, events.InputsEdited) and step_parts(step)[2] and "answer" in event.values:
                left_out.add(step)  # a person answered; who was to be asked has said nothing
            if isinstance(event, Request):
                asked[step] = request_digest(event)
            elif isinstance(event, Answer) and step in asked and step not in left_out:
                digest = asked.pop(step)
                if with_failures or not isinstance(event, events.StepFailed):
                    kept.append(Kept(step, digest, event, tuple(by_hand.pop(step, ()))))
        return cls(kept, drawn.found, _fallen_back(chats))

    def over(self, older: "Recording") -> "Recording":
        """Give the answers of both; where both have one for a step, this one's."""
        kept = [*older._exact.values(), *self._exact.values()]  # noqa: SLF001  # another of its own kind
        last = max((at for found in older._drawn.values() for at, _ in found), default=0)  # noqa: SLF001
        drawn = {place: list(found) for place, found in older._drawn.items()}  # noqa: SLF001
        drawn |= {place: [(at + last, one) for at, one in found] for place, found in self._drawn.items()}
        fallback = {**older._fallback, **self._fallback}  # noqa: SLF001
        return Recording(kept, drawn, fallback)

    def fallback(self, step: StepId) -> tuple[str, ...]:
        """Give the profiles that were left to ask when this chat failed; none where no other was asked."""
        return self._fallback.get(step, ())

    def draw(self, step: StepId, what: str) -> Drawn | None:
        """Give what `step` read next: `clock`, `random`, `state.NAME` or `memory.NAME`, if anything."""
        left = self._drawn.get((step, what))
        if not left:
            self._places.pop(step, None)
            return None
        self._places[step], found = left.popleft()
        return found

    def place(self, step: StepId) -> float:
        """Where among all that was read then that stood which `step` read last; what is new comes last."""
        return self._places.get(step, inf)

    def take(self, step: StepId, request: Request) -> Kept | None:
        """Give the answer to a request of `step`, once; None where there is none."""
        digest = request_digest(request)
        scope, node, _, _ = step_parts(step)
        found = self._exact.get((step, digest))
        if found is None or found.is_used:
            near = [one for one in self._near.get((scope, digest), ()) if not one.is_used]
            near.sort(key=lambda one: step_parts(one.step)[1] != node)
            found = near[0] if near else None
        if found is not None:
            found.is_used = True
        return found


def _fallen_back(chats: Mapping[StepId, events.ChatRequested]) -> dict[StepId, tuple[str, ...]]:
    """The profiles that were left to ask after each chat that another one was asked in the place of."""
    found: dict[StepId, tuple[str, ...]] = {}
    for step, asked in chats.items():
        scope, node, call, attempt = step_parts(step)
        kind, _, number = call.partition(".")
        if asked.fallback and number.isdecimal():
            after = chats.get(step_id(scope, node, f"{kind}.{int(number) + 1}", attempt))
            if after is not None and after.profile == asked.fallback[0] and after.request == asked.request:
                found[step] = asked.fallback
    return found


class _Drawing:
    """Gathers what steps read, in order; a step that began once more reads the same from the beginning."""

    def __init__(self, rereads: Collection[StepId]) -> None:
        self._rereads = rereads
        self._next: dict[StepId, dict[tuple[StepId, str], int]] = {}
        self.found: dict[tuple[StepId, str], list[tuple[int, Drawn]]] = defaultdict(list)
        self._number = count(1)

    def take(self, step: StepId, event: events.Event) -> None:
        if isinstance(event, events.StepStarted):
            self._next.pop(step, None)
            return
        if isinstance(event, events.ValueDrawn):
            what = event.source
        elif isinstance(event, events.StateRead) and step not in self._rereads:
            what = f"state.{event.name}"
        elif isinstance(event, events.MemoryRead) and own_step(step) not in self._rereads:
            what = f"memory.{event.memory}"
        else:
            return
        counts = self._next.setdefault(own_step(step), {})
        place = counts.get((step, what), 0)
        counts[step, what] = place + 1
        self.found[step, what][place : place + 1] = [(next(self._number), event)]


def effect_keys(
    entries: Iterable[Entry], *, without: Collection[StepId] = ()
) -> frozenset[tuple[Scope, str]]:
    """Name the calls of tools with side effects that were begun: by scope and hash of the request."""
    return frozenset(
        (step_parts(entry.step)[0], request_digest(entry.event))
        for entry in entries
        if isinstance(entry.event, events.ToolCalled)
        and entry.event.effect == "side_effect"
        and entry.step not in without
    )


def effect_key(step: StepId, request: events.ToolCalled) -> tuple[Scope, str]:
    """Name one such call."""
    return step_parts(step)[0], request_digest(request)
