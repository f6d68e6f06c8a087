"""When the probes of a flow do their work, in the engine and in its script, each in a time of its own."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from tests.export.random_flows import Followed, follow
from tests.reference import probes
from tests.reference.clock import run_virtually
from tests.reference.generator import Case
from tests.reference.running import run_case
from tests.runtime.bench import Ran


@dataclass
class Moments:
    """When each probe spoke, in seconds, and when all was over."""

    spoke: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    over: float = 0

    def run(self, work: Any) -> Any:
        """Run to the end, and note when that was."""

        async def timed() -> Any:
            try:
                return await work
            finally:
                self.over = round(asyncio.get_running_loop().time(), 3)

        return run_virtually(timed())

    def note(self, name: str, flaky: int) -> bool:
        """Note that a probe speaks; what it says is not changed by it."""
        self.spoke.append((name, round(asyncio.get_running_loop().time(), 3)))
        return _stumbles(name, flaky)


_stumbles = probes.stumbles


def moments_of_run(case: Case) -> tuple[Ran, Moments]:
    """Run a flow in the engine."""
    moments = Moments()
    return _watched(moments, lambda: moments.run(run_case(case))), moments


def moments_of_script(case: Case) -> tuple[Followed, Moments]:
    """Run a flow's script."""
    moments = Moments()
    return _watched(moments, lambda: follow(case, moments.run)), moments


def assert_overlapping(case: Case, seconds: float) -> tuple[Ran, Followed]:
    """Run it both ways: each probe speaks when it does in the engine, and all is over after `seconds`."""
    ran, engine = moments_of_run(case)
    ended, script = moments_of_script(case)
    assert ran.outcome is not None
    assert (engine.over, sorted(engine.spoke)) == (script.over, sorted(script.spoke))
    assert script.over == seconds
    if ran.outcome.error is None:
        assert ended.ended.outputs == dict(ran.outcome.outputs)
    return ran, ended


def _watched(moments: Moments, work: Callable[[], Any]) -> Any:
    """Do something of which all pauses before another attempt are equally long."""
    with (
        patch.object(probes, "stumbles", moments.note),
        patch.object(random, "uniform", max),
    ):
        return work()
