"""What the tests of the engine share."""

from pathlib import Path

import pytest

from tests.runtime import lent


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of the scripted answers that the test's module has as `SCRIPT`, or else of those of `lent`."""
    path = tmp_path / "answers.yaml"
    path.write_text(getattr(request.module, "SCRIPT", lent.SCRIPT), "utf-8")
    return path
