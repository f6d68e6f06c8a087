"""What no script can say of loops and maps is refused, and never left out."""

from typing import Any

import pytest

from studio.app.exporting import export_flow
from studio.errors import ExportError
from tests.app.test_remedies import LOOP, LOOP_WIRES, MAP, MAP_WIRES, told
from tests.runtime.bench import REGISTRY, flow_of


@pytest.mark.parametrize(
    ("node", "run", "said"),
    [
        ("rounds", {"time_limit": 3}, "a loop with a time limit"),
        ("rounds", {"on_error": "default", "default": "none"}, "a loop with an error policy"),
        ("each", {"time_limit": 3}, "a For each with a time limit"),
        ("all", {"on_error": "default", "default": []}, "a Collect with an error policy"),
    ],
)
def test_limits_and_policies_of_loops_and_maps_are_refused(node: str, run: dict[str, Any], said: str) -> None:
    nodes, wires = (LOOP, LOOP_WIRES) if node == "rounds" else (MAP, MAP_WIRES)
    with pytest.raises(ExportError, match=said):
        export_flow(flow_of(told(nodes, node, run), wires), registry=REGISTRY)
