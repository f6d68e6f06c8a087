"""A run host that hears of nothing any more, because a step holds its interpreter, is ended by the window."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.errors import StepwireError
from studio.host.client import HostClient
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_types
from tests.app.flows import SCRIPT
from tests.app.pumping import pump
from tests.app.written_projects import write_project
from tests.holding import HELD, LET_GO, holding
from tests.holding.kinds.test.hold import hold


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """What hosts that are started from now on find in their environment."""
    return {HELD: str(tmp_path / "held")}


@pytest.fixture
def application(tmp_path: Path, environ: dict[str, str]) -> Iterator[Application]:
    registry = Registry((*builtin_types(), node_type_of(hold)))
    spawn = partial(HostClient.spawn, environ, "tests.holding.host")
    made = Application(tmp_path / "config", {}, registry, spawn, is_warmed=False)
    yield made
    made.close()


@pytest.mark.parametrize("limits", [{}, {"seconds": 4}])
def test_stop_or_a_limit_of_time_ends_it_and_its_run_goes_on_when_told_to(
    application: Application, environ: dict[str, str], tmp_path: Path, limits: dict[str, float]
) -> None:
    told: list[StepwireError] = []
    application.on_notice(told.append)
    project = write_project(tmp_path / "trial", flow=holding("asleep"), script=SCRIPT, limits=limits)
    session = application.open(project)
    run = application.runs.start(session, {})
    pump(application, (tmp_path / "held").exists)
    environ[LET_GO] = "1"
    if not limits:
        run.cancel()
    pump(application, lambda: run.is_over)
    assert run.status is RunStatus.INTERRUPTED
    assert "did not stop by itself" in told[0].message
    again = application.runs.resume(session, run.run, limits={"seconds": 60})
    pump(application, lambda: again.status is RunStatus.FINISHED)
    assert again.state.outputs["answer"].data == "You asked: Why?"
