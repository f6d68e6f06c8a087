"""Runs a random flow on the engine, and reads what happened out of its entries."""

from pathlib import Path
from typing import Any

from studio.ids import RunId
from studio.runtime.gate import OpenGate
from studio.runtime.people import NoPeople
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.run import RunSpec, RunTools, execute
from studio.trace.events import Entry
from tests.reference.generator import Case
from tests.reference.interpreter import Result, Told
from tests.reference.probes import PROBES
from tests.runtime.bench import Ran

ENDS = {"step_finished", "step_failed", "step_skipped", "step_cancelled"}


async def run_case(case: Case, ran: Ran | None = None) -> Ran:
    """Run a flow that passed `check` to its end."""
    ran = ran or Ran()
    recorder = Recorder(RunId("random"), MemorySink(ran.entries.append))

    def no_chats(profile: str) -> Any:
        raise AssertionError(profile)

    tools = RunTools(PROBES, recorder, OpenGate(), no_chats, NoPeople(), Path())
    ran.outcome = await execute(RunSpec(RunId("random"), case.flow, case.given), tools)
    return ran


def told_by(entries: list[Entry]) -> dict[str, Told]:
    """What the entries say of every step: how it ended, what it read, what it gave."""
    steps: dict[str, Told] = {}
    for entry in entries:
        event = entry.event
        step = str(entry.step)
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
    elif error is None and dict(ran.outcome.outputs) != result.outputs:
        found.append(f"outputs: {ran.outcome.outputs} against {result.outputs}")
    engine = told_by(ran.entries)
    for step in sorted({*engine, *result.steps}):
        is_sure = error is None and not any(step.startswith(f"{scope}/") for scope in result.unsure)
        one, other = engine.get(step), result.steps.get(step)
        if not _agree(one, other, is_sure=is_sure):
            found.append(f"{step}: {one} against {other}")
    return found


def _agree(one: Told | None, other: Told | None, *, is_sure: bool) -> bool:
    """Whether the engine's `one` fits the reference's `other`; what is not sure may have ended early."""
    if one is None or one.status == "cancelled":
        return not is_sure
    if other is None:
        return False
    if one.status == "failed":
        if other.status in {"failed", "started"}:
            return other.error in {"", one.error}
        return not is_sure  # a loop or map that one of its steps ended, of which the reference goes on
    return (one.status, one.inputs, one.outputs) == (other.status, other.inputs, other.outputs)
