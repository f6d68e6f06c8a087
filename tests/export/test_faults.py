"""Whatever a provider does, a script ends as a run does: with the same error, and nothing half done."""

from pathlib import Path

import pytest

from studio.llm.scripted_answers.faults import FAULTS
from tests import examples
from tests.export.equality import Row, both
from tests.runtime.provider import EXECUTED, FLOWS, SCRIPT, STRUCTURES, Endpoint
from tests.runtime.virtual_time import run_virtually

ENDLESS = {"endless-stream", "endless-line"}
"""What is said until a cap on bytes ends it: megabytes, which the tests of the client are content with."""


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_script_ends_as_a_run_does(structure: str, tmp_path: Path) -> None:
    row = Row(STRUCTURES[structure], flows=FLOWS)
    for fault in sorted(set(FAULTS) - ENDLESS)[:: 3 if examples.ARE_FEW else 1]:
        EXECUTED.arguments.clear()
        found = both(
            row,
            tmp_path,
            make_client=lambda fault=fault: Endpoint(SCRIPT, [fault]).client(),
            run=run_virtually,
        )
        assert (fault, found.differences()) == (fault, [])
        done = EXECUTED.arguments
        assert done[: len(done) // 2] == done[len(done) // 2 :], fault
