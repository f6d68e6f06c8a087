"""A script gives what the engine gives, asks for the same, does the same, and fails of the same."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow
from studio.ids import NodeId
from tests.export.equality import Row, both, row
from tests.export.kinds import KINDS
from tests.export.tables import (
    agents,
    areas,
    calls,
    checks,
    collects,
    conversations,
    conversions,
    deciding_teams,
    items,
    kept_by_agents,
    language_models,
    lent,
    memories,
    races,
    remembering_agents,
    state,
    structures,
    teams,
    values,
)

TABLES: Mapping[str, Mapping[str, Row]] = {
    one.__name__.rpartition(".")[2].replace("_", " "): one.ROWS
    for one in (
        *(agents, areas, calls, checks, collects, conversations, conversions, deciding_teams),
        *(
            items,
            kept_by_agents,
            language_models,
            lent,
            memories,
            races,
            remembering_agents,
            state,
            structures,
            teams,
            values,
        ),
    )
}
ROWS = {f"{table}: {name}": row for table, rows in TABLES.items() for name, row in rows.items()}


@pytest.mark.parametrize("name", ROWS)
def test_a_script_gives_and_does_what_the_engine_does(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    assert both(row, tmp_path).differences() == []


def test_teams_decide_as_their_members_say(tmp_path: Path) -> None:
    for name, reply in deciding_teams.REPLIES.items():
        assert both(deciding_teams.ROWS[name], tmp_path).engine.outputs["gives_reply"] == reply


# --- nodes that are out of use -------------------------------------------------------------------------

TAKEN = {
    "structures: joined ways": ("long", "shout", "either", "all", "glue", "out"),
    "structures: conversions": ("num", "file", "out"),
    "collects: two policies, the error read, a failure": ("read", "some"),
    "items: failed items are left out": ("each", "note", "way", "all"),
    "items: a map in a loop": ("rounds", "each", "note"),
}


def out_of_use(flow: Flow, node: str, state: str) -> Flow:
    """The flow, one of its nodes not in use."""
    record = flow.nodes[NodeId(node)]
    run = record.run.model_copy(update={"state": state})
    return replace(flow, nodes={**flow.nodes, NodeId(node): record.model_copy(update={"run": run})})


LEFT_OUT = {
    f"{node} {state} of {name}": replace(ROWS[name], flow=changed)
    for name, nodes in TAKEN.items()
    for node in nodes
    for state in ("muted", "bypassed")
    if not errors_of(check(changed := out_of_use(ROWS[name].flow, node, state), KINDS))
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_out_of_use_is_so_in_a_script(name: str, tmp_path: Path) -> None:
    assert both(LEFT_OUT[name], tmp_path).differences() == []


def test_most_nodes_can_be_taken_out_of_use() -> None:
    assert len(LEFT_OUT) > sum(map(len, TAKEN.values())) * 3 // 2


def test_what_plain_python_computes_fails_as_python_does(tmp_path: Path) -> None:
    """A formula is no step in a script, so that nobody but the script is blamed."""
    nodes = {
        "n": ("io.flow_input", {"type": "number"}),
        "made": ("value.formula", {"formula": "1 / n"}),
        "out": "io.flow_output",
    }
    found = both(row(nodes, ["n.value -> made.n", "made.value -> out.value"], {"n": 0}), tmp_path)
    assert found.script.outcome is not None
    assert found.script.outcome.error is not None
    assert found.script.outcome.error.error == "ZeroDivisionError"
