"""What writes scripts is left out of the inner loop: all but tests of one part of the exporter."""

from collections.abc import Generator
from pathlib import Path

import pytest

from studio.runtime.limits import pace
from tests.export.formatting import formatted_texts_are_kept
from tests.export.kinds import KINDS, kinds_of

__all__ = ["formatted_texts_are_kept"]

PARTS = {"test_literals"}


@pytest.fixture(autouse=True, scope="module")
def kinds_are_known() -> Generator[None]:
    """Let scripts call the node types of these tests."""
    with kinds_of(KINDS):
        yield


@pytest.fixture(autouse=True)
def nobody_makes_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let steps begin as soon as they can: which have, when one fails, is not to depend on the machine."""
    monkeypatch.setattr(pace, "BREATH", 60.0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.path.stem not in PARTS:
            item.add_marker(pytest.mark.script)
