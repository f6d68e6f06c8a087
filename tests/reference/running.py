"""Runs a random flow on the engine, and reads what happened out of its entries."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from studio.ids import RunId, StepId
from studio.llm.client import Caller, ChatAnswer, ChatRequest, Message, Usage
from studio.runtime.gates.debug_gate import Gate, OpenGate
from studio.runtime.limits.accounts import Ledger
from studio.runtime.recorder import MemorySink, Recorder, Sink
from studio.runtime.replay.past import Past
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import About, Outside, RunSpec, RunTools, execute
from studio.trace.events import Entry
from tests.reference.generator import Case
from tests.reference.interpreter import Result, Told
from tests.reference.probes import WORLD, World, replied
from tests.runtime.bench import Ran

ENDS = {"step_finished", "step_failed", "step_skipped", "step_cancelled"}


class Chats:
    """A chat client whose answers depend on the question alone, and take their time."""

    async def answer(
        self,
        request: ChatRequest,
        *,
        on_text: Callable[[str], None] | None = None,
        caller: Caller | None = None,
    ) -> ChatAnswer:
        """Answer, and keep account of who bought it."""
        question = request.messages[-1].content
        word, seconds = replied(question)
        await asyncio.sleep(seconds)
        if on_text is not None:
            on_text(word)
        assert caller is not None
        place = f"{caller.scope}/{caller.node}" if caller.scope else caller.node
        WORLD.get().bought.append(f"{place}: {question}")
        return ChatAnswer(Message("assistant", word), usage=Usage(3, 1))

    async def close(self) -> None:
        """Nothing to release."""


@dataclass
class Setup:
    """How a run differs from the plainest: its gate, what it goes back to, where its entries go."""

    make_gate: Callable[[Recorder], Gate] = lambda _: OpenGate()
    past: Past | None = None
    world: World = field(default_factory=World)
    has_chats: bool = True
    sink: Sink | None = None
    after: int = 0
    quiet: frozenset[StepId] = frozenset()
    limits: dict[str, float] = field(default_factory=dict[str, float])
    goes_on: bool = False
    ledger: Ledger | None = None


async def run_case(case: Case, ran: Ran | None = None, setup: Setup | None = None) -> Ran:
    """Run a flow that passed `check` to its end."""
    ran, setup = ran or Ran(), setup or Setup()
    WORLD.set(setup.world)
    sink = setup.sink or MemorySink(ran.entries.append)
    recorder = Recorder(RunId("random"), sink, after=setup.after, quiet=setup.quiet)

    def chats(profile: str) -> Any:
        assert setup.has_chats, f"nobody may be asked, but `{profile}` was"
        return Chats()

    gate = setup.make_gate(recorder)
    tools = RunTools(
        case.registry, recorder, gate, chats, NoPeople(), Outside(Path()), setup.past, setup.ledger
    )
    spec = RunSpec(
        RunId("random"),
        case.flow,
        case.given,
        About(goes_on=setup.goes_on),
        limits=setup.limits,
        flows=case.flows,
    )
    ran.outcome = await execute(spec, tools)
    return ran


def told_by(entries: list[Entry]) -> dict[str, Told]:
    """What the entries say of every step: how it ended, what it read, what it gave."""
    steps: dict[str, Told] = {}
    for entry in entries:
        event = entry.event
        step = str(entry.step)
        if "#" in step:
            continue
        match event.kind:
            case "step_started":
                steps[step] = Told("started", {name: one.data for name, one in event.inputs.items()})
            case "step_finished":
                steps[step].status = "finished"
                steps[step].outputs = {name: one.data for name, one in event.outputs.items()}
            case "step_skipped":
                steps[step] = Told("skipped")
            case "step_failed":
                told = steps.setdefault(step, Told("failed"))
                told.status, told.error = "failed", event.message
            case "step_cancelled":
                steps.setdefault(step, Told("cancelled")).status = "cancelled"
            case _:
                pass
    return steps


def differences(ran: Ran, result: Result) -> list[str]:
    """Where the engine and the reference disagree, in words."""
    assert ran.outcome is not None
    found: list[str] = []
    error = ran.outcome.error
    if (error is None) != (not result.errors):
        found.append(f"the run: {error} against {result.errors}")
    elif error is not None and error.step not in result.errors:
        found.append(f"blamed: {error.step} is none of {sorted(result.errors)}")
    elif error is None and dict(ran.outcome.outputs) != _plain(result.outputs):
        found.append(f"outputs: {ran.outcome.outputs} against {result.outputs}")
    engine = told_by(ran.entries)
    for step in sorted({*engine, *result.steps}):
        one, other = engine.get(step), result.steps.get(step)
        if not _agree(one, other, is_sure=_is_sure(step, other, result)):
            found.append(f"{step}: {one} against {other}")
    return found


def _is_sure(step: str, told: Told | None, result: Result) -> bool:
    """Whether a step has ended, and as it would have by itself, whatever else happened."""
    is_late = result.until < inf if told is None else told.ended >= result.until
    is_cut = any(
        step.startswith(f"{scope}/") and (told is None or told.ended >= when) for scope, when in result.cuts
    )
    is_unsure = any(step == one or step.startswith(f"{one}/") for one in result.unsure)
    return not (is_late or is_cut or is_unsure)


def _agree(one: Told | None, other: Told | None, *, is_sure: bool) -> bool:
    """Whether the engine's `one` fits the reference's `other`; what is not sure may have ended early."""
    if other is not None and other.status == "stopped":
        return one is None or one.status in {"cancelled", "skipped"}
    if one is None or one.status == "cancelled":
        return not is_sure
    if other is None:  # a race may skip a step of which an error that ends the run lets nothing be known
        return not is_sure and one.status == "skipped"
    if not is_sure and one.status == "skipped":
        return True
    if one.status == "failed":
        if other.status in {"failed", "started"}:
            return other.error in {"", one.error}
        return not is_sure  # a loop or map that one of its steps ended, of which the reference goes on
    return (one.status, one.inputs, one.outputs) == (
        other.status,
        _plain(other.inputs),
        _plain(other.outputs),
    )


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    from studio.sdk.values import to_plain

    return {name: to_plain(one) for name, one in values.items()}
