"""Going back to runs of scripts: that executes a file, which is done in a terminal."""

import shlex
from pathlib import PurePath
from typing import Literal

from studio.errors import UsageError
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.trace.events import RunStarted
from studio.trace.events.run import ScriptFile
from studio.workspace.project import Project


class ScriptRunError(UsageError):
    """A run is of a script, which the window does not execute; the `command` does, in a terminal."""

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.command = command


def refuse_script(project: Project, run: RunId, how: Literal["replay", "resume"]) -> None:
    """Raise `ScriptRunError` where a run is of a script."""
    source = _source(project, run)
    if source is not None:
        message = (
            f"This is a run of the script `{PurePath(source.path).name}`. "
            f"To {how} it means to execute that script, which is done in a terminal."
        )
        command = f"stepwire {how} {run} --project {shlex.quote(str(project.root))}"
        raise ScriptRunError(message, command)


def _source(project: Project, run: RunId) -> ScriptFile | None:
    first = next(iter(RunStore(project.private).entries(run)), None)
    return first.event.source if first is not None and isinstance(first.event, RunStarted) else None
