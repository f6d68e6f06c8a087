"""What a run may spend, its script may: the same limits end both, after the same calls."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.app.scripts.flow_export import export_flow
from studio.export.script import make_script
from studio.flow.records import Flow
from studio.llm.prices import Price, Prices
from studio.script.command_line import run_command
from studio.script.script_file import flow_of as script_in
from studio.store.reader import RunStore
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.export.equality import Both, Row, both, loaded
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.provider import Endpoint
from tests.script.commands import run_script

RULES = """
rules:
  - name: look
    when: {has_tool: list_files}
    tool_calls: [{name: list_files, arguments: {}}]
  - name: ask
    when: {has_tool: expert}
    tool_calls: [{name: expert, arguments: {task: count}}]
  - name: all
    reply: "one two three four five: {{ last }}"
"""
PRICES = Prices((Price(("scripted",), 1000.0, 1000.0, 1000.0),))
OUT = "io.flow_output"
LOOP: dict[str, Any] = {
    "word": ("io.flow_input", {"default": "owl"}),
    "rounds": ("control.loop", {"max_rounds": 9}),
    "writer": "llm.chat",
    "out": OUT,
}
AGAIN = [
    "word.value -> rounds.start",
    "rounds.value -> writer.prompt",
    "writer.reply -> rounds.again",
    "rounds.result -> out.value",
]
AGENT: dict[str, Any] = {
    "word": ("io.flow_input", {"default": "owl"}),
    "files": ("tools.files", {"folder": "."}),
    "writer": ("llm.agent", {"turns": 9, "at_limit": "stop"}),
    "out": OUT,
}
LENT = ["word.value -> writer.prompt", "files.tools -> writer.tools", "writer.reply -> out.value"]
TOOL = flow_of(
    {
        "expert": ("team.member", {"name": "expert", "instructions": "You know birds."}),
        "lent": ("tools.agent_as_tool", {"name": "expert"}),
        "writer": ("llm.agent", {"turns": 2, "at_limit": "stop"}, {"prompt": "?"}, {"limits": {"calls": 3}}),
        "out": OUT,
    },
    ["expert.agent -> lent.agent", "lent.tool -> writer.tools", "writer.reply -> out.value"],
)
MENDED = {"on_error": "default", "default": "x", "retries": 2}
SLOW = flow_of(
    {"wait": ("control.delay", {"seconds": 30}, {"value": "x"}, {"on_error": "output"}), "out": OUT},
    ["wait.value -> out.value"],
)


def own(nodes: Mapping[str, Any], **limits: float) -> dict[str, Any]:
    """The nodes, with limits of the writer's own."""
    writer: Any = nodes["writer"]
    kind: str = writer if isinstance(writer, str) else writer[0]
    settings: dict[str, Any] = {} if isinstance(writer, str) else writer[1]
    return {**nodes, "writer": (kind, settings, {}, {"limits": limits})}


def ended(flow: Flow, limits: dict[str, float], folder: Path) -> Both:
    """A run and a script that are told limits, and prices for them."""
    client = lambda: Endpoint(RULES).client(prices=PRICES)  # noqa: E731  # a new one for each
    return both(Row(flow), folder, make_client=client, limits=limits)


@pytest.mark.parametrize(
    ("flow", "limits", "says"),
    [
        (flow_of(LOOP, AGAIN), {"calls": 3}, "The run has reached its limit of 3 calls (3"),
        (flow_of(LOOP, AGAIN), {"tokens": 40}, "The run has reached its limit of 40 tokens"),
        (flow_of(LOOP, AGAIN), {"cost": 0.05}, "The run has reached its limit of $0.0500 ($0.0"),
        (flow_of(AGENT, LENT), {"calls": 4}, "The run has reached its limit of 4 calls (4"),
        (flow_of(own(LOOP, calls=2), AGAIN), {}, "The node `writer` has reached its limit of 2 calls"),
        (flow_of(own(LOOP, steps=2), AGAIN), {}, "The node `writer` has reached its limit of 2 steps"),
        (flow_of(own(AGENT, tokens=30), LENT), {}, "The node `writer` has reached its limit of 30 tokens"),
        (TOOL, {}, "The node `writer` has reached its limit of 3 calls"),
        (
            flow_of({**LOOP, "writer": ("llm.chat", {}, {}, MENDED)}, AGAIN),
            {"calls": 3},
            "The run has reached its limit of 3 calls (3",
        ),
    ],
    ids=[
        "calls",
        "tokens",
        "cost",
        "calls of an agent",
        "own calls",
        "own steps",
        "own tokens",
        "tool",
        "mended",
    ],
)
def test_a_limit_ends_a_script_as_it_ends_a_run(
    flow: Flow, limits: dict[str, float], says: str, tmp_path: Path
) -> None:
    found = ended(flow, limits, tmp_path)
    assert found.error == "LimitReachedError"
    assert found.script.outcome is not None
    assert found.script.outcome.error is not None
    assert found.script.outcome.error.exit_code == 3
    assert says in found.script.outcome.error.message


def test_a_limit_of_steps_counts_those_that_a_script_has(tmp_path: Path) -> None:
    found = ended(flow_of(LOOP, AGAIN), {"steps": 2}, tmp_path)
    for ran, step in ((found.engine, "rounds.2/writer"), (found.script, "rounds.3/writer")):
        assert ran.outcome is not None
        assert ran.outcome.error is not None
        assert (ran.outcome.error.exit_code, ran.outcome.error.step) == (3, step)


def test_seconds_interrupt_what_is_under_way(tmp_path: Path) -> None:
    found = both(Row(SLOW), tmp_path, limits={"seconds": 0.05}, run=asyncio.run)
    for ran in (found.engine, found.script):
        assert ran.outcome is not None
        assert ran.outcome.error is not None
        assert ran.outcome.error.exit_code == 3
        assert "has reached its limit of 0.05 s" in ran.outcome.error.message


def test_an_agent_stops_at_so_many_dollars(tmp_path: Path) -> None:
    agent = ("llm.agent", {"turns": 9, "at_limit": "stop", "cost": 0.05})
    flow = flow_of({**AGENT, "writer": agent, "why": OUT}, [*LENT, "writer.ended -> why.value"])
    assert ended(flow, {"cost": 5}, tmp_path).outputs["why"] == "cost"


def test_a_script_has_the_limits_of_its_project(tmp_path: Path) -> None:
    project = write_project(tmp_path, flow=chain(), limits={"tokens": 20000, "at_once": 4, "cost": 0.5})
    assert loaded(export_flow(project / "flow.json")).limits == {"at_once": 4, "cost": 0.5, "tokens": 20000}


def test_a_script_at_its_limit_ends_with_3_and_goes_on_from_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    text = make_script(flow_of(LOOP, AGAIN), REGISTRY, source_name="bench", limits={"calls": 3}).text
    assert run_script(script, text, "--chat", "made-up") == 3
    assert "The run has reached its limit of 3 calls" in capsys.readouterr().err
    (run,) = RunStore(tmp_path / ".stepwire").runs()
    more = ["--resume", run.run, "--chat", "made-up", "--limit-calls", "9"]
    assert run_command(script_in(script), more) == 0
