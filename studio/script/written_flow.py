"""What runs know of a flow that is written in Python: the flow itself, its file, and the node types."""

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from studio.errors import UsageError
from studio.ids import NodeId

if TYPE_CHECKING:
    from studio.flow.records import Flow as Document
    from studio.sdk.registry import Registry
    from studio.trace.events.run import ScriptFile
    from studio.workspace.project import Project

Body: TypeAlias = Callable[..., Awaitable[Mapping[str, Any]]]
F = TypeVar("F", bound=Body)


class WrittenFlow:
    """All of a `Flow` but how it is run: what its runs are made of. See there for what it is given."""

    def __init__(
        self,
        title: str = "",
        *,
        chat: str = "",
        limits: Mapping[str, float] | None = None,
        node_limits: Mapping[str, Mapping[str, float]] | None = None,
        flows: Mapping[str, str | Mapping[str, Any]] | None = None,
        project: Path | None = None,
        is_kept: bool = False,
    ) -> None:
        self.title = title
        self.chat = chat
        self.limits = dict(limits or {})
        self.node_limits = {NodeId(node): one for node, one in (node_limits or {}).items()}
        self._flows = dict(flows or {})
        self.project = project
        self.is_kept = is_kept
        self._body: Body | None = None

    def __call__(self, body: F) -> F:
        """Make a function the flow: its parameters are the inputs, and it returns the outputs by name."""
        self._body = body
        return body

    @property
    def body(self) -> Body:
        """The function; raises `UsageError` where there is none yet."""
        if self._body is None:
            raise UsageError(
                f"The flow `{self.title}` has no function.", hint="Write `@flow` above an `async def`."
            )
        return self._body

    @property
    def file(self) -> Path:
        """The script that it stands in."""
        return Path(inspect.getsourcefile(self.body) or ".").resolve()

    @property
    def description(self) -> str:
        """What the function says that it does, or else the script that was exported."""
        from studio.script.head import description_in

        return inspect.getdoc(self.body) or description_in(self.body.__globals__.get("__doc__") or "")

    @cached_property
    def home(self) -> "Project":
        """The project whose profiles, prices and files its runs use, as it was for the first of them."""
        from studio.workspace.project import Project

        return Project.around(self.project or self.file)

    @cached_property
    def source(self) -> "ScriptFile":
        """The script as runs name it."""
        return file_of(self.file)

    @cached_property
    def document(self) -> "Document":
        """The flow as a record: its inputs, with their types and defaults; the rest Python decides."""
        from studio.flow.records import Flow as Document
        from studio.script.inputs import input_nodes

        body = self.body
        return Document(self.title or body.__name__, self.description, dict(input_nodes(body)))

    @cached_property
    def flows(self) -> "Mapping[str, Document]":
        """The drawn flows that are called by name."""
        from studio.script.documents import drawn

        return {name: drawn(one) for name, one in self._flows.items()}


def file_of(path: Path) -> "ScriptFile":
    """A script as runs name it."""
    from studio.trace.events.run import ScriptFile

    read = path.read_bytes()
    return ScriptFile(str(path), hashlib.sha256(read).hexdigest(), read.decode("utf-8", "replace"))


@cache
def registry() -> "Registry":
    """The node types, with all that is known of flows that were planned with them."""
    from studio.workspace.catalog import builtin_registry

    return builtin_registry()
