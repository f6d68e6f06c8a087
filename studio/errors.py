"""The whole tree of errors that the studio raises on purpose.

StepwireError
├── UsageError                 the call or a file was wrong (exit code 2)
│   ├── FlowFileError          a flow file that cannot be read, every problem listed
│   ├── ExperimentFileError    an experiment, dataset or baseline that cannot be used, every problem listed
│   ├── PlaceError             a file that cannot be written where it was to be
│   ├── ProjectError           a project folder that cannot be used
│   ├── UnknownKindError       a node type that is not installed
│   ├── ProfileError           a chat profile that can answer nothing as it is
│   ├── SettingsError          settings that do not fit a node type
│   ├── FlowProblemsError      a flow that does not pass `check`
│   └── UntrustedError         what would be executed came from elsewhere, unapproved (exit code 5)
├── ExpressionError            an expression that cannot be read or computed
├── EditRefusedError           an edit that the flow's rules forbid
├── RunError                   a run that could not go on (exit code 1)
│   ├── StepError              a step failed; names the node
│   │   ├── ValueTypeError     a value does not fit its port
│   │   ├── TimeLimitError     a step took longer than allowed
│   │   ├── CancelledStepError a person cancelled a step
│   │   ├── CodeError          code in the box raised an error
│   │   │   └── CodeLimitError     it used more time or memory than it may
│   │   ├── FaultedError       a fault on purpose let the step fail
│   │   ├── BoxMissingError    code can't be isolated here, so it is not run
│   │   └── CalledFlowError    a flow failed that a tool ran
│   ├── ChatError              a language model could not be asked
│   │   ├── ChatUnreachableError   no connection
│   │   │   └── FaultedChatError       or a fault on purpose, in its place
│   │   ├── ChatRefusedError       the endpoint said no
│   │   ├── ChatIncompleteError    the answer ended before it was complete
│   │   └── ScriptedAnswerMissingError
│   ├── ToolError              a tool said no, in words for the agent
│   ├── LimitReachedError      a budget is used up (exit code 3)
│   ├── StoppedError           somebody stopped the run from elsewhere (exit code 130)
│   └── WaitingError           something waits for a person (exit code 4)
│       ├── AnswerMissingError     a recording has no answer to a request
│       └── InDoubtError           something may have been done already
├── StoreError                 the run store cannot be read or written
├── HostError                  the run host is gone or does not answer
└── ExportError                a flow that cannot become a script
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal


class StepwireError(Exception):
    """Any error that is raised on purpose: one sentence, and a hint at what to do next."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = str(message)
        self.hint = str(hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(StepwireError):
    """The call or a file was wrong; nothing was run."""

    exit_code = 2


class PlaceError(UsageError):
    """A file or folder cannot be written where it was to be; the hint is for who typed a command."""

    def __init__(
        self,
        message: str,
        *,
        hint: str,
        elsewhere: str = "Choose another place.",
        loses: Literal["", "script", "engine"] = "",
        edited: Path | None = None,
    ) -> None:
        """Take the sentence and a hint; `elsewhere` is that hint for who chose the place in a window.

        `loses` is what would be overwritten where somebody says so, `edited` an exported script among it
        whose edits can be taken over.
        """
        super().__init__(message, hint=hint)
        self.elsewhere = elsewhere
        self.loses: Literal["", "script", "engine"] = loses
        self.edited = edited

    def __str__(self) -> str:
        return f"{self.message} {self.elsewhere}"


class FlowFileError(UsageError):
    """A flow file could not be read; `details` has every problem with its line or JSON path."""

    def __init__(self, message: str, details: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self.details))


class ExperimentFileError(UsageError):
    """An experiment, dataset or baseline that cannot be used; `details` has every problem with its line."""

    def __init__(self, message: str, details: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self.details))


class ProjectError(UsageError):
    """A project folder that cannot be used."""


class ProfileError(UsageError):
    """A chat profile that can answer nothing as it is: it lacks a key, a language model, a script, or all.

    The profiles `made-up` and `person` lack nothing, so whoever shows this offers them.
    """


class UnknownKindError(UsageError):
    """A node kind for which no node type is installed."""


class SettingsError(UsageError):
    """Settings that do not fit their node type; `details` has one line for each."""

    def __init__(self, message: str, details: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = tuple(details)


class FlowProblemsError(UsageError):
    """A flow that does not pass `check`; `details` has one line for each error."""

    def __init__(self, message: str, details: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self.details))


class UntrustedError(UsageError):
    """A project from elsewhere would execute what nobody has approved; `details` has one line for each.

    Nothing was run.
    """

    exit_code = 5

    def __init__(self, message: str, details: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self.details))


class ExpressionError(StepwireError):
    """An expression that cannot be read or computed; `column` counts from 1, 0 where it is unknown."""

    def __init__(self, message: str, column: int = 1, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.column = column


class EditRefusedError(StepwireError):
    """An edit that the rules of flows forbid; the message is the reason, in one sentence."""

    exit_code = 2


class RunError(StepwireError):
    """A run that could not go on."""


class StepError(RunError):
    """Fails a step; a node raises it with one sentence, and a hint at what to do.

    The runtime records it, and the step's error policy decides what happens then.
    """


class ValueTypeError(StepError):
    """A value does not fit the port it was meant for."""


class FaultedError(StepError):
    """A fault that was put into the run lets the step fail, before its work."""


class TimeLimitError(StepError):
    """A step took longer than its time limit."""


class CancelledStepError(StepError):
    """A person cancelled the step, round or item, but not the run."""


class CodeError(StepError):
    """Code in the box raised an error; `line` counts from 1 in that code, 0 where it is unknown."""

    def __init__(self, message: str, line: int = 0, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.line = line


class CodeLimitError(CodeError):
    """Code in the box used more time or memory than it may."""


class BoxMissingError(StepError):
    """Fails a step whose code can't be isolated here, so it is not run; `Context.run_code` raises it."""


class CalledFlowError(StepError):
    """Fails a call of a tool whose flow failed; `LentFlow.call` raises it."""


class ChatError(RunError):
    """A language model could not be asked, or its answer could not be used."""


class ChatUnreachableError(ChatError):
    """No connection to the endpoint."""


class FaultedChatError(ChatUnreachableError):
    """A fault that was put into the run lets a chat fail, as if there were no connection."""


class ChatRefusedError(ChatError):
    """The endpoint answered with an error; `status` is the HTTP status, 0 when there was none.

    `retry_after` is None when asking again would be of no use, and otherwise the seconds to wait at least.
    """

    def __init__(
        self, message: str, status: int = 0, *, hint: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


class ChatIncompleteError(ChatError):
    """The answer ended before it was complete, so nothing in it may be acted on."""


class ScriptedAnswerMissingError(ChatError):
    """No rule of the project's scripts answers this request."""


class ToolError(RunError):
    """Says no in the name of a tool; the `run` of a tool raises it.

    An agent reads the message as the tool's answer; where a step calls the tool itself, it fails.
    """


class LimitReachedError(RunError):
    """A budget is used up; the run can be resumed with a larger one."""

    exit_code = 3


class StoppedError(RunError):
    """Somebody stopped a run of this process, from a window or another terminal; it can be resumed."""

    exit_code = 130


class WaitingError(RunError):
    """Something waits for a person, and nobody is here to ask."""

    exit_code = 4


class AnswerMissingError(WaitingError):
    """A run that answers from a recording asked what was never answered; somebody has to choose."""


class InDoubtError(WaitingError):
    """Something that changes the world was begun in an earlier run; nobody said to do it again."""


class StoreError(StepwireError):
    """The run store cannot be read or written."""


class HostError(StepwireError):
    """The run host is gone, or does not answer."""


class ExportError(StepwireError):
    """A flow that cannot become a script; `node` and the called `flow` say where, as far as it is known."""

    exit_code = 2
    node = ""
    flow = ""
