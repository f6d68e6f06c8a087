"""What writes scripts is left out of the inner loop: all but tests of one part of the exporter."""

from pathlib import Path

import pytest

from tests.export.formatting import formatted_texts_are_kept
from tests.export.playing_forked import players_are_forked

__all__ = ["formatted_texts_are_kept", "players_are_forked"]

PARTS = {
    *("test_binding", "test_command_line", "test_conditions", "test_folding", "test_judged_details"),
    *("test_literals", "test_schemas"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.path.stem not in PARTS:
            item.add_marker(pytest.mark.script)
