"""How often flows are right, and what that takes, under simulated solvers; on a clock that does not wait."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import cast

from studio.app.measurements.measured_flow import MeasuredFlow, copy_of_files
from studio.errors import UsageError
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.solver_chats import SolverChats
from studio.experiments.statistics import Difference, Interval, Kind, Rows, bare_mean, difference, mean_of
from studio.experiments.timeless import TimelessBox
from studio.flow.records import Json
from studio.host.recorded import RunMaterials, run_recorded
from studio.ids import RunId
from studio.llm.client import ChatProfile
from studio.llm.solvers.problems import Problem, Problems
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outcome, Outside, RunSpec
from studio.runtime.virtual_clock import VirtualLoop
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeBox
from studio.trace.events import ChatAnswered, Entry
from studio.workspace.profiles import find_profile
from studio.workspace.project import Project

QUESTION, ANSWER = "question", "answer"
"""The flow input and the flow output of a flow that is measured."""

ALIKE = 0.1
"""By how much of the other's tokens two budgets may differ and count as equal."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One problem, given to one flow once; `failed` says why the run failed, if it did."""

    problem: str
    run: int
    is_right: bool
    said: str
    failed: str = ""
    chats: int = 0
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One flow with its trials; in all flows of a measurement they are of the same problems, in one order."""

    flow: str
    """Its path in the project."""
    title: str
    trials: Sequence[Trial]
    rows: Kind = "sample"
    """Whether the problems stand for others like them, or are all that there are."""

    @property
    def accuracy(self) -> Interval:
        """The share of trials in which it was right; problems are the unit, however often each was run.

        Without the library that tells it, its interval is infinite.
        """
        return accuracy_of(self.trials, self.rows)

    def mean(self, what: str) -> float:
        """Give the `chats`, `tokens`, `dollars` or `seconds` of a problem on average."""
        return fmean(cast("float", getattr(one, what)) for one in self.trials)

    def against(self, other: "Measured") -> Difference:
        """By how much more often it is right than another, paired by problem.

        Raises `StatisticsMissingError` without the library that tells it.
        """
        return difference(_by_problem(self.trials), _by_problem(other.trials), self.rows)

    def times_the_tokens_of(self, other: "Measured") -> float:
        """How large its budget is beside another's."""
        return self.mean("tokens") / max(other.mean("tokens"), 1.0)

    def costs_as_much_as(self, other: "Measured") -> bool:
        """Whether the two used about the same number of tokens."""
        return abs(self.times_the_tokens_of(other) - 1) <= ALIKE


@dataclass(frozen=True, slots=True)
class Measurement:
    """Flows side by side; the first is what the others are held against."""

    chat: str
    seed: int
    runs: int
    problems: int
    flows: Sequence[Measured] = field(default_factory=list[Measured])

    def to_json(self) -> dict[str, object]:
        """Give all of it but the single trials."""
        first = self.flows[0]
        given = {"chat": self.chat, "seed": self.seed, "runs": self.runs, "problems": self.problems}
        return {**given, "flows": [_plain(one, first) for one in self.flows]}


def accuracy_of(trials: Sequence[Trial], kind: Kind = "sample") -> Interval:
    """Give the share of trials that were right, with its interval where that can be told."""
    rows = _by_problem(trials)
    try:
        return mean_of(rows, kind)
    except StatisticsMissingError:
        return bare_mean(rows)


def _by_problem(trials: Sequence[Trial]) -> Rows:
    found: dict[str, list[float]] = {}
    for one in trials:
        found.setdefault(one.problem, []).append(float(one.is_right))
    return found


def measure(
    flows: Sequence[Path],
    problems: Path,
    *,
    environ: Mapping[str, str],
    chat: str = "",
    runs: int = 1,
    seed: int = 1,
    rows: Kind = "sample",
    on_flow: Callable[[str], None] = lambda _: None,
) -> Measurement:
    """Give each problem to each flow, `runs` times; all flows of one project, by a simulated chat profile.

    In the same run of the same problem all flows have the same luck, as far as they ask the same agents.
    The problems are a sample of others like them, or, as `rows` says, fixed: all that there are.
    `on_flow` is told which flow comes next. Raises `UsageError` where something can't be measured,
    `ProjectError` and `FlowFileError` where it can't be read.
    """
    project = Project.open(flows[0])
    known = Problems.load(problems)
    profile = solver_profile(project, chat)
    opened = [MeasuredFlow.open(path, project, (QUESTION, ANSWER)) for path in flows]
    measured: list[Measured] = []
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, copy_of_files(project, opened) as root:
        for one in opened:
            on_flow(one.name)
            chats = SolverChats(project, profile, environ)
            trials = runner.run(_tried(one, chats, list(_each(known, runs)), seed, root))
            measured.append(Measured(one.name, one.flow.name, trials, rows))
    return Measurement(profile.name, seed, runs, len(known), measured)


def solver_profile(project: Project, name: str = "") -> ChatProfile:
    """Give the simulated profile called `name`; without a name the project's default, or its only one."""
    simulated = [one for one in project.profiles.values() if one.provider == "simulated"]
    default = project.profiles.get(project.default_profile)
    if not name and default in simulated:
        return default
    if not name and len(simulated) == 1:
        return simulated[0]
    if not name:
        if simulated:
            names = ", ".join(f"`{one.name}`" for one in simulated)
            raise UsageError(f"Several chat profiles are simulated: {names}.", hint="Name one with `--chat`.")
        hint = "Describe solvers in `project.json`, and name them with `--chat`."
        raise UsageError("The project has no simulated chat profile.", hint=hint)
    found = find_profile(project, name)
    if found.provider != "simulated":
        hint = "An evaluation runs a flow hundreds of times, so it uses simulated solvers only."
        raise UsageError(f"The chat profile `{name}` is not simulated.", hint=hint)
    return found


def _each(problems: Problems, runs: int) -> Iterator[tuple[Problem, int]]:
    return ((problem, run) for run in range(1, runs + 1) for problem in problems)


async def _tried(
    one: MeasuredFlow, chats: SolverChats, trials: Sequence[tuple[Problem, int]], seed: int, root: Path
) -> list[Trial]:
    async with _box() as box, chats:
        return [await _trial(one, chats, problem, run, f"{seed}/{run}", root, box) for problem, run in trials]


async def _trial(
    one: MeasuredFlow,
    chats: SolverChats,
    problem: Problem,
    run: int,
    luck: str,
    root: Path,
    box: CodeBox,
) -> Trial:
    answers: list[ChatAnswered] = []

    def note(entries: Sequence[Entry]) -> None:
        answers.extend(one.event for one in entries if isinstance(one.event, ChatAnswered))

    spec = RunSpec(RunId("measured"), one.flow, {QUESTION: problem.question}, flows=one.flows)
    materials = RunMaterials(spec, one.registry, chats.on_trial(luck, problem), Outside(root))
    loop = asyncio.get_running_loop()
    began = loop.time()
    outcome = await run_recorded(materials, note, lambda _: OpenGate(), NoPeople(), box=box)
    said = "" if outcome.error else _text(outcome.outputs.get(ANSWER))
    return Trial(
        problem.id,
        run,
        problem.stated_in(said) == problem.answer,
        said,
        _why(outcome),
        len(answers),
        sum(each.tokens for each in answers),
        sum(each.cost or 0.0 for each in answers),
        loop.time() - began,
    )


def _why(outcome: Outcome) -> str:
    return outcome.error.message if outcome.error else ""


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


@asynccontextmanager
async def _box() -> AsyncGenerator[CodeBox]:
    async with WasmBox() as box:
        yield TimelessBox(box)


def _plain(one: Measured, first: Measured) -> dict[str, object]:
    found = one.accuracy
    plain: dict[str, object] = {
        "flow": one.flow,
        "title": one.title,
        "trials": len(one.trials),
        "accuracy": round(found.value, 4),
        "interval": _ends(found),
        "failed": sum(bool(each.failed) for each in one.trials),
        "chats": round(one.mean("chats"), 2),
        "tokens": round(one.mean("tokens"), 1),
        "dollars": round(one.mean("dollars"), 6),
        "seconds": round(one.mean("seconds"), 2),
    }
    if one is not first:
        plain["difference"] = round(found.value - first.accuracy.value, 4)
        plain["difference_interval"] = plain["chance"] = None
        with suppress(StatisticsMissingError):
            told = one.against(first)
            plain["difference_interval"], plain["chance"] = _ends(told.interval), round(told.chance, 4)
        plain["times_the_tokens"] = round(one.times_the_tokens_of(first), 3)
        plain["is_equal_budget"] = one.costs_as_much_as(first)
    return plain


def _ends(found: Interval) -> list[float] | None:
    """From where to where a figure may be; None where nobody can tell."""
    return [round(found.low, 4), round(found.high, 4)] if found.is_told else None
