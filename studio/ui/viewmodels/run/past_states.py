"""What the nodes of a flow say of a run that is over, without a window that shows it."""

from collections.abc import Mapping, Sequence

from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow
from studio.ids import NodeId, RunId
from studio.sdk.registry import Registry
from studio.trace.events import Entry
from studio.ui.canvas.document import NodeState
from studio.ui.viewmodels.run.node_states import NodeStates
from studio.ui.viewmodels.run.shown_run import Batch, ShownRun


def past_states(
    flow: Flow, registry: Registry, run: RunId, entries: Sequence[Entry]
) -> Mapping[NodeId, NodeState]:
    """Fold a run and give each node of `flow` that had a part in it its state at the run's end."""
    live, shown = LiveRun(run, flow), ShownRun()
    live.take(entries)
    shown.show(live)
    batches: list[Batch] = []
    shown.on_batch(batches.append)
    shown.flush()
    states = NodeStates(registry, shown)
    touched = {node for batch in batches for node in states.touched(flow, batch)}
    return {node: states.state_of(flow, node, None) for node in sorted(touched) if node in flow.nodes}
