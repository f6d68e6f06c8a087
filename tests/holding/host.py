"""The run host."""

from collections.abc import Sequence

from studio.app.runs import run_host
from tests.holding import add_kind


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the window at the other end, as the host does."""
    add_kind()
    return run_host.main(argv)
