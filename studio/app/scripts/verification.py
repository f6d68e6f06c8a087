"""Whether a script asks, does and gives what a run did: it is executed against the recording."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from studio.app.scripts.check.differences import Unlike, compare
from studio.app.scripts.check.play_messages import Played, Recorded, played_from_json, to_json
from studio.errors import RunError, UsageError
from studio.export.versions import version_of
from studio.flow.edits.diff import describe_difference
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.ids import RunId
from studio.past.replays import OldRun
from studio.runtime.failures import DROPPED
from studio.sandbox.process import command
from studio.sdk.registry import Registry
from studio.store.reader import RunStore
from studio.trace import events
from studio.workspace.project import Project
from studio.workspace.runs import bound

LONGEST = 120.0
"""Seconds after which a script is ended: it waits for nothing, so it only computes."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of it. `compared` is how many requests were equal; `notes` is what else has to be known."""

    run: RunId
    compared: int
    difference: Unlike | None = None
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The result in words: equal, different, or not compared."""
        if self.difference is None:
            many = f"{self.compared} request{'' if self.compared == 1 else 's'}"
            return f"Equal to the run {self.run}: {many} and the end are identical."
        if self.difference.what == "broken":
            return _not_compared(self.run, self.difference.sentence)
        return f"Different from the run {self.run}: {self.difference.sentence}"


def verify_script(script: Path, old: OldRun, flow: Flow, registry: Registry) -> Verified:
    """Execute the script of `flow` against a run; the registry has the project's flows as they are now.

    Nothing is asked or changed. Raises as `refuse_incomparable`, and `RunError` where the script does not
    come to an end.
    """
    refuse_incomparable(old)
    notes = tuple(_notes(old, flow, registry))
    recorded = Recorded(old.entries, str(old.project.root))
    try:
        played = _play(script, to_json(recorded))
    except RunError as error:
        raise RunError(_not_compared(old.run, error.message)) from error
    text = script.read_text("utf-8") if script.is_file() else ""
    used, unlike = compare(old, played, bound(registry, old.flows), text)
    return Verified(old.run, used, unlike, notes)


def verify_text(script: str, run: RunId, project: Project, flow: Flow, registry: Registry) -> Verified:
    """Execute the script of `flow`, as a text, against a run of the project; otherwise as `verify_script`."""
    store = RunStore(project.private)
    with tempfile.TemporaryDirectory(prefix="stepwire-") as folder:
        path = Path(folder) / "script.py"
        path.write_text(script, "utf-8")
        return verify_script(path, OldRun.read_whole(store, run), flow, registry)


def _play(script: Path, recorded: bytes) -> Played:
    """Have a process execute it that is given no keys."""
    try:
        ended = subprocess.run(  # noqa: S603  # our own interpreter
            command("studio.app.scripts.check.player", str(script.resolve())),
            input=recorded,
            capture_output=True,
            env=_environ(os.environ),
            timeout=LONGEST,
            check=False,
        )
        return played_from_json(ended.stdout)
    except subprocess.TimeoutExpired as error:
        raise RunError(f"The script did not finish within {LONGEST:g} s.") from error
    except ValidationError as error:
        raise RunError("The script ended its process.") from error


def _environ(given: Mapping[str, str]) -> dict[str, str]:
    """The environment of the process: what Python needs to start."""
    return {name: given[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "TZ") if name in given}


def refuse_incomparable(old: OldRun) -> None:
    """Raise `UsageError` for a run with which no script of a flow can be compared."""
    if old.started.source is not None:
        name = Path(old.started.source.path).name
        raise UsageError(
            _not_compared(old.run, f"That is a run of the script `{name}`, not of the flow."),
            hint="Choose a run of the flow; `stepwire runs list` shows them.",
        )
    if old.pins:
        raise UsageError(
            _not_compared(old.run, "That run used pinned outputs, which scripts do not have."),
            hint="Unpin them, run the flow again, and compare the script with that run.",
        )
    if old.started.faults:
        raise UsageError(
            _not_compared(old.run, "That run had injected faults, which scripts do not have."),
            hint="Run the flow without them, and compare the script with that run.",
        )
    end = old.entries[-1].event
    if isinstance(end, events.RunFinished) or (isinstance(end, events.RunFailed) and end.exit_code == 1):
        return
    raise UsageError(
        _not_compared(old.run, "That run was stopped or is waiting, so there is no end to compare with."),
        hint="Choose a run that finished or failed by itself; `stepwire runs list` shows them.",
    )


def _not_compared(run: RunId, reason: str) -> str:
    return f"Not compared with the run {run}: {reason}"


def _notes(old: OldRun, flow: Flow, registry: Registry) -> list[str]:
    """What makes differences likely: another version of a flow, and edits in the debugger."""
    notes: list[str] = []
    if old.flow.name != flow.name:
        notes.append(f"The run belongs to the flow “{old.flow.name}”, not to “{flow.name}”.")
    now = {"": flow, **reachable(flow, registry)}
    then = {"": old.flow, **old.flows}
    for name in dict.fromkeys((*now, *then)):
        one, other = then.get(name), now.get(name)
        called = f"of the flow `{name}` " if name else "of the flow "
        if one is None or other is None:
            which = "is no longer called" if other is None else "was not called then"
            notes.append(f"The run was made with another version: the flow `{name}` {which}.")
        elif version_of(one) != version_of(other):
            versions = f"({version_of(one)}, not {version_of(other)})"
            told = describe_difference(one, other)
            first = f" Since then: {told[0]}" if told else ""
            notes.append(f"The run was made with another version {called}{versions}.{first}")
    edited = [
        one.step
        for one in old.entries
        if isinstance(one.event, events.InputsEdited | events.OutputsEdited)
        or (isinstance(one.event, events.StepSkipped) and one.event.reason == DROPPED)
    ]
    made_up = sum(
        isinstance(one.event, events.ChatAnswered | events.EmbedAnswered) and one.event.is_made_up
        for one in old.entries
    )
    if made_up:
        was = "answer of the run was" if made_up == 1 else "answers of the run were"
        notes.append(f"{made_up} {was} made up: the script is compared with them, not with a model.")
    if edited:
        notes.append(f"A person edited values of the run, first at `{edited[0]}`; the script does not.")
    return notes
