"""Runs of a script's flow, made ready: new ones, and those that go back to an earlier run of the script."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from studio.errors import UsageError
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId
from studio.runtime.failures import ScriptFailure, StepFailure
from studio.runtime.state.frame import Frame
from studio.runtime.values import FLOW, Value, apart, joined
from studio.script.inputs import parameters_of
from studio.script.lines import line_of
from studio.script.no_value import Failure, failed_of, nothing
from studio.script.parameters import input_of
from studio.script.place import NOWHERE, Lane, Place, standing
from studio.script.running import Plans, Running
from studio.script.step_names import CallError
from studio.script.titles import titles_of
from studio.script.written_flow import WrittenFlow, registry
from studio.sdk.values import to_plain

if TYPE_CHECKING:
    from studio.host.recorded_run import RunMaterials
    from studio.kit import Tools
    from studio.past.replays import OldRun, Terms
    from studio.runtime.run import Drive, Engine
    from studio.store.reader import RunStore
    from studio.trace.fold.state import RunState

_PLANS: WeakKeyDictionary[WrittenFlow, Plans] = WeakKeyDictionary()
"""What was planned in earlier runs of a flow."""


def new_run(
    flow: WrittenFlow, inputs: Mapping[str, Any], tools: "Tools", *, is_kept: bool = True
) -> "RunMaterials":
    """Open all that a run needs, and check what it is given; nothing has run yet.

    Raises `UsageError` for inputs that are missing or do not fit.
    """
    from studio.workspace.runs import prepare

    made = prepare(
        flow.home,
        flow.document,
        registry(),
        environ=tools.environ,
        inputs={name: to_plain(value) for name, value in inputs.items()},
        profile=tools.profile or flow.chat,
        client=tools.client,
        offline=tools.is_offline,
        limits={**flow.limits, **tools.limits},
        queues=tools.queues,
        priority=tools.priority.word,
        seed=tools.seed,
        is_kept=is_kept,
        is_trusted=True,  # by code that runs already
    )
    return driven(flow, made)


def terms_of(tools: "Tools") -> "Terms":
    """On what terms a run goes back to an earlier one."""
    from studio.past.replays import Terms

    return Terms(tools.environ, profile=tools.profile, limits=tools.limits, is_trusted=True)


def replay(flow: WrittenFlow, old: "OldRun", terms: "Terms") -> "RunMaterials":
    """Make an earlier run ready to be executed again: its answers come from the record."""
    from studio.past.replays import run_again
    from studio.runtime.replay.takeover import replayed
    from studio.trace.events.run import Origin

    past = replayed(old.entries, old.flow, registry(), is_live=terms.is_live)
    return driven(flow, run_again(old, registry(), terms, past, {}, Origin(old.run)))


def fork(flow: WrittenFlow, old: "OldRun", step: str, terms: "Terms") -> "RunMaterials":
    """Make a new run ready that does a step of an earlier one again, and all that had not ended before it.

    What Python makes of values leaves no trace of which step depends on which, so all that came later counts;
    the side effects among it are in doubt, as those of a drawn run that is forked. Raises `UsageError` for a
    step that the run does not have.
    """
    from studio.past.replays import run_again
    from studio.runtime.replay.takeover import begun_effects, resumed
    from studio.trace.events.run import Origin
    from studio.trace.fold.state import fold

    past, _ = resumed(old.until(step).entries, old.flow, registry(), repeats=terms.repeats)
    begun = begun_effects(fold(old.entries), old.flow, registry()) - past.kept.keys()
    past = replace(past, is_live=terms.is_live, doubtful_steps=past.doubtful_steps | begun)
    return driven(flow, run_again(old, registry(), terms, past, {}, Origin(old.run, step)))


def resume(flow: WrittenFlow, store: "RunStore", old: "OldRun", terms: "Terms") -> "RunMaterials":
    """Make an earlier run ready to go on where it ended; raises `UsageError` for one that has finished."""
    from studio.past.resumption import prepare_resume

    return driven(flow, prepare_resume(old, store, registry(), terms))


def earlier(flow: WrittenFlow, run: str) -> "tuple[RunStore, OldRun]":
    """Read an earlier run of a script.

    Raises `UsageError` for a run of something else, `AnswerMissingError` where the script has changed.
    """
    from studio.past.replays import OldRun
    from studio.store.reader import RunStore

    store = RunStore(flow.home.private)
    return store, OldRun.read(store, store.find(run), flow.source)


async def run_here(materials: "RunMaterials", tools: "Tools") -> "RunState":
    """Run what is ready to its end; gives what became of it."""
    from studio.runtime.resources.people import GivenAnswers, NoPeople
    from studio.workspace import runs

    people = tools.people or NoPeople(materials.spec.run)
    return await runs.run_here(materials, people=GivenAnswers(tools.answers, people))


def driven(flow: WrittenFlow, materials: "RunMaterials") -> "RunMaterials":
    """Let the function of a flow decide which steps there are, and call the drawn flows that it has."""
    spec = replace(materials.spec, source=flow.source, flows=flow.flows, node_limits=flow.node_limits)
    known = materials.registry.with_flows(GivenFlows(flow.flows)) if flow.flows else materials.registry
    return replace(materials, spec=spec, registry=known, drive=drive_of(flow))


def drive_of(flow: WrittenFlow) -> "Drive":
    """What runs the function on an engine; it raises `ScriptFailure`."""

    async def drive(engine: "Engine") -> Mapping[NodeId, Value]:
        running = Running(engine, _PLANS.setdefault(flow, {}))
        lane = Lane(joined(engine.given.values()) or FLOW)
        place = Place(running, Frame(NOWHERE, variables=engine.variables), lane)
        given = {str(node): apart(value.data) for node, value in engine.given.items()}
        arguments = {
            name: given[input_of(name)]
            for name in parameters_of(flow.body).signature.parameters
            if input_of(name) in given
        }
        try:
            with standing(place):
                async with running.opened:
                    result = await flow.body(**arguments)
        except asyncio.CancelledError as error:
            place.settle(error)
            raise
        except Exception as error:
            failed = _failed(error, running, flow)
            place.settle(error)
            raise failed from error
        place.settle()
        return _results(result, place)

    return drive


def _failed(error: Exception, running: Running, flow: WrittenFlow) -> ScriptFailure:
    """Why the function ended, with the line that did it, and what people call its nodes."""
    is_there = flow.file.is_file()  # not so for a function that was typed in
    line, titles = (line_of(error, flow.file), titles_of(flow)) if is_there else (0, {})
    if isinstance(error, CallError):
        error.call_it(titles.get(error.node, error.node))
    where = f"`{flow.file.name}`, line {line}: " if line else ""
    return ScriptFailure(error, running.failure(error), where, titles)


def _results(result: object, place: Place) -> dict[NodeId, Value]:
    if not isinstance(result, Mapping):
        raise UsageError(
            f"A flow gives its outputs by name, and this gave `{type(result).__name__}`.",
            hint='Return {"NAME": VALUE, …}.',
        )
    outputs: dict[NodeId, Value] = {}
    for name, value in cast("Mapping[object, object]", result).items():
        if isinstance(value, Failure):
            failed = failed_of(value)
            raise StepFailure(failed.step, failed.node, failed.error, failed.labels)
        if value is not nothing:
            outputs[NodeId(str(name))] = Value(to_plain(value), place.lane.labels)
    return outputs
