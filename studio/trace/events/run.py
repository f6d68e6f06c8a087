"""What happens with a run as a whole: its start and end, its limits, its log, what it is held for."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from studio.trace.events.values import Plain, Shown, Values, frequent


@frequent
class Origin:
    """The earlier run that a run goes back to, and the step from which it was forked (none: a replay).

    `again` has the steps that the fork does again (False: that only give other outputs), `edits` the values
    in the place of a step's own, with the step and the side of its work: all that it takes to fork once more.
    `changes` tells in a sentence each what a person made different.
    """

    run: str
    step: str = ""
    again: Mapping[str, bool] = field(default_factory=dict[str, bool])
    edits: tuple[tuple[str, Literal["before", "after"], Mapping[str, Plain]], ...] = ()
    changes: tuple[str, ...] = ()


@frequent
class Pin:
    """What a node gives without being executed, by output, and the run and step that gave it first.

    `edited` tells that a person changed it, or typed it in.
    """

    values: Values
    run: str = ""
    step: str = ""
    edited: bool = False


@frequent
class ScriptFile:
    """The script that a run executes: where it was, the SHA-256 of its text, and that text, keyless."""

    path: str
    digest: str
    text: str = ""


@frequent
class RunStarted:
    """A run began. `flow` is the canonical text of the flow that runs, `flows` of those that it may call."""

    flow_name: str
    flow: str
    inputs: Values = field(default_factory=dict[str, Shown])
    profile: str = ""
    project: str = ""
    forked_from: Origin | None = None
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    flows: Mapping[str, str] = field(default_factory=dict[str, str])
    script: bool = False
    """Whether a script ran it, and not the studio."""
    pins: Mapping[str, Pin] = field(default_factory=dict[str, Pin])
    """What nodes gave without being executed, by node; those of called flows as `summary.json:critic`."""
    source: ScriptFile | None = None
    """What decided which steps there are, where that was no flow; `flow` then has only the inputs."""
    faults: tuple[Plain, ...] = ()
    """What goes wrong in it on purpose (`studio.runtime.gates.faults`)."""
    kind: Literal["run_started"] = "run_started"


@frequent
class NodeMet:
    """A script calls a node type, for the first time in this way: `node` is its name and where it stands.

    Rounds and items are left out of that: `rounds/writer`, or `summary/writer` in a function that is called.
    """

    node: str
    type: str
    settings: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    kind: Literal["node_met"] = "node_met"


@frequent
class RunContinued:
    """The run goes on after it ended too early: what had finished is kept, the rest is begun again."""

    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    kind: Literal["run_continued"] = "run_continued"


@frequent
class BindingOpened:
    """What a binding node lends can be used from now on."""

    node: str
    kind: Literal["binding_opened"] = "binding_opened"


@frequent
class BindingClosed:
    """A binding node released what it held."""

    node: str
    kind: Literal["binding_closed"] = "binding_closed"


@frequent
class StopAsked:
    """A person cancelled the step, or all that went on in the round or item, that `name` names."""

    name: str
    kind: Literal["stop_asked"] = "stop_asked"


@frequent
class BudgetWarned:
    """Most of a limit is used up: the run's, or that of `node`."""

    limit: str
    spent: float
    allowed: float
    node: str = ""
    kind: Literal["budget_warned"] = "budget_warned"


@frequent
class BudgetReached:
    """A limit is used up, and the run is held until a person raises it or stops the run."""

    limit: str
    spent: float
    allowed: float
    node: str = ""
    kind: Literal["budget_reached"] = "budget_reached"


@frequent
class BudgetRaised:
    """A person raised a limit that was reached to `allowed`; the run goes on."""

    limit: str
    allowed: float
    node: str = ""
    kind: Literal["budget_raised"] = "budget_raised"


@frequent
class BudgetLeft:
    """Whoever waited at a limit was stopped, so that nothing asks for more any longer."""

    limit: str
    node: str = ""
    kind: Literal["budget_left"] = "budget_left"


@frequent
class LogWritten:
    """A node wrote a line, or a `breakpoint` did, which is then its key."""

    text: str
    breakpoint: str = ""
    kind: Literal["log_written"] = "log_written"


@frequent
class RunHeld:
    """No new step starts until a person goes on."""

    reason: str = ""
    kind: Literal["run_held"] = "run_held"


@frequent
class RunResumed:
    """Steps start again."""

    kind: Literal["run_resumed"] = "run_resumed"


@frequent
class RunFinished:
    """The run is done; its outputs by the id of their flow output."""

    outputs: Values = field(default_factory=dict[str, Shown])
    kind: Literal["run_finished"] = "run_finished"


@frequent
class RunFailed:
    """The run ended with the error of a step (`step` is its name, empty where none is to blame)."""

    error: str
    message: str
    hint: str = ""
    step: str = ""
    exit_code: int = 1
    kind: Literal["run_failed"] = "run_failed"


@frequent
class RunCancelled:
    """The run was stopped."""

    kind: Literal["run_cancelled"] = "run_cancelled"
