"""Forms are of scripts as everybody writes them: they know the library, and no node types of tests."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def kinds_are_known() -> None:
    """Add nothing to the library."""
