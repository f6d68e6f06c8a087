"""When the probes of a flow do their work, in the engine and in its script, each in a time of its own."""

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from tests.export.equality import Both, played
from tests.reference import probes
from tests.reference.clock import run_virtually
from tests.reference.generator import Case
from tests.reference.running import run_case
from tests.runtime.bench import Ran

_stumbles = probes.stumbles


@dataclass
class Moments:
    """When each probe spoke, in seconds, and when all was over."""

    spoke: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    over: float = 0

    def run(self, work: Coroutine[Any, Any, Ran]) -> Ran:
        """Run to the end, all pauses before another attempt being equally long, and note when that was."""

        async def timed() -> Ran:
            try:
                return await work
            finally:
                self.over = round(asyncio.get_running_loop().time(), 3)

        with patch.object(probes, "stumbles", self._note), patch.object(random, "uniform", max):
            return run_virtually(timed())

    def _note(self, name: str, flaky: int) -> bool:
        """Note that a probe speaks; what it says is not changed by it."""
        self.spoke.append((name, round(asyncio.get_running_loop().time(), 3)))
        return _stumbles(name, flaky)


@dataclass(frozen=True)
class Watched:
    """A run of the engine and one of the script, and when what happened in them."""

    engine: Ran
    script: Ran
    in_engine: Moments
    in_script: Moments

    def differences(self) -> list[str]:
        """Where they give or do something else, or at another time."""
        found = Both(self.engine, self.script, "").differences()
        one, other = self.in_engine, self.in_script
        if one.over != other.over:
            found.append(f"over: {one.over} against {other.over}")
        if sorted(one.spoke) != sorted(other.spoke):
            found.append(f"spoke: {sorted(one.spoke)} against {sorted(other.spoke)}")
        return found


def watched(case: Case) -> Watched:
    """Run a flow both ways."""
    in_engine, in_script = Moments(), Moments()
    engine = in_engine.run(run_case(case))
    script, _ = played(case, in_script.run)
    return Watched(engine, script, in_engine, in_script)
