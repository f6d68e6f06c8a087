"""Which nodes of a flow a script says in plain Python, so that its runs have no steps of them."""

from functools import lru_cache

from studio.app.scripts.edits.node_values import PLAIN
from studio.app.scripts.edits.script_reader import read_script
from studio.app.scripts.edits.structure import SAID_IN_PYTHON
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.ids import NodeId


def in_python(script: str, flow: Flow) -> frozenset[NodeId]:
    """Give the nodes of a flow that its script says in plain Python: branches, merges, formulas.

    Nothing for a script that has no step of the flow, or cannot be read.
    """
    steps = _steps(script)
    if steps.isdisjoint(flow.nodes):
        return frozenset()
    return frozenset(
        node
        for node, record in flow.nodes.items()
        if node not in steps and (record.kind in SAID_IN_PYTHON or record.kind.startswith(PLAIN))
    )


@lru_cache(maxsize=8)
def _steps(script: str) -> frozenset[NodeId]:
    try:
        return frozenset(one.node for one in read_script(script).main.calls)
    except StepwireError:
        return frozenset()
