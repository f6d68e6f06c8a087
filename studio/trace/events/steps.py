"""What happens with a step: its work, how it ends, what the debugger and a person do to it."""

from dataclasses import field
from typing import Literal

from studio.trace.events.values import Plain, Shown, Values, frequent


@frequent
class StepReady:
    """Every input of the step is known, and it waits for its turn."""

    kind: Literal["step_ready"] = "step_ready"


@frequent
class StepStarted:
    """The step's node began to work on these inputs."""

    inputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["step_started"] = "step_started"


@frequent
class StepHeld:
    """The debugger holds the step or call, before it reads `values` or after it gave them.

    Of the call of a `tool`, `schema` is what its arguments have to fit. `detail` says more of the reason, as
    the error for which it is held instead of failing; `breakpoint` is the key of what holds it.
    """

    phase: Literal["before", "after"]
    reason: str
    values: Values = field(default_factory=dict[str, Shown])
    tool: str = ""
    schema: Plain = None
    detail: str = ""
    breakpoint: str = ""
    kind: Literal["step_held"] = "step_held"


@frequent
class StepReleased:
    """A held step goes on."""

    kind: Literal["step_released"] = "step_released"


@frequent
class InputsEdited:
    """A person changed inputs of a held step; `values` has the changed ones."""

    values: Values
    kind: Literal["inputs_edited"] = "inputs_edited"


FAULT_LABEL = "fault"
"""The label of values that a fault changed, and of what was made from them."""


@frequent
class StepFaulted:
    """A fault of the run happened to the step or call: what went wrong, and `at` which place it was put.

    `number` is its place among the faults of the run, from 1. `values` has what it put in the place of what
    is read (`before`) or given (`after`), `absent` what gives nothing; a failure or delay has neither.
    """

    fault: str
    at: str
    number: int
    phase: Literal["before", "after"]
    values: Values = field(default_factory=dict[str, Shown])
    absent: tuple[str, ...] = ()
    kind: Literal["step_faulted"] = "step_faulted"


@frequent
class OutputsEdited:
    """A person changed outputs of a held step: `values` has those given, `absent` those that give nothing."""

    values: Values
    absent: tuple[str, ...] = ()
    kind: Literal["outputs_edited"] = "outputs_edited"


@frequent
class OutputsPinned:
    """The step's node is not executed: it gives what was pinned to it, which came from this run and step."""

    run: str = ""
    origin: str = ""
    edited: bool = False
    kind: Literal["outputs_pinned"] = "outputs_pinned"


@frequent
class StepProgressed:
    """The step says how far it has come; or how far what it needs is, which is no work of its own."""

    done: float
    total: float
    note: str = ""
    is_preparing: bool = False
    kind: Literal["step_progressed"] = "step_progressed"


@frequent
class StepRetried:
    """An attempt failed and another follows."""

    attempt: int
    error: str
    kind: Literal["step_retried"] = "step_retried"


@frequent
class StepFinished:
    """The step gave these outputs; an absent one is missing."""

    outputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["step_finished"] = "step_finished"


@frequent
class StepFailed:
    """The step failed; `error` is the class of error, `message` one sentence, `hint` what to do.

    `origin` is the step that the error came from, where this one failed unrun because of it.
    """

    error: str
    message: str
    hint: str = ""
    origin: str = ""
    kind: Literal["step_failed"] = "step_failed"


@frequent
class StepSkipped:
    """The step did not run, because an input it needs is absent."""

    reason: str = ""
    kind: Literal["step_skipped"] = "step_skipped"


@frequent
class StepCancelled:
    """The step was stopped before it finished."""

    kind: Literal["step_cancelled"] = "step_cancelled"


@frequent
class RaceDecided:
    """The first value came to a race: `winner` is the output that gave it, `index` its wire's place."""

    winner: str
    index: int
    kind: Literal["race_decided"] = "race_decided"


@frequent
class ValueDrawn:
    """The step read the clock (`value` is ISO 8601) or was given chance (`value` is the seed)."""

    source: Literal["clock", "random"]
    value: Plain
    kind: Literal["value_drawn"] = "value_drawn"


@frequent
class FolderOpened:
    """The step works on files from now on; `path` is the folder within the project."""

    path: str = ""
    kind: Literal["folder_opened"] = "folder_opened"


@frequent
class StepTimedOut:
    """The step took longer than its time limit, and is being stopped."""

    seconds: float
    kind: Literal["step_timed_out"] = "step_timed_out"
