"""Scripts are played in forked processes: to load what they load takes most of the time of a verification."""

import subprocess
from collections.abc import Generator
from types import SimpleNamespace

import pytest

from studio.app import verification
from tests.forked_players import forked_player


@pytest.fixture(autouse=True, scope="session")
def players_are_forked() -> Generator[None]:
    """Have all that these tests verify played so; those of the command line start the product's own."""
    given = SimpleNamespace(run=forked_player, TimeoutExpired=subprocess.TimeoutExpired)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "subprocess", given)
        yield
