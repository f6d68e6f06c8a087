"""The studio with one more kind of node, `test.hold`, which lets nothing else in its process go on."""

from pathlib import Path

import nodes

LET_GO = "STEPWIRE_TEST_LET_GO"
"""Where this is in the environment, the node gives its value on at once."""

HOLDING = "now it holds"
"""What the node says on standard error before it does."""


def add_kind() -> None:
    """Have the catalogue of this process find it."""
    nodes.__path__.append(str(Path(__file__).parent / "kinds"))
