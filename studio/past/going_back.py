"""What a window asks a run host to do with an earlier run, made ready."""

from collections.abc import Mapping
from pathlib import Path

from studio.flow import codec
from studio.host.protocol import RunAgain
from studio.host.recorded import RunMaterials
from studio.ids import PortName, StepId
from studio.llm.queue import ChatQueues
from studio.past.fork_wishes import Fork, Setting
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms, prepare_replay
from studio.past.resumption import prepare_resume
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets


def prepare_again(
    asked: RunAgain,
    registry: Registry,
    environ: Mapping[str, str],
    queues: ChatQueues | None = None,
    keys: Secrets | None = None,
) -> RunMaterials:
    """Make ready a replay, a fork, or a run that goes on; raises `StepwireError`."""
    store = RunStore(Project.open(Path(asked.project)).private)
    old = OldRun.read(store, asked.origin)
    terms = Terms(
        environ,
        asked.is_live,
        asked.repeats,
        asked.profile,
        asked.limits,
        asked.run,
        frozenset(StepId(one) for one in asked.repeated),
        frozenset(StepId(one) for one in asked.happened),
        queues,
        keys,
    )
    if asked.how == "resume":
        return prepare_resume(old, store, registry, terms)
    if asked.how == "replay":
        return prepare_replay(old, registry, terms)
    values = [Setting(StepId(step), PortName(port), value) for step, port, value in asked.values]
    flow = codec.loads(asked.flow).flow if asked.flow else None
    flows = {name: codec.loads(text).flow for name, text in asked.flows.items()} if asked.flow else None
    fork = Fork(asked.step, values, flow, asked.inputs or {}, flows, asked.pins)
    return prepare_fork(old, registry, fork, terms)
