"""A flow that is written in Python: one function, whose steps the engine runs.

flow = Flow("Answer a question from notes")

@flow
async def answer(question: str = "Which birds were seen?") -> dict[str, str]:
    '''Answer a question from the field notes.'''
    reply = await chat("writer", question)
    return {"answer": reply}

if __name__ == "__main__":
    flow.main()
"""

import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from studio.errors import StepwireError, UsageError
from studio.ids import NodeId

if TYPE_CHECKING:
    from studio.flow.records import Flow as Document
    from studio.kit import Tools
    from studio.sdk.registry import Registry
    from studio.trace.events import ScriptFile
    from studio.trace.state import RunState

Body = Callable[..., Awaitable[Mapping[str, Any]]]
F = TypeVar("F", bound=Body)


class Flow:
    """A flow in Python. `chat` names the chat profile of its runs, `limits` what one may spend.

    Limits are `tokens`, `cost` in US dollars, `seconds`, `steps`, `calls` and `at_once`; `node_limits` has
    those of single nodes, by id, or by function and id: `"summarize:critic"`. `flows` are drawn flows that
    are called by name, as the JSON of their files: by tools that lend a flow, and in regions. Profiles,
    prices and files are those of `project`, or else of the project in whose folder the script lies, or of
    that folder.
    Runs of a command are kept there; those of `run` where the flow `is_kept`.
    """

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

    @cached_property
    def source(self) -> "ScriptFile":
        """The script as runs name it."""
        from studio.script.script_file import file_of

        return file_of(self.file)

    @cached_property
    def document(self) -> "Document":
        """The flow as a record: its inputs, with their types and defaults; the rest Python decides."""
        from studio.flow.records import Flow as Document
        from studio.script.inputs import input_nodes

        body = self.body
        return Document(self.title or body.__name__, inspect.getdoc(body) or "", dict(input_nodes(body)))

    @cached_property
    def flows(self) -> "Mapping[str, Document]":
        """The drawn flows that are called by name."""
        from studio.script.documents import drawn

        return {name: drawn(one) for name, one in self._flows.items()}

    async def run(self, *, tools: "Tools | None" = None, **inputs: Any) -> dict[str, Any]:
        """Run it to its end, and give its outputs by name; see the class for where it is kept.

        Raises `RunFailedError` where it fails, and `UsageError` for inputs that are missing or do not fit.
        """
        from studio.kit import Tools
        from studio.kit.execution import run_ready
        from studio.script import execution

        tools = tools or Tools()
        materials = execution.new_run(self, inputs, tools, is_kept=self.is_kept)
        result = await run_ready(materials, tools)
        if result.error is not None:
            raise RunFailedError(result.error.message, hint=result.error.hint, state=result.state)
        return dict(result.outputs)

    async def replay(self, run: str, tools: "Tools") -> "RunState":
        """Execute an earlier run of this script again, asking nobody; gives what became of it.

        Raises `UsageError` for a run of something else, `AnswerMissingError` where the script has changed.
        """
        from studio.script import execution

        _, old = execution.earlier(self, run)
        return await execution.run_here(execution.replay(self, old, execution.terms_of(tools)), tools)

    async def resume(self, run: str, tools: "Tools") -> "RunState":
        """Go on with an earlier run of this script where it ended; gives what became of it.

        Raises `UsageError` for one that has finished, or of something else, `AnswerMissingError` as above.
        """
        from studio.script import execution

        store, old = execution.earlier(self, run)
        materials = execution.resume(self, store, old, execution.terms_of(tools))
        return await execution.run_here(materials, tools)

    def main(self) -> NoReturn:
        """Run it as a command: the arguments are its inputs, the outputs go to standard output as JSON."""
        from studio.script.command_line import run_command

        sys.exit(run_command(self, sys.argv[1:]))


@cache
def registry() -> "Registry":
    """The node types, with all that is known of flows that were planned with them."""
    from studio.workspace.catalog import builtin_registry

    return builtin_registry()


class RunFailedError(StepwireError):
    """Is raised by `Flow.run` where the run fails; `state` is what became of the run.

    Its steps, messages and cost can be read there, those of the step that failed included.
    """

    def __init__(self, message: str, *, hint: str = "", state: "RunState") -> None:
        super().__init__(message, hint=hint)
        self.state = state
