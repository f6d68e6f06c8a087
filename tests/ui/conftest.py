"""What holds for every test with widgets."""

from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """The platform without a display says of every window that it cannot pass its least size on."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints"))
