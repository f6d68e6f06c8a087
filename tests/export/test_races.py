"""Races that no script can run are refused by name."""

import pytest

from studio.app.exporting import export_flow
from studio.errors import ExportError
from tests.runtime.bench import REGISTRY, flow_of


def test_a_race_of_lanes_in_a_loop_in_a_map_is_refused() -> None:
    """What its rounds hand on depends on its failure, which depends on when the loop takes place."""
    read = "io.read_file"
    flow = flow_of(
        {
            "list": ("value.json", {"value": ["a", "b"]}),
            "each": "control.for_each",
            "begin": read,
            "rounds": ("control.loop", {"max_rounds": 2}),
            "read": read,
            "lane": read,
            "first": "control.race",
            "safe": "control.catch",
            "after": ("text.join", {}),
            "choose": (
                "control.branch",
                {"cases": [{"label": "Yes", "when": "value == 'x'"}, {"label": "No"}]},
            ),
            "seen": read,
            "all": ("control.collect", {"failed": "keep"}),
            "out": "io.flow_output",
        },
        [
            "list.value -> each.items",
            "each.item -> begin.path",
            "begin.text -> rounds.start",
            "rounds.value -> read.path",
            "read.text -> lane.path",
            "read.text -> first.values[0]",
            "lane.text -> first.values[1]",
            "rounds.round -> first.after",
            "first.value -> safe.value",
            "safe.value -> after.parts[0]",
            "safe.error -> after.parts[1]",
            "after.text -> choose.value",
            "choose.yes -> rounds.done",
            "choose.no -> rounds.again",
            "rounds.result -> seen.path",
            "seen.text -> all.value",
            "all.values -> out.value",
        ],
    )
    with pytest.raises(ExportError, match="“first” cannot be exported: only races between calls"):
        export_flow(flow, registry=REGISTRY)
