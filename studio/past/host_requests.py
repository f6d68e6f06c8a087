"""What a window asks a run host to do with an earlier run, made ready."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from studio.flow.files import codec
from studio.host.protocol import Again, Fork, Replay, Resume, StartRun
from studio.host.recorded_run import RunMaterials
from studio.ids import PortName, StepId
from studio.llm.rate_limits.queue import ChatQueues
from studio.past.fork_wishes import Fork as Wishes
from studio.past.fork_wishes import Setting
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms, prepare_replay
from studio.past.resumption import prepare_resume
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets


def prepare_again(
    asked: StartRun,
    past: Again,
    registry: Registry,
    environ: Mapping[str, str],
    queues: ChatQueues | None = None,
    keys: Secrets | None = None,
) -> RunMaterials:
    """Make ready a replay, a fork, or a run that goes on; raises `StepwireError`."""
    store = RunStore(Project.open(Path(asked.project)).private)
    # A fork of a script's run goes on with the drawn flow, whose nodes have the names of its steps.
    old = OldRun.read_whole(store, past.origin) if isinstance(past, Fork) else OldRun.read(store, past.origin)
    terms = Terms(
        environ,
        profile=asked.answering.profile,
        limits=asked.limits,
        run=asked.run,
        queues=queues,
        keys=keys,
        is_trusted=True,  # by the window, which asks
    )
    match past:
        case Replay():
            return prepare_replay(old, registry, replace(terms, is_live=past.is_live))
        case Resume():
            repeated, happened = (frozenset(map(StepId, one)) for one in (past.repeated, past.happened))
            return prepare_resume(old, store, registry, replace(terms, repeated=repeated, happened=happened))
        case Fork():
            values = [Setting(StepId(step), PortName(port), value) for step, port, value in past.values]
            flow = codec.loads(asked.flow).flow if asked.flow else None
            flows = {name: codec.loads(text).flow for name, text in asked.flows.items()}
            if old.started.source is not None and flow is not None:
                old = old.on(flow, flows)
            wishes = Wishes(past.step, values, flow, asked.inputs, flows if asked.flow else None, asked.pins)
            return prepare_fork(old, registry, wishes, replace(terms, is_live=past.is_live))
