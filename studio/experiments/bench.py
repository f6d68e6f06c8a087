"""Where trials run in one process: the sandbox, the chat clients and the files that they share."""

import asyncio
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from studio.errors import StoreError, UsageError
from studio.experiments.datasets import Row, inputs_of
from studio.experiments.opening import OpenExperiment
from studio.experiments.run_outcomes import (
    Ran,
    cost_limit,
    is_at_limit,
    is_providers,
    spent_in,
    trial_of,
)
from studio.experiments.scorers import FlowScorer, ReadScorer, Seen, given_to
from studio.experiments.scores import UNSCORED, Score, score_of
from studio.experiments.solver_chats import SolverChats
from studio.experiments.timeless import TimelessBox
from studio.experiments.trials import Job, Outcome, Trial, TrialState, luck_of
from studio.experiments.variants import OpenVariant
from studio.flow.records import Flow, Json
from studio.host.recorded_run import RunMaterials
from studio.ids import RunId
from studio.kit.execution import Result, run_ready
from studio.kit.ready_flow import PreparedFlow
from studio.kit.tools import Tools
from studio.llm.client import ChatClient, ChatProfile
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import ChatQueues
from studio.past.replays import OldRun, Terms
from studio.past.resumption import prepare_resume
from studio.runtime.failures import describe
from studio.runtime.gates.faults import Fault, settled
from studio.runtime.limits.budget import LimitSpentError
from studio.runtime.virtual_clock import VirtualLoop
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeBox
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.store.reader import RunStore
from studio.store.retention import KEEP_ALL
from studio.store.run_files.whole_run import write_whole_run
from studio.trace.events import (
    Entry,
    RunFailed,
)
from studio.trace.fold.state import RunStatus
from studio.workspace.chats import shared_queues
from studio.workspace.inputs import check_inputs
from studio.workspace.runs import prepare, profiles_used


@dataclass(frozen=True, slots=True)
class _Asked:
    """A run that is wanted, of a variant or of a scorer."""

    run: RunId
    prepared: PreparedFlow
    profile: ChatProfile | None
    inputs: Mapping[str, Json]
    limits: Mapping[str, float]
    row: Row
    luck: str
    is_kept: bool
    faults: tuple[Fault, ...] = ()
    budget: float | None = None
    """US dollars that it may cost from now on, whatever its own limits are."""

    def limits_after(self, spent: float) -> dict[str, float]:
        """Give the limits of the run, of which so many US dollars are spent already."""
        limits = dict(self.limits)
        if self.budget is not None:
            limits["cost"] = min(limits.get("cost", inf), spent + self.budget)
        return limits


class Bench:
    """Runs and scores trials one by one or many at once; use as an async context manager.

    On a loop whose clock jumps (`studio.runtime.virtual_clock`) everybody that is asked answers in this
    process: a run is then written when it is over. Elsewhere each run is on disk before anything is bought,
    and one that was begun by a process that died goes on where it was.
    """

    def __init__(
        self, opened: OpenExperiment, environ: Mapping[str, str], *, is_free: bool, is_kept: bool = True
    ) -> None:
        self._opened = opened
        self._environ = environ
        self._is_free = is_free
        self._is_kept = is_kept
        self._store = RunStore(opened.project.private)
        self._chats = SolverChats(opened.project, environ)
        self._stack = AsyncExitStack()
        self._queues: ChatQueues | None = None
        self._box: CodeBox | None = None
        self._root = opened.project.root
        self._made: dict[tuple[int, str], RunMaterials] = {}
        self._problems = {one.id: one for one in opened.problems or ()}

    async def __aenter__(self) -> Self:
        box = await self._stack.enter_async_context(WasmBox())
        self._box = TimelessBox(box) if self._is_free else box
        if self._is_kept:
            self._store.make_folder()
        await self._stack.enter_async_context(self._chats)
        if any(_writes(one.prepared) for one in self._opened.variants.values()):
            folder = self._stack.enter_context(TemporaryDirectory(prefix="stepwire-trials-"))
            self._root = Path(folder) / "project"
            shutil.copytree(self._opened.project.root, self._root, ignore=shutil.ignore_patterns(".*"))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def trial(self, job: Job) -> Outcome:
        """Run a trial, or take what is known of it, and score it.

        A trial that failed for the flow's reasons scores 0, one that is not over is not scored.
        """
        opened = self._opened
        variant, row = opened.variants[job.cell.variant], opened.dataset.rows[job.cell.row]
        inputs = inputs_of(row, variant.fields, opened.experiment.dataset.inputs)
        trial, entries = job.known, None
        if trial is None:
            trial, entries = await self._tried(job, variant, row, inputs)
        scores: dict[str, Score] = {}
        seen = Seen(row, inputs, trial.outputs, cache(partial(self._entries, trial, entries)))
        for name in job.scorers if trial.state.is_over else ():
            scorer = opened.scorers[name]
            if trial.state is TrialState.FAILED:
                scores[name] = Score(0.0, ok=False, reason=f"The run failed: {trial.error}")
            elif isinstance(scorer, ReadScorer):
                scores[name] = _read(scorer, seen)
            else:
                scores[name] = await self._scored(scorer, job, trial, seen)
        return Outcome(trial, scores)

    def _entries(self, trial: Trial, entries: Sequence[Entry] | None) -> Sequence[Entry]:
        """Give all that happened in a trial, those of before from its run on the disk."""
        return entries or list(self._store.entries(RunId(trial.run)))

    async def _tried(
        self, job: Job, variant: OpenVariant, row: Row, inputs: Mapping[str, Json]
    ) -> tuple[Trial, Sequence[Entry]]:
        luck = luck_of(self._opened, job.cell.repeat)
        asked = _Asked(
            RunId(job.run),
            variant.prepared,
            variant.profile,
            inputs,
            variant.limits,
            row,
            luck,
            self._is_kept,
            variant.faults,
            job.budget,
        )
        ran = await self._ran(asked)
        trial = trial_of(job.cell.key, job.run, ran)
        if (
            job.budget is not None
            and is_at_limit(ran.entries)
            and trial.cost < variant.limits.get("cost", inf)
        ):
            trial = replace(trial, state=TrialState.STOPPED)
        return trial, ran.entries

    async def _scored(self, scorer: FlowScorer, job: Job, trial: Trial, seen: Seen) -> Score:
        try:
            given = given_to(scorer.given, seen)
            if isinstance(given, str):
                return Score(0.0, ok=False, reason=given)
            check_inputs(scorer.prepared.flow, scorer.prepared.registry, given)
        except (UsageError, StoreError) as error:  # a column has something else in this row
            return Score(None, None, f"{UNSCORED}{error.message}")
        if scorer.call is not None:
            try:
                return score_of(await scorer.call.outputs(given))
            except Exception as error:  # noqa: BLE001  # whatever a step may raise
                return Score(None, None, f"{UNSCORED}{describe(error).message}")
        luck = luck_of(self._opened, job.cell.repeat)
        run = scoring_run(trial.run, scorer)
        kept = scorer.asks and self._is_kept
        ran = await self._ran(_Asked(run, scorer.prepared, scorer.profile, given, {}, seen.row, luck, kept))
        found = trial_of(trial.key, run, ran)
        if found.state is not TrialState.DONE:
            return Score(None, None, f"{UNSCORED}{found.error}", run if kept else "")
        return score_of(found.outputs)._replace(run=run if kept else "", cost=found.cost, tokens=found.tokens)

    async def _ran(self, asked: _Asked) -> Ran:
        """Run to the end, or take what a process that died has left: a run that is over, or a part of one."""
        path = self._store.path(asked.run)
        earlier: Sequence[Entry] = ()
        materials: RunMaterials | None = None
        if asked.is_kept and path.is_file():
            with suppress(StoreError):
                old = OldRun.read_whole(self._store, asked.run)
                if self._is_settled(old, asked):
                    return Ran.of(old.entries)
                earlier = () if self._is_free else old.entries
                try:
                    materials = None if self._is_free else self._resumed(old, asked)
                except LimitSpentError as error:  # it was stopped when it had spent all that it may
                    return Ran.of(old.entries, refused=error.message)
            if materials is None:
                path.unlink()  # nothing in it was bought
        if materials is None:
            materials = self._begun(asked)
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            loop.rewind()  # the last digit of what it takes is then the same wherever it runs
        began = loop.time()
        result = await run_ready(materials, Tools(box=self._box))
        self._refuse_unstored(asked, result)
        if not self._is_free:
            return Ran.of([*earlier, *result.entries])
        seconds = loop.time() - began
        if asked.is_kept:
            summary = write_whole_run(self._store.path(asked.run), result.entries)
            return Ran(result.entries, seconds, summary)
        return replace(Ran.of(result.entries), seconds=seconds)

    def _refuse_unstored(self, asked: _Asked, result: Result) -> None:
        """Raise `StoreError` where a run failed since it could not be stored: the flow is not to blame."""
        error = result.error
        if error is None or error.error != StoreError.__name__ or self._is_free or not asked.is_kept:
            return
        with suppress(StoreError):
            if self._store.summary(asked.run).status is RunStatus.FAILED:
                return
        raise StoreError(error.message, hint=error.hint)

    def _is_settled(self, old: OldRun, asked: _Asked) -> bool:
        """Whether a run that is on disk is over, and its end says something of the flow."""
        status, last = self._store.summary(asked.run).status, old.entries[-1].event
        if status is not RunStatus.FAILED or not isinstance(last, RunFailed):
            return status is RunStatus.FINISHED
        if is_at_limit(old.entries):  # its own one, or what was left of the budget then
            return cost_limit(old.entries) == asked.limits.get("cost", inf)
        return not is_providers(last)

    def _begun(self, asked: _Asked) -> RunMaterials:
        """Make a run ready; once for each flow, where all answers come from this process."""
        if not self._is_free:
            return self._prepared(asked)
        key = id(asked.prepared), "" if asked.profile is None else asked.profile.name
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._prepared(asked)
            return made
        given = check_inputs(made.spec.flow, made.registry, asked.inputs)
        limits = {**self._opened.project.limits, **asked.limits_after(0.0)}
        seed = _seed(asked)
        faults = settled(asked.faults, seed)
        spec = replace(made.spec, run=asked.run, inputs=given, limits=limits, seed=seed, faults=faults)
        return self._answered(replace(made, spec=spec), asked)

    def _prepared(self, asked: _Asked) -> RunMaterials:
        flows = (asked.prepared.flow, *asked.prepared.flows.values())
        used = {name for one in flows for name in profiles_used(one, asked.prepared.registry)} - {""}
        used |= {asked.profile.name} if asked.profile is not None else set()
        materials = prepare(
            replace(asked.prepared.project, keeping=KEEP_ALL),  # a trial makes no other one go
            asked.prepared.flow,
            asked.prepared.registry,
            environ=self._environ,
            inputs=asked.inputs,
            profile=asked.profile.name if asked.profile is not None else next(iter(sorted(used)), ""),
            run=asked.run,
            limits=asked.limits_after(0.0),
            queues=self._shared_queues(),
            priority=Priority.BATCH.word,
            is_trial=True,
            client=None if used and not self._is_free else _NOBODY,
            seed=_seed(asked),
            is_kept=asked.is_kept and not self._is_free,
            faults=asked.faults,
            is_trusted=True,  # by who began the experiment
        )
        if asked.profile is not None:
            about = replace(materials.spec.about, profile=asked.profile.name)
            materials = replace(materials, spec=replace(materials.spec, about=about))
        return self._answered(materials, asked)

    def _resumed(self, old: OldRun, asked: _Asked) -> RunMaterials:
        limits = asked.limits_after(spent_in(old.entries))
        terms = Terms(
            self._environ, is_live=True, limits=limits, queues=self._shared_queues(), is_trusted=True
        )
        materials = prepare_resume(old, self._store, asked.prepared.registry, terms)
        spec = replace(materials.spec, seed=_seed(asked), saves_memories=False, limits=limits)
        return self._answered(replace(materials, spec=spec), asked)

    def _answered(self, materials: RunMaterials, asked: _Asked) -> RunMaterials:
        """Have solvers answer with the luck of the trial, and the run work on files that it may spoil."""
        others: Callable[[str], ChatClient] | None = None if self._is_free else materials.chats
        text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in asked.inputs.values())
        problem = self._problems.get(asked.row.id)
        chats = self._chats.on_row(asked.luck, asked.row.id, text, asked.profile, others, problem)
        outside = replace(materials.outside, root=self._root)
        ready = None if self._is_free else materials.ready
        return replace(materials, chats=chats, outside=outside, ready=ready)

    def _shared_queues(self) -> ChatQueues:
        if self._queues is None:
            self._queues = shared_queues(self._environ)
        return self._queues


class _Nobody:
    """Stands where a client is wanted before it is known which; nobody asks it."""

    async def answer(self, *_: object, **__: object) -> object:
        """Never called."""
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is open."""


_NOBODY: ChatClient = _Nobody()  # pyright: ignore[reportAssignmentType]


def _read(scorer: ReadScorer, seen: Seen) -> Score:
    try:
        return scorer.read(seen)
    except StoreError as error:
        return Score(None, None, f"{UNSCORED}{error.message}")


def scoring_run(run: str, scorer: FlowScorer) -> RunId:
    """Name the run by which a scorer scores the trial of a run."""
    return RunId(f"{run}-{scorer.digest[:6]}")


def runs_of(opened: OpenExperiment, job: Job) -> list[RunId]:
    """Name the runs that a job may have: its trial's, and those of scorers that ask somebody."""
    asking = (one for one in opened.scorers.values() if isinstance(one, FlowScorer) and one.asks)
    return [RunId(job.run), *(scoring_run(job.run, one) for one in asking)]


def _seed(asked: _Asked) -> int:
    """The chance of a run: of its repeat and its row, the same for all variants."""
    text = f"{asked.luck}/{asked.row.id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest())


def _writes(prepared: PreparedFlow) -> bool:
    """Whether a node of a flow, or of those that it calls, may write to files."""
    flows = (prepared.flow, *prepared.flows.values())
    return any(_has_side_effects(one, prepared.registry) for one in flows)


def _has_side_effects(flow: Flow, registry: Registry) -> bool:
    types = (registry.get(kind) for kind in {node.kind for node in flow.nodes.values()})
    return any(one is not None and one.effect is Effect.SIDE_EFFECT for one in types)
