"""The example of every help page gives as a script what it gives in a run, and what the page says."""

import asyncio
from pathlib import Path

import pytest

from studio.app.scripts.flow_export import export_flow
from studio.errors import FlowProblemsError
from studio.sdk.node import NodeType
from studio.sdk.testing import example_of
from studio.servers.grants import Grant
from studio.workspace.catalog import builtin_types
from tests.export.equality import Row, both
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
from tests.export.kinds import KINDS
from tests.export.test_equal import ROWS
from tests.servers.running import Allowed

TYPES = builtin_types()
RUNNING = [one for one in TYPES if example_of(one).outputs and not one.unavailable]
every_example = pytest.mark.parametrize("kind", RUNNING, ids=[one.kind for one in RUNNING])


class AllAllowed(Allowed):
    """Allows whatever is asked."""

    def has(self, grant: Grant) -> bool:
        return bool(grant)


@pytest.mark.box
@every_example
def test_the_script_of_an_example_gives_what_its_run_gives(kind: NodeType, tmp_path: Path) -> None:
    example = example_of(kind)
    homes = tmp_path / "run", tmp_path / "script"
    for home in homes:
        home.mkdir()
        lay_out(example, home)
    found = both(
        Row(flow_of_example(kind), flows=flows_of(example)),
        tmp_path,
        homes=homes,
        make_client=lambda: SaidInTurn(example).client(),
        make_people=lambda: Somebody(list(example.answers)),
        run=asyncio.run,
        has_box=True,
        web=Pages(example.web),
        servers=ServedTools(example.served),
        grants=AllAllowed(),
    )
    told = given_by(found.outputs)
    if "agent" not in example.outputs:
        assert {name: told[name] for name in example.outputs} == example.outputs
    written = [{one.relative_to(home) for one in home.rglob("*")} for home in homes]
    assert written[0] == written[1]


def test_what_cannot_work_yet_is_refused_before_it_is_exported() -> None:
    for kind in TYPES:
        if kind.unavailable:
            with pytest.raises(FlowProblemsError):
                export_flow(flow_of_example(kind), registry=KINDS, name="example")


def test_every_kind_of_node_is_compared_with_the_engine() -> None:
    """One without an example of its own has to stand in a table."""
    compared = {node.kind for row in ROWS.values() for node in row.flow.nodes.values()}
    left = {one.kind for one in TYPES} - {one.kind for one in RUNNING} - compared
    assert left == {one.kind for one in TYPES if one.unavailable}
