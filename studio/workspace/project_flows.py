"""The flows of a project as flows that call them find them: by their path in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from studio.errors import FlowFileError, UsageError
from studio.flow.records import Flow
from studio.flow.subflows.calls import no_such_flow
from studio.sdk.registry import Registry
from studio.workspace.files import bases_of
from studio.workspace.parts import flow_place, near_names
from studio.workspace.problems import read_flow
from studio.workspace.project import Project, flow_files

Opened = Callable[[Path], Flow | None]
"""Gives the flow of a file as it is edited just now; None where nobody edits it."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a file said when it was read, or why it could not be."""

    files: Mapping[Path, tuple[int, int] | None]
    """It, and those that it is a variant of, as they were then."""
    found: Flow | UsageError


class ProjectFlows:
    """Implements `studio.flow.records.FlowLookup`: reads each flow when it is first asked for.

    A flow that is open is given as it is edited. What others change on disk is seen after `refresh`.
    """

    def __init__(self, project: Project, opened: Opened = lambda _: None) -> None:
        self._project = project
        self._opened = opened
        self._read: dict[str, _Read] = {}
        self._names: Sequence[str] | None = None

    def flow(self, name: str) -> Flow:
        """The flow called `name`; raises `UsageError` where it is missing or cannot be read."""
        path = self._path(name)
        edited = self._opened(path)
        if edited is not None:
            return edited
        known = self._read.get(name)
        if known is None:
            known = self._read[name] = self._taken(name, path)
        if isinstance(known.found, UsageError):
            raise UsageError(known.found.message, hint=known.found.hint)
        return known.found

    def names(self) -> Sequence[str]:
        """The flows that there are, sorted."""
        if self._names is None:
            files = flow_files(self._project.root)
            self._names = sorted(self._project.name_of(path) for path in files)
        return self._names

    def move_to(self, project: Project) -> None:
        """Belong to another project from now on."""
        self._project = project
        self._read.clear()
        self._names = None

    def refresh(self) -> frozenset[str]:
        """Look at the files again; names those that changed, which are read anew when asked for."""
        changed = {
            name
            for name, known in self._read.items()
            if any(_stamp(path) != stamp for path, stamp in known.files.items())
        }
        self._names = None
        for name in changed:
            del self._read[name]
        return frozenset(changed)

    def _path(self, name: str) -> Path:
        """Where the flow is; raises `UsageError` for a name that leads out of the project, or is hidden."""
        place = PurePosixPath(name)
        root = self._project.root.resolve()
        is_odd = not name or place.is_absolute() or place.as_posix() != name or "\0" in name
        if is_odd or any(part.startswith(".") for part in place.parts):
            raise no_such_flow(name)
        path = (root / place).resolve()
        if not path.is_relative_to(root):
            raise no_such_flow(name)
        return flow_place(root, name).resolve()

    def _taken(self, name: str, path: Path) -> _Read:
        own = self._project.root.resolve() / name
        files = {one: _stamp(one) for one in (own, path, *bases_of(path))}
        if files[path] is None:
            fault = no_such_flow(name)
            hint = near_names(name, [*self.names()]) or fault.hint
            return _Read(files, UsageError(fault.message, hint=hint))
        try:
            return _Read(files, read_flow(path).flow)
        except FlowFileError as error:
            reason = "; ".join(error.details[:1]) or error.message
            return _Read(files, UsageError(f"The flow `{name}` cannot be read: {reason}", hint=error.hint))


def project_registry(project: Project, registry: Registry) -> Registry:
    """The node types, bound to the flows of a project as they are on disk."""
    return registry.with_flows(ProjectFlows(project))


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells that a file was written anew; None where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_mtime_ns, stat.st_size) if path.is_file() else None
