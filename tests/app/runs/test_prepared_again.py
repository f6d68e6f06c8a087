from collections.abc import Sequence

import pytest

from studio.errors import FlowProblemsError
from studio.flow.records import Node
from studio.sdk.registry import Registry
from studio.workspace.problems import refuse_errors
from tests.runtime.bench import REGISTRY, flow_of

FLOW = flow_of({"text": ("text.text", {"text": "a"}), "out": "io.flow_output"}, ["text.text -> out.value"])


class Looking(Registry):
    """Counts the nodes that were looked at."""

    looked = 0

    def problems(self, node: Node) -> Sequence[str]:
        self.looked += 1
        return super().problems(node)


def test_a_flow_that_was_found_without_errors_is_not_looked_at_again() -> None:
    registry = Looking(REGISTRY)
    refuse_errors(FLOW, registry)
    seen = registry.looked
    assert seen >= len(FLOW.nodes)
    refuse_errors(FLOW, registry)
    assert registry.looked == seen


def test_a_flow_with_errors_is_refused_each_time_and_another_is_looked_at() -> None:
    registry = Looking(REGISTRY)
    refuse_errors(FLOW, registry)
    broken = flow_of({"out": "io.flow_output"}, [])
    for _ in range(2):
        with pytest.raises(FlowProblemsError, match="cannot run"):
            refuse_errors(broken, registry)
