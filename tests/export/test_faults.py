"""Whatever a provider does, a script ends as a run does: with the same error, and nothing half done."""

import asyncio
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

import pytest

from studio.app.exporting import export_flow
from studio.flow.calls import GivenFlows
from studio.llm.faults import FAULTS
from tests.export.in_process import client_of, play
from tests.export.random_flows import KINDS
from tests.runtime import bench
from tests.runtime.provider import EXECUTED, FLOWS, SCRIPT, STRUCTURES, Endpoint, Mode
from tests.runtime.virtual_time import VirtualLoop

R = TypeVar("R")

ENDLESS = {"endless-stream", "endless-line"}
"""What only a cap on bytes can end, which scripts have none of: they ask for whole answers."""
SLOW = {
    "drip": "",
    "slow-first-token": "",
    "keep-alive-only": "ChatIncompleteError",
    "hang": "ChatIncompleteError",
}
"""What a script waits for, as long as it may: it has one clock, and no first token."""
OTHERWISE = {
    **SLOW,
    "reset-mid-stream": "ChatUnreachableError",  # its client does not tell when the connection broke
    "no-finish-reason": "",  # an answer that came in one piece is whole
    "bad-utf8": "ChatIncompleteError",  # its client takes no answer that is not UTF-8
}
UNREAD = {"truncated-tool-arguments", "invalid-tool-arguments"}
"""What a script that lends no tools does not read, and answers all the same."""


def virtually(work: Coroutine[Any, Any, R]) -> R:
    """Run to the end, in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


@cache
def script_of(structure: str) -> str:
    registry = KINDS.with_flows(GivenFlows(FLOWS))
    return export_flow(STRUCTURES[structure], registry=registry, name="faults")


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - ENDLESS))
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_script_ends_as_a_run_does(fault: str, structure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "REGISTRY", KINDS)
    EXECUTED.arguments.clear()
    ran = virtually(bench.run(STRUCTURES[structure], flows=FLOWS, client=Endpoint(SCRIPT, [fault]).client()))
    called = [*EXECUTED.arguments]
    EXECUTED.arguments.clear()
    endpoint = Endpoint(SCRIPT, [fault], Mode.WHOLE)
    ended = play(script_of(structure), given={"AsyncOpenAI": client_of(endpoint)}, run=virtually)
    assert ran.outcome is not None
    error = "" if ran.outcome.error is None else ran.outcome.error.error
    told = f"\n{ended.err}".partition("\nerror: ")[2]
    if structure == "chat" and fault in UNREAD:
        error = ""
    assert told.partition(":")[0] == OTHERWISE.get(fault, error)
    assert ended.code == (1 if told else 0)
    assert "Traceback" not in ended.err
    if fault not in OTHERWISE:
        assert all(one in called for one in EXECUTED.arguments)
        assert ended.code or error or ended.outputs == ran.outcome.outputs or fault in UNREAD
