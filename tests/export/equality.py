"""Runs a flow on the engine and as its script, in this process, and tells where the two differ."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from studio.app.scripts.check.differences import WHERE
from studio.export.script import make_script
from studio.flow.files.codec import in_order
from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows
from studio.ids import RunId
from studio.llm.client import ChatClient
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.resources.people import NoPeople, People
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.runtime.virtual_clock import VirtualLoop
from studio.sandbox.wasm import WasmBox
from studio.script.execution import drive_of
from studio.script.flow import Flow as ScriptFlow
from studio.sdk.registry import Registry
from studio.trace.events import ChatRequested, Entry, NodeMet, RunFailed, ToolCalled
from studio.trace.events.memories import MemoryWritten
from tests.export.kinds import KINDS
from tests.reference.generator import Case
from tests.reference.interpreter import Told
from tests.reference.probes import WORLD, World
from tests.reference.running import Chats, told_by
from tests.runtime.bench import Ran, flow_of
from tests.runtime.bench import run as run_engine
from tests.runtime.provider import Endpoint

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]


@dataclass(frozen=True)
class Row:
    """A flow of a table, and what a run of it is given."""

    flow: Flow
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    """Those that it may call."""
    rules: str = ""
    """What language models answer."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def row(nodes: Mapping[str, Any], wires: Sequence[str], given: Mapping[str, Any] | None = None) -> Row:
    """A row as most tables have it."""
    return Row(flow_of(nodes, wires), given or {})


@dataclass(frozen=True)
class Both:
    """A run of the engine, and one of the script."""

    engine: Ran
    script: Ran
    text: str
    """The script."""

    @property
    def outputs(self) -> Mapping[str, Any]:
        """What both give."""
        assert self.differences() == []
        return self.engine.outputs

    @property
    def error(self) -> str:
        """The class of the error that both end with."""
        assert self.differences() == []
        assert self.engine.outcome is not None
        return "" if self.engine.outcome.error is None else self.engine.outcome.error.error

    def differences(self) -> list[str]:
        """Where they disagree, in words."""
        return [
            *_unlike_ends(self.engine, self.script),
            *_unlike_deeds(self.engine.entries, self.script.entries),
        ]


def script_of(flow: Flow, flows: Mapping[str, Flow] | None = None, registry: Registry = KINDS) -> str:
    """The flow as a script."""
    return make_script(flow, registry.with_flows(GivenFlows(flows or {})), source_name="bench").text


def loaded(text: str, path: Path = Path("script.py")) -> ScriptFlow:
    """The flow of a script."""
    module = ModuleType("stepwire_played")
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102  # it is what is tested
    return module.__dict__["flow"]


def run_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, as `asyncio.run` would; what only waits takes no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


def both(
    row: Row,
    folder: Path,
    *,
    make_client: Callable[[], ChatClient] | None = None,
    make_people: Callable[[], People] = NoPeople,
    run: Run[Ran] = run_at_once,
    registry: Registry = KINDS,
    limits: Mapping[str, float] | None = None,
    homes: tuple[Path, Path] | None = None,
    has_box: bool = False,
    **outside: Any,
) -> Both:
    """Run a flow, as its file has it, drawn and as its script, each in a folder and time of its own."""
    row = replace(
        row, flow=in_order(row.flow), flows={name: in_order(one) for name, one in row.flows.items()}
    )
    known = registry.with_flows(GivenFlows(row.flows))
    text = make_script(row.flow, known, source_name="bench", limits=limits).text
    flow = loaded(text)
    make_client = make_client or (lambda: Endpoint(row.rules).client()) if row.rules or make_client else None
    found: list[Ran] = []
    for place, (document, flows) in enumerate(((row.flow, row.flows), (flow.document, flow.flows))):
        home = homes[place] if homes is not None else folder / ("engine", "script")[place]
        if homes is None and row.files:
            lay_out(home, row.files)
        told: dict[str, Any] = {
            "flows": flows,
            "root": home,
            "registry": registry,
            "people": make_people(),
            "limits": limits,
            "seed": 1,
            **outside,
        }
        if make_client is not None:
            told["client"] = make_client()
        if place:
            told |= {"drive": drive_of(flow), "node_limits": flow.node_limits}
        found.append(
            run(_in_box(document, row.given, told) if has_box else run_engine(document, row.given, **told))
        )
    return Both(found[0], found[1], text)


async def _in_box(document: Flow, given: Mapping[str, Any], told: Mapping[str, Any]) -> Ran:
    async with WasmBox() as box:
        return await run_engine(document, given, box=box, **told)


def lay_out(home: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


def timeless(value: object) -> str:
    """A value as text, without moments of the day."""
    return _MOMENT.sub("then", json.dumps(value, sort_keys=True, default=str))


def _unlike_ends(engine: Ran, script: Ran) -> Iterator[str]:
    assert engine.outcome is not None
    assert script.outcome is not None
    one, other = engine.outcome.error, script.outcome.error
    if (one is None) != (other is None):
        yield f"the run: {one} against {other}"
    elif one is None or other is None:
        if timeless(engine.outcome.outputs) != timeless(script.outcome.outputs):
            yield f"outputs: {engine.outcome.outputs} against {script.outcome.outputs}"
    elif told_of(one) != told_of(other):
        yield f"the error: {one} against {other}"


def told_of(error: RunFailed) -> tuple[int, str, str, str]:
    """What an error says and whom it blames, by its id: of items that fail alike, whichever was first."""
    return (
        error.exit_code,
        error.error,
        unscoped(error.step),
        error.message.partition("` failed: ")[2] or WHERE.sub("", error.message),
    )


def _unlike_deeds(engine: Sequence[Entry], script: Sequence[Entry]) -> Iterator[str]:
    """Where what they asked, called, remembered and did differs."""
    # Where a run fails, what else was under way may have been remembered or not.
    fails = any(entries[-1].event.kind == "run_failed" for entries in (engine, script))
    for what in (requests,) if fails else (requests, remembered):
        one, other = Counter(what(engine)), Counter(what(script))
        if one != other:
            more, less = list((one - other).elements()), list((other - one).elements())
            yield f"{what.__name__}: {more} against {less}"
    yield from unlike_steps(engine, script)


def requests(entries: Iterable[Entry]) -> Iterator[str]:
    """What was asked of language models and tools, each with its step."""
    for entry in entries:
        step = str(entry.step).partition("#")[0]
        match entry.event:
            case ChatRequested():
                yield f"{step}: {timeless(entry.event.request)}"
            case ToolCalled():
                yield f"{step}: {entry.event.tool} {timeless(entry.event.arguments)}"
            case _:
                pass


def remembered(entries: Iterable[Entry]) -> Iterator[str]:
    """What was written to memories, each with its step."""
    for entry in entries:
        if isinstance(entry.event, MemoryWritten):
            item: Any = entry.event.item.data
            told = timeless(item.get("text", item["id"]))
            yield f"{str(entry.step).partition('#')[0]}: {entry.event.operation} {told}"


def unlike_steps(engine: Sequence[Entry], script: Sequence[Entry]) -> Iterator[str]:
    """Steps of one name that gave something else, and those of the engine that a script lacks.

    Where a run or an item fails, what else was under way may have ended or not.
    """
    one, other = told_by(list(engine)), told_by(list(script))
    kinds = {entry.event.node: entry.event.type for entry in script if isinstance(entry.event, NodeMet)}
    is_over = all(entry.event.kind != "run_failed" for entry in (*engine[-1:], *script[-1:]))
    for step in sorted({*one, *other}):
        mine, theirs = one.get(step), other.get(step)
        if mine is None:
            # A part that is left as it is drawn has ends of its own.
            is_end = kinds.get(unscoped(step)) in ENDS_OF_FLOWS or step.endswith("_happened")
            if is_over and not is_end:
                yield f"{step}: only the script has it"
        elif theirs is None:
            if mine.status == "finished" and is_over and unscoped(step) in kinds:
                yield f"{step}: only the engine has it"
        elif "finished" == mine.status == theirs.status:
            same = timeless(_read_and_given(mine)) == timeless(_read_and_given(theirs))
            if theirs.outputs and not same:
                yield f"{step}: {mine} against {theirs}"
        elif is_over and mine.status != theirs.status and "cancelled" not in {mine.status, theirs.status}:
            yield f"{step}: {mine} against {theirs}"


def _read_and_given(told: Told) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a step read and gave; of several lists a script does not tell that all were empty from none."""
    return {name: one for name, one in told.inputs.items() if one != []}, told.outputs


ENDS_OF_FLOWS = {"io.flow_input", "io.flow_output"}


def unscoped(step: str) -> str:
    """A step without the numbers of rounds, items and attempts."""
    return "/".join(re.split(r"[.@]", part)[0] for part in step.split("/"))


# --- random flows ------------------------------------------------------------------------------------------


async def run_script(flow: ScriptFlow, case: Case, ran: Ran) -> Ran:
    """Run a script as the engine's own tests run flows."""
    recorder = Recorder(RunId("random"), MemorySink(ran.entries.append))
    registry = KINDS.with_flows(GivenFlows(flow.flows))
    tools = RunTools(registry, recorder, OpenGate(), lambda _: Chats(), NoPeople(), Outside(Path()))
    spec = RunSpec(RunId("random"), flow.document, case.given, flows=flow.flows)
    ran.outcome = await execute(spec, tools, drive_of(flow))
    return ran


def played(case: Case, run: Run[Ran]) -> tuple[Ran, World]:
    """Run the script of a random flow; gives what became of it, and what it did to the world."""
    world, flow = World(), loaded(script_of(case.flow, case.flows))

    async def whole() -> Ran:
        WORLD.set(world)
        return await run_script(flow, case, Ran())

    return run(whole()), world
