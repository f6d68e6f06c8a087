"""The application as tests of its runs need it."""

from collections.abc import Iterator

import pytest

from studio.app.compose import Application, compose
from tests.app.pumping import ENVIRON
from tests.forked_hosts import forked_host


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """One application for all of a module: to start a host takes a second."""
    made = compose(ENVIRON, tmp_path_factory.mktemp("config"), spawn=forked_host)
    yield made
    made.close()
