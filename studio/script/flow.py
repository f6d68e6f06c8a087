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

import hashlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from studio.errors import StepwireError, UsageError
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow as Document
from studio.ids import NodeId
from studio.runtime.failures import StepFailure
from studio.runtime.frame import Frame
from studio.runtime.values import FLOW, Value, apart, joined
from studio.script.absence import Failure, failed_of, nothing
from studio.script.documents import drawn
from studio.script.inputs import input_nodes, input_of
from studio.script.place import NOWHERE, Lane, Place, standing
from studio.script.running import Plans, Running
from studio.sdk.values import to_plain
from studio.trace.events import ScriptFile

if TYPE_CHECKING:
    from studio.host.recorded import RunMaterials
    from studio.kit import Tools
    from studio.past.replays import OldRun
    from studio.runtime.run import Engine
    from studio.sdk.registry import Registry
    from studio.store.reader import RunStore
    from studio.trace.state import RunState
    from studio.workspace.project import Project

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
        self._node_limits = {NodeId(node): one for node, one in (node_limits or {}).items()}
        self._flows = dict(flows or {})
        self.project = project
        self.is_kept = is_kept
        self._body: Body | None = None
        self._plans: Plans = {}

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
    def source(self) -> ScriptFile:
        """The script as runs name it."""
        return ScriptFile(str(self.file), hashlib.sha256(self.file.read_bytes()).hexdigest())

    @cached_property
    def document(self) -> Document:
        """The flow as a record: its inputs, with their types and defaults; the rest Python decides."""
        body = self.body
        return Document(self.title or body.__name__, inspect.getdoc(body) or "", dict(input_nodes(body)))

    @cached_property
    def flows(self) -> Mapping[str, Document]:
        """The drawn flows that are called by name."""
        return {name: drawn(one) for name, one in self._flows.items()}

    async def run(self, *, tools: "Tools | None" = None, **inputs: Any) -> dict[str, Any]:
        """Run it to its end, and give its outputs by name; see the class for where it is kept.

        Raises `RunFailedError` where it fails, and `UsageError` for inputs that are missing or do not fit.
        """
        from studio.kit import Tools
        from studio.kit.execution import run_ready

        tools = tools or Tools()
        result = await run_ready(self.materials(inputs, tools, is_kept=self.is_kept), tools)
        if result.error is not None:
            raise RunFailedError(result.error.message, hint=result.error.hint, state=result.state)
        return dict(result.outputs)

    async def replay(self, run: str, tools: "Tools") -> "RunState":
        """Execute an earlier run of this script again, asking nobody; gives what became of it."""
        return await self._run_here(self.replayed(run, tools), tools)

    async def resume(self, run: str, tools: "Tools") -> "RunState":
        """Go on with an earlier run of this script where it ended; gives what became of it."""
        return await self._run_here(self.resumed(run, tools), tools)

    def main(self) -> NoReturn:
        """Run it as a command: the arguments are its inputs, the outputs go to standard output as JSON."""
        from studio.script.command_line import run_command

        sys.exit(run_command(self, sys.argv[1:]))

    def materials(self, inputs: Mapping[str, Any], tools: "Tools", *, is_kept: bool = True) -> "RunMaterials":
        """Open all that a run needs, and check what it is given; nothing has run yet."""
        from studio.workspace.runs import prepare

        made = prepare(
            self._project(),
            self.document,
            registry(),
            environ=tools.environ,
            inputs={name: to_plain(value) for name, value in inputs.items()},
            profile=tools.profile or self.chat,
            client=tools.client,
            offline=tools.is_offline,
            limits={**self.limits, **tools.limits},
            queues=tools.queues,
            priority=tools.priority.word,
            seed=tools.seed,
            is_kept=is_kept,
        )
        return self._driven(made)

    def replayed(self, run: str, tools: "Tools") -> "RunMaterials":
        """Make an earlier run of this script ready to be executed again: its answers come from the record.

        Raises `UsageError` for a run of something else, `AnswerMissingError` where the script has changed.
        """
        from studio.past.replays import Terms, run_again
        from studio.runtime.takeover import replayed
        from studio.trace.events import Origin

        _, old = self._earlier(run)
        past = replayed(old.entries, old.flow, registry())
        return self._driven(run_again(old, registry(), Terms(tools.environ), past, {}, Origin(old.run)))

    def resumed(self, run: str, tools: "Tools") -> "RunMaterials":
        """Make an earlier run of this script ready to go on where it ended; what was answered is kept.

        Raises `UsageError` for one that has finished, or of something else, `AnswerMissingError` as above.
        """
        from studio.past.replays import Terms
        from studio.past.resumption import prepare_resume

        store, old = self._earlier(run)
        terms = Terms(tools.environ, profile=tools.profile, limits=tools.limits)
        return self._driven(prepare_resume(old, store, registry(), terms))

    def _driven(self, made: "RunMaterials") -> "RunMaterials":
        """Let the function decide which steps there are, and call the flows that are given to it."""
        spec = replace(made.spec, source=self.source, flows=self.flows, node_limits=self._node_limits)
        known = made.registry.with_flows(GivenFlows(self.flows)) if self.flows else made.registry
        return replace(made, spec=spec, registry=known, drive=self.drive)

    async def drive(self, engine: "Engine") -> Mapping[NodeId, Value]:
        """Run the function on an engine; gives its outputs, raises `StepFailure` or what Python raises."""
        running = Running(engine, self._plans)
        lane = Lane(joined(engine.given.values()) or FLOW)
        place = Place(running, Frame(NOWHERE, variables=engine.variables), lane)
        given = {str(node): apart(value.data) for node, value in engine.given.items()}
        arguments = {
            name: given[input_of(name)]
            for name in inspect.signature(self.body).parameters
            if input_of(name) in given
        }
        try:
            with standing(place):
                async with running.opened:
                    result = await self.body(**arguments)
        except Exception as error:
            place.settle(error)
            failure = running.failure(error)
            if failure is not None:
                raise failure from None
            raise
        place.settle()
        return _results(result, place)

    def _project(self) -> "Project":
        from studio.workspace.project import Project

        return Project.open(self.project or self.file)

    def _earlier(self, run: str) -> "tuple[RunStore, OldRun]":
        from studio.past.replays import OldRun
        from studio.store.reader import RunStore

        store = RunStore(self._project().private)
        return store, OldRun.read(store, store.find(run), self.source)

    async def _run_here(self, materials: "RunMaterials", tools: "Tools") -> "RunState":
        from studio.runtime.people import GivenAnswers, NoPeople
        from studio.workspace.runs import run_here

        people = tools.people or NoPeople(materials.spec.run)
        return await run_here(materials, people=GivenAnswers(tools.answers, people))


@cache
def registry() -> "Registry":
    """The node types, with all that is known of flows that were planned with them."""
    from studio.workspace.catalog import builtin_registry

    return builtin_registry()


class RunFailedError(StepwireError):
    """A run of a script failed; `state` is what became of it."""

    def __init__(self, message: str, *, hint: str = "", state: "RunState") -> None:
        super().__init__(message, hint=hint)
        self.state = state


def _results(result: object, place: Place) -> dict[NodeId, Value]:
    if not isinstance(result, Mapping):
        raise UsageError(
            f"A flow gives its outputs by name, and this gave `{type(result).__name__}`.",
            hint='Return {"NAME": VALUE, …}.',
        )
    outputs: dict[NodeId, Value] = {}
    for name, value in cast("Mapping[object, object]", result).items():
        if isinstance(value, Failure):
            failed = failed_of(value)
            raise StepFailure(failed.step, failed.node, failed.error, failed.labels)
        if value is not nothing:
            outputs[NodeId(str(name))] = Value(to_plain(value), place.lane.labels)
    return outputs
