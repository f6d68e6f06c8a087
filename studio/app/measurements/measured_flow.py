"""What a measurement runs: a flow that is checked, and files that it may spoil."""

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from studio.errors import UsageError
from studio.flow.calls import reachable
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.workspace.catalog import builtin_registry
from studio.workspace.inputs import check_inputs
from studio.workspace.problems import read_flow, refuse_errors
from studio.workspace.profiles import find_profile
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import bound, profiles_used


@dataclass(frozen=True, slots=True)
class MeasuredFlow:
    """A flow that can be asked a question, with all that it may call."""

    name: str
    flow: Flow
    registry: Registry
    flows: Mapping[str, Flow]

    @classmethod
    def open(cls, path: Path, project: Project, ports: tuple[str, str]) -> "MeasuredFlow":
        """Read a flow of the project with this input and output; raises `UsageError`, and as reading does."""
        own = Project.open(path)
        if own.root != project.root:
            hint = "Evaluate flows of one project, whose solvers answer."
            raise UsageError(f"`{path}` does not belong to the project `{project.name}`.", hint=hint)
        registry = project_registry(project, builtin_registry())
        flow = read_flow(own.main_flow).flow
        called = reachable(flow, registry)
        registry = bound(registry, called)
        name = project.name_of(own.main_flow)
        for one in (flow, *called.values()):
            refuse_errors(one, registry)
            _refuse_payment(one, registry, project)
        kinds = {port: flow.nodes.get(NodeId(port)) for port in ports}
        for (port, node), kind in zip(kinds.items(), ("io.flow_input", "io.flow_output"), strict=True):
            if node is None or node.kind != kind:
                what = "input" if kind == "io.flow_input" else "output"
                raise UsageError(
                    f"`{name}` has no flow {what} `{port}`.",
                    hint="An evaluated flow needs an input `question` and an output `answer`, by their ids.",
                )
        check_inputs(flow, registry, {ports[0]: ""})
        return cls(name, flow, registry, called)

    @property
    def changes_something(self) -> bool:
        """Whether a node of it, or of what it calls, may write to files."""
        kinds = {node.kind for flow in (self.flow, *self.flows.values()) for node in flow.nodes.values()}
        types = (self.registry.get(kind) for kind in kinds)
        return any(one is not None and one.effect is Effect.SIDE_EFFECT for one in types)


def _refuse_payment(flow: Flow, registry: Registry, project: Project) -> None:
    for name in profiles_used(flow, registry) - {""}:
        if not find_profile(project, name).is_in_process:
            hint = "An evaluation runs a flow hundreds of times, so it calls only free solvers."
            raise UsageError(f"The flow `{flow.name}` uses the chat profile `{name}`.", hint=hint)


@contextmanager
def copy_of_files(project: Project, flows: Sequence[MeasuredFlow]) -> Generator[Path]:
    """Give the folder in which flows may work: the project's own, or a copy where one of them writes."""
    if not any(one.changes_something for one in flows):
        yield project.root
        return
    with TemporaryDirectory(prefix="stepwire-measure-") as folder:
        copy = Path(folder) / "project"
        shutil.copytree(project.root, copy, ignore=shutil.ignore_patterns(".*"))
        yield copy
