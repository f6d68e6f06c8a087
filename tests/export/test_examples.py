"""The example of every help page gives as a script what it gives in a run, and what the page says."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import export_flow
from studio.errors import FlowProblemsError
from studio.flow.calls import GivenFlows
from studio.sandbox.wasm import WasmBox
from studio.sdk.node import NodeType
from studio.sdk.testing import example_of
from studio.servers.grants import Grant
from studio.workspace.catalog import builtin_types
from tests.export.help_examples import (
    Pages,
    SaidInTurn,
    ServedTools,
    Somebody,
    flow_of_example,
    flows_of,
    given_by,
    lay_out,
)
from tests.export.in_process import client_of, play
from tests.export.random_flows import KINDS
from tests.export.test_equal import FLOWS
from tests.runtime import bench
from tests.servers.running import Allowed

TYPES = builtin_types()
RUNNING = [one for one in TYPES if example_of(one).outputs and not one.unavailable]
every_example = pytest.mark.parametrize("kind", RUNNING, ids=[one.kind for one in RUNNING])


class AllAllowed(Allowed):
    """Allows whatever is asked."""

    def has(self, grant: Grant) -> bool:
        return bool(grant)


@every_example
def test_the_script_of_an_example_gives_what_its_run_gives(
    kind: NodeType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = example_of(kind)
    monkeypatch.setattr(bench, "REGISTRY", KINDS)
    homes = [tmp_path / "run", tmp_path / "script"]
    for home in homes:
        home.mkdir()
        lay_out(example, home)
    outputs = asyncio.run(ran(kind, homes[0]))
    told = given_by(outputs)
    if "agent" not in example.outputs:
        assert {name: told[name] for name in example.outputs} == example.outputs
    assert played(kind, homes[1]) == outputs
    written = [{one.relative_to(home) for one in home.rglob("*")} for home in homes]
    assert written[0] == written[1]


async def ran(kind: NodeType, home: Path) -> dict[str, Any]:
    """What the run of an example gives."""
    example = example_of(kind)
    servers: Any = ServedTools(example.served)
    async with WasmBox() as box:
        over = await bench.run(
            flow_of_example(kind),
            root=home,
            client=SaidInTurn(example).client(),
            people=Somebody(list(example.answers)),
            flows=flows_of(example),
            box=box,
            web=Pages(example.web),
            servers=servers,
            grants=AllAllowed(),
        )
    return dict(over.outputs)


def played(kind: NodeType, home: Path) -> dict[str, Any]:
    """What the script of an example gives, on its people, addresses and servers."""
    example = example_of(kind)
    registry = KINDS.with_flows(GivenFlows(flows_of(example)))
    text = export_flow(flow_of_example(kind), registry=registry, name="example")
    given: dict[str, Any] = {
        "AsyncOpenAI": client_of(SaidInTurn(example)),
        "Broker": lambda: Pages(example.web),
        "McpServers": partial(ServedTools, example.served),
    }
    typed = "".join(f"{value}\n" for answer in example.answers for value in answer.values())
    arguments = [f"--folder={home}"] if '"--folder"' in text else []
    leave = {"STEPWIRE_RUN_CODE": "1"}
    return dict(play(text, arguments, given=given, typed=typed, environ=leave).outputs)


def test_what_cannot_work_yet_is_refused_before_it_is_exported() -> None:
    for kind in TYPES:
        if kind.unavailable:
            with pytest.raises(FlowProblemsError):
                export_flow(flow_of_example(kind), registry=KINDS, name="example")


def test_a_kind_of_node_exports_or_it_is_none() -> None:
    """One without an example of its own has to stand in the flows that are compared with the engine."""
    compared = {
        given if isinstance(given, str) else given[0]
        for nodes, *_ in FLOWS.values()
        for given in nodes.values()
    }
    left = {one.kind for one in TYPES} - {one.kind for one in RUNNING} - compared
    assert left == {one.kind for one in TYPES if one.unavailable}
