"""What a fork would do, worked out before it starts: which steps run again, and what that may cost."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from studio.ids import StepId
from studio.past.call_forks import owner_of
from studio.past.fork_changes import told_changes
from studio.past.fork_start import ForkStart, find_start
from studio.past.fork_wishes import Fork
from studio.past.replays import OldRun
from studio.runtime.replay.dependence import Dependence
from studio.runtime.replay.takeover import node_steps
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.trace import figures
from studio.trace.events import (
    ChatAnswered,
    ChatRequested,
    EmbedAnswered,
    EmbedRequested,
    InputsEdited,
    OutputsEdited,
    ToolCalled,
)
from studio.trace.fold.state import RunState, StepStatus, fold


@dataclass(frozen=True, slots=True)
class ForkPlan:
    """What of an old run a fork does again. Steps are those whose node does some work, in their order.

    `asked` has the chats that may have to be asked again; others are answered from the recording. `tokens`
    and `cost` are what these had cost. `edited` were edited by hand while paused, which the fork does not
    know of. `effects` changes something outside, and waits for a person.
    """

    again: tuple[StepId, ...] = ()
    reused: tuple[StepId, ...] = ()
    asked: tuple[StepId, ...] = ()
    effects: tuple[StepId, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    changes: tuple[str, ...] = ()
    edited: tuple[StepId, ...] = ()

    @property
    def sentence(self) -> str:
        """The plan in words; what may be asked again is guessed by what it had cost."""
        return self.words(is_live=True)

    def words(self, *, is_live: bool) -> str:
        """The same; a fork that is not live asks nobody, and stops where the recording has no answer."""
        again, reused = len(self.again), len(self.reused)
        said = [
            f"{again} {'step runs' if again == 1 else 'steps run'} again",
            f"{reused} {'is' if reused == 1 else 'are'} reused",
        ]
        if self.asked and not is_live:
            said.append("and it may stop where the recording has no answer: only `--live` calls the model")
        elif self.asked:
            spent = f" ({figures.cost(self.cost)})" if self.cost else ""
            more = "unless it takes more rounds or turns than before"
            said.append(f"it costs at most about {self.tokens:,} tokens{spent} {more}")
        else:
            said.append("it costs nothing")
        text = f"{', '.join(said)}."
        if self.effects:
            count = len(self.effects)
            many = "1 side effect is" if count == 1 else f"{count} side effects are"
            text += f" It asks you before {many} repeated."
        return text


def plan_fork(old: OldRun, registry: Registry, fork: Fork, profile: str = "") -> ForkPlan:
    """Work out what a fork would do; raises `UsageError` as the fork would."""
    start = find_start(old, registry, fork)
    state = fold(start.old.entries)
    past = start.past(profile)
    own = [step for step, _ in node_steps(state, start.flow, start.registry)]
    again = tuple(step.id for step in own if step.id not in past.kept and step.id not in past.failed)
    asked = _asked(start, frozenset(again), profile)
    paid = [
        entry.event
        for entry in start.old.entries
        if isinstance(entry.event, ChatAnswered | EmbedAnswered) and entry.step in asked
    ]
    edits = InputsEdited | OutputsEdited
    by_hand = {one.step for one in start.old.entries if isinstance(one.event, edits)}
    return ForkPlan(
        again,
        tuple(step.id for step in own if step.id in past.kept),
        asked,
        _effects(start, state, frozenset(again)),
        sum(one.tokens for one in paid),
        sum(one.cost or 0.0 for one in paid),
        told_changes(start, profile),
        tuple(one for one in again if one in by_hand and one != fork.step),
    )


def _asked(start: ForkStart, again: AbstractSet[StepId], profile: str) -> tuple[StepId, ...]:
    """The chats whose words may be others, or that have no answer; what is only done once more has one."""
    is_asked_anew = start.asks_anew(profile)
    dependence = Dependence(start.flow, start.registry)
    answered = {one.step for one in start.old.entries if isinstance(one.event, ChatAnswered | EmbedAnswered)}
    moved = {step for step in again if dependence.is_touched(step, start.different)}
    found: dict[StepId, None] = {}
    for entry in start.old.entries:
        owner = owner_of(entry.step)
        if not isinstance(entry.event, ChatRequested | EmbedRequested) or owner not in again:
            continue
        if entry.step in start.calls.done:
            continue
        if owner in moved or entry.step not in answered or is_asked_anew(entry.step, entry.event):
            found[entry.step] = None
    return tuple(found)


def _effects(start: ForkStart, state: RunState, again: AbstractSet[StepId]) -> tuple[StepId, ...]:
    """What changed something outside and would do so again."""
    steps = [
        step.id
        for step, kind in node_steps(state, start.flow, start.registry)
        if kind.effect is Effect.SIDE_EFFECT and step.id in again and step.status is not StepStatus.SKIPPED
    ]
    calls = [
        entry.step
        for entry in start.old.entries
        if isinstance(entry.event, ToolCalled)
        and entry.event.effect == Effect.SIDE_EFFECT
        and owner_of(entry.step) in again
        and entry.step not in start.calls.done
    ]
    return tuple(dict.fromkeys([*steps, *calls]))
