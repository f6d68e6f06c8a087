"""What a measurement runs: a flow that is checked, the solvers that it asks, and files that it may spoil."""

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from studio.errors import UsageError
from studio.flow.calls import reachable
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.llm.client import ChatClient, ChatProfile
from studio.llm.profiles import open_client
from studio.llm.solvers.book import SolverBook
from studio.llm.solvers.client import SolverClient
from studio.llm.solvers.problems import Problem
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.workspace.catalog import builtin_registry
from studio.workspace.chats import book_of
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


class SolverChats:
    """The clients of all trials of a flow; use as an async context manager."""

    def __init__(self, project: Project, profile: ChatProfile, environ: Mapping[str, str]) -> None:
        self._project = project
        self._profile = profile
        self._environ = environ
        self._books: dict[str, SolverBook] = {}
        self._scripted: dict[str, ChatClient] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._scripted.values():
            await client.close()

    def on_trial(self, luck: str, problem: Problem) -> "TrialChats":
        """Give the clients of one trial."""
        return TrialChats(self, luck, problem)

    def client(self, name: str, luck: str, problem: Problem) -> ChatClient:
        """Give the client of a profile, the empty name being the one that is measured with."""
        profile = find_profile(self._project, name) if name else self._profile
        if profile.provider == "scripted":
            if name not in self._scripted:
                book = book_of(self._project, profile)
                self._scripted[name] = open_client(profile, environ=self._environ, book=book, pace=0)
            return self._scripted[name]
        book = self._books.get(profile.name)
        if book is None:
            book = SolverBook.load(self._project.root, profile.solver, profile.name)
            self._books[profile.name] = book
        return SolverClient(book.on_trial(luck, problem))


class TrialChats:
    """Gives the clients of one trial by the names of their profiles, each once."""

    def __init__(self, chats: SolverChats, luck: str, problem: Problem) -> None:
        self._chats = chats
        self._luck = luck
        self._problem = problem
        self._clients: dict[str, ChatClient] = {}

    def __call__(self, name: str) -> ChatClient:
        """Give the client of a profile."""
        if name not in self._clients:
            self._clients[name] = self._chats.client(name, self._luck, self._problem)
        return self._clients[name]


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
