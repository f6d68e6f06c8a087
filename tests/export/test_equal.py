"""A script gives what the engine gives, asks for the same, does the same, and fails of the same."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.export.equality import Row, both
from tests.export.tables import (
    agents,
    areas,
    calls,
    checks,
    collects,
    conversations,
    deciding_teams,
    items,
    kept_by_agents,
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
        *(agents, areas, calls, checks, collects, conversations, deciding_teams, items, kept_by_agents),
        *(lent, memories, races, remembering_agents, state, structures, teams, values),
    )
}
ROWS = {f"{table}: {name}": row for table, rows in TABLES.items() for name, row in rows.items()}


@pytest.mark.parametrize("name", ROWS)
def test_a_script_gives_and_does_what_the_engine_does(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    assert both(row, tmp_path).differences() == []
