"""A run that is cancelled at any point ends soon, leaves no task behind, and ends every step it began."""

import asyncio
import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.reference.running import ENDS, run_case
from tests.runtime.bench import Ran

SOON = 0.2
"""Seconds of the processor that cancelling may take."""


@pytest.fixture(autouse=True)
def little_to_collect() -> None:
    """Look for no garbage among what thousands of tests left: that alone takes longer than cancelling may."""
    gc.collect()
    gc.freeze()


async def cancelled_after(case: Case, turns: int) -> Ran:
    """Run a flow for so many turns of the loop, and then cancel it."""
    ran = Ran()
    task = asyncio.create_task(run_case(case, ran))
    for _ in range(turns):
        await asyncio.sleep(0)
    before = time.process_time()
    task.cancel()
    await asyncio.wait([task], timeout=5)
    assert task.done()
    assert time.process_time() - before < SOON
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return ran


@random_flows
@given(cases(), st.integers(0, 60))
def test_wherever_a_run_is_cancelled_it_ends_soon_and_whole(case: Case, turns: int) -> None:
    if case.is_refused:
        return
    ran = asyncio.run(cancelled_after(case, turns))
    begun = {entry.step for entry in ran.entries if entry.event.kind in {"step_ready", "step_started"}}
    ended = [entry.step for entry in ran.entries if entry.event.kind in ENDS]
    assert begun <= set(ended)
    assert len(ended) == len(set(ended))
    if ran.entries:  # a run that was cancelled before its first turn has said nothing
        assert ran.entries[-1].event.kind in {"run_finished", "run_failed", "run_cancelled"}
