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

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from studio.errors import StepwireError
from studio.script.written_flow import WrittenFlow

if TYPE_CHECKING:
    from studio.kit import Tools
    from studio.trace.fold.state import RunState


class Flow(WrittenFlow):
    """A flow in Python. `chat` names the chat profile of its runs, `limits` what one may spend.

    Limits are `tokens`, `cost` in US dollars, `seconds`, `steps`, `calls` and `at_once`; `node_limits` has
    those of single nodes, by id, or by function and id: `"summarize:critic"`. `flows` are drawn flows that
    are called by name, as the JSON of their files: by tools that lend a flow, and in regions. Profiles,
    prices and files are those of `project`, or else of the project in whose folder the script lies, or of
    that folder.
    Runs of a command are kept there; those of `run` where the flow `is_kept`.
    """

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


class RunFailedError(StepwireError):
    """Is raised by `Flow.run` where the run fails; `state` is what became of the run.

    Its steps, messages and cost can be read there, those of the step that failed included.
    """

    def __init__(self, message: str, *, hint: str = "", state: "RunState") -> None:
        super().__init__(message, hint=hint)
        self.state = state
