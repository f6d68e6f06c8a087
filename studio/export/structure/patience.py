"""Which steps are waited for: those that are tried again, or for some time only, and those that take any."""

import inspect

from studio.export.structure.outputs import BY_RULE
from studio.export.structure.presence import Block
from studio.export.structure.readings import Readings
from studio.ids import NodeId


def try_of(block: Block) -> str:
    """The key of the statement that the steps of a catch become."""
    return f"{block.catch}!try"


def is_coroutine(readings: Readings, node: NodeId) -> bool:
    """Whether what a step calls is waited for."""
    function = readings.chart.type_of(node).function
    return inspect.iscoroutinefunction(function) or readings.called(node) is not None


def has_patience(readings: Readings, node: NodeId) -> bool:
    """Whether a step is tried again, or stopped after some time."""
    run = readings.chart.record(node).run
    if readings.chart.record(node).kind == BY_RULE or not readings.may_fail(node):
        return False
    return bool(run.retries) or run.time_limit is not None


def takes_time(readings: Readings, step: str) -> bool:
    """Whether a step, a loop or map, or a `try` waits for anything; `step` is the key of its statement.

    It is found once: each body around a step asks for it, so maps in maps would ask thrice as often a level.
    """
    known = readings.patience
    if step not in known:
        known[step] = _takes_time(readings, step)
    return known[step]


def _takes_time(readings: Readings, step: str) -> bool:
    if NodeId(step) not in readings.chart.flow.nodes:
        blocks = readings.shelters.blocks.values()
        return any(
            takes_time(readings, one) for block in blocks if try_of(block) == step for one in block.steps
        )
    node = NodeId(step)
    region = readings.chart.owned.get(node)
    if readings.chart.record(node).run.state:
        return False
    if region is not None:
        return any(takes_time(readings, one) for one in region.body)
    if node in readings.racers:
        return True
    return is_coroutine(readings, node) or has_patience(readings, node)
