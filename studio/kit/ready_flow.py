"""A flow made ready: read, bound to the flows that it may call, checked; its runs share all of that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.flow.records import Flow
from studio.flow.subflows.calls import GivenFlows, reachable
from studio.garbage_collection import seldom_collected
from studio.sdk.registry import Registry
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow, refuse_errors
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import bound


@dataclass(frozen=True, slots=True)
class PreparedFlow:
    """Holds a checked flow for any number of runs, one after the other or at once; `load` returns it.

    `registry` has its node types, bound to the `flows` that it may call. `project` says which chat profiles,
    scripted answers and limits it has; that of a flow without a folder has none.
    """

    flow: Flow
    registry: Registry
    project: Project
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])


@seldom_collected()
def load(
    flow: Flow | Path | str,
    *,
    flows: Mapping[str, Flow] | None = None,
    nodes: Registry | None = None,
    project: Project | None = None,
) -> PreparedFlow:
    """Make a flow ready to run: a flow file, a project folder, or a flow that is a value.

    A value may call `flows` by name; `nodes` are the node types, by default those that come with Stepwire.
    Raises `FlowFileError` and `ProjectError` for what cannot be read, and `FlowProblemsError` with every
    error that `check` finds. Nothing runs or connects.
    """
    registry = nodes or builtin_registry()
    if not isinstance(flow, Flow):
        project = Project.open(Path(flow))
        flow = read_flow(project.main_flow).flow
    if project is None:
        project = no_project(flow.name)
    if flows is not None:
        registry = registry.with_flows(GivenFlows(flows))
    elif project.flows:
        registry = project_registry(project, registry)
    called = reachable(flow, registry)
    registry = bound(registry, called)
    for one in (flow, *called.values()):
        refuse_errors(one, registry)
    return PreparedFlow(flow, registry, project, called)


def no_project(name: str) -> Project:
    """Give the project of a flow without a folder: it has no profiles of its own, and works where one is."""
    return Project(Path.cwd(), name, (), Path(), is_folder=False)
