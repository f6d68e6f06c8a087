"""Linter, formatter and type checker find nothing in a script or a package, whatever its flow does.

CI looks at all scripts, the loop at a quarter of them. All are judged together: what they import is read
once, which takes the type checker longer than most of them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from studio.app.exporting import export_flow, export_package, save_script
from studio.app.package_files import save_package
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow
from studio.places import gallery_projects
from studio.sdk.registry import Registry
from studio.workspace.project import Project
from tests import examples
from tests.export import test_agents as agents
from tests.export import test_areas as areas
from tests.export import test_choices as choices
from tests.export import test_conversations as conversations
from tests.export import test_equal as equal
from tests.export import test_flow_tool as flow_tool
from tests.export import test_kept_by_agents as kept_by_agents
from tests.export import test_limits as limits
from tests.export import test_memories as memories
from tests.export import test_nodes as nodes
from tests.export import test_overlap as overlap
from tests.export import test_people as people
from tests.export import test_remembering_agents as remembering
from tests.export import test_state as state
from tests.export import test_subflow as subflow
from tests.export import test_tools as tools
from tests.export.packages import export_into
from tests.export.random_flows import KINDS
from tests.export.scripts import complaints
from tests.export.test_projects import PROJECTS, exported
from tests.nodes.tools import test_lent_others as lent_others
from tests.runtime import lent
from tests.runtime.bench import REGISTRY, flow_of

FEWER = max(1, examples.USUAL // examples.EFFORT)
"""How many times as many are looked at in CI."""
AS_PACKAGES = 15 * FEWER
"""Of how many flows of the tests one is judged as a package too: all are as scripts."""

LIMITED = {"window": 500, "stop_when": "seconds > 5", "cost": 1.0}


def flows() -> Iterator[tuple[str, Flow, Mapping[str, Flow]]]:
    """Those of the other tests: what they are of, and what they may call."""
    for of in (areas, nodes, people, state, equal):
        for given in of.FLOWS.values():
            yield of.__name__, flow_of(given[0], given[1]), {}
    for called, wires, _ in subflow.FLOWS.values():
        yield "subflow", flow_of(called, wires), subflow.KNOWN
    yield "itself", subflow.COUNTDOWN, subflow.KNOWN
    for flow in flow_tool.CALLS.values():
        yield "flow_tool", flow, flow_tool.KNOWN
    yield "lent", lent.with_agent("note.json"), lent.FLOWS
    for flow in (*tools.FLOWS.values(), lent_others.HUMAN, lent_others.SEARCH, lent_others.AGENT):
        yield "tools", flow, {}
    yield "agent", agents.lent({}, "files.tool -> agent.tools[0]"), {}
    yield "limited", agents.lent(LIMITED, "expert.agent -> agent.colleagues[0]"), {}
    for nodes_and_wires in overlap.flows_with_lanes().values():
        yield "overlap", flow_of(*nodes_and_wires), {}
    for rule, ways, wires, _ in choices.READ.values():
        yield "choices", choices.branching(rule, ways, *wires), {}
    for flow in (*conversations.FLOWS.values(), conversations.SUMMARY):
        yield "conversations", flow, {}
    for flow in (*remembering.FLOWS.values(), kept_by_agents.FLOW):
        yield "remembering_agents", flow, {}


def texts() -> Iterator[tuple[str, Callable[[Path], str]]]:
    """All scripts: what they are of, and how each is written, given a folder for what it needs."""
    for number, (of, flow, known) in enumerate(flows()):
        registry = REGISTRY.with_flows(GivenFlows(known)) if known else REGISTRY
        yield f"{of.rpartition('.')[2]}_{number}", partial(text_of, flow, registry)
    for number, flow in enumerate((memories.kept(), memories.mapped(8), memories.mapped(1, fails_on="wren"))):
        yield f"memories_{number}", partial(text_of, flow, KINDS)
    for name, project in limits.LIMITED.items():
        yield f"limits_{name}", partial(limits.text_of, **project)
    for folder in PROJECTS:
        yield f"project_{folder.name}", lambda _, folder=folder: exported(folder)
    for folder in gallery_projects():
        yield f"system_{folder.name}", lambda _, folder=folder: export_flow(folder / "flow.json")


def text_of(flow: Flow, registry: Registry, _folder: Path) -> str:
    return export_flow(flow, registry=registry, name="bench")


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_linter_and_type_checker_find_nothing_in_any_script_or_file_of_a_package(tmp_path: Path) -> None:
    judged = tmp_path / "judged"
    judged.mkdir()
    for name, write in islice(texts(), 0, None, FEWER):
        home = tmp_path / name
        home.mkdir()
        save_script(judged / f"{name}.py", write(home))
    for folder in PROJECTS[::FEWER]:
        save_package(judged / folder.name, export_package(Project.open(folder).main_flow, folder.name))
    for number, (_, flow, known) in enumerate(flows()):
        if number % AS_PACKAGES == 0:
            export_into(judged / f"flow{number}", flow, known)
    assert complaints(judged) == ""
