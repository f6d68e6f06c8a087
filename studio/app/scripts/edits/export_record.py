"""Which flow a script was exported from, and what that flow was like then."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from studio.app.scripts.edits.script import Script
from studio.app.scripts.edits.script_reader import ScriptUnreadableError, read_script
from studio.errors import StepwireError, UsageError
from studio.export.versions import version_of
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.script.head import drawn_file
from studio.store.reader import RunStore
from studio.trace.events import RunStarted
from studio.workspace.files import load_flow, versions_of
from studio.workspace.project import Project

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a script that are read; a larger one was not exported."""
LAST_RUNS: Final = 50
"""In how many of the last runs an earlier version of a flow is looked for."""
NAME_IT: Final = "Name the flow with `--into FLOW`."


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A script that was read from a file."""

    path: Path
    script: Script
    text: str


def read_script_file(path: Path) -> ReadFile:
    """Read a script from a file; raises `ScriptUnreadableError`."""
    try:
        if not path.is_file():
            raise ScriptUnreadableError(f"`{path}` is not a file.", hint="Choose an exported script.")
        if path.stat().st_size > LARGEST:
            raise ScriptUnreadableError(f"`{path}` is too large for a script.", hint="Choose another file.")
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"`{path}` could not be read: {reason}."
        raise ScriptUnreadableError(message, hint="Choose another file.") from error
    return ReadFile(path, read_script(text), text)


def flow_of_script(read: ReadFile) -> Path:
    """Find the flow that a script says it is from: beside it, or in the project in which it lies.

    Raises `UsageError` where there is none.
    """
    head = read.script.head
    if head is None:
        raise UsageError("The script does not say which flow it was exported from.", hint=NAME_IT)
    found = drawn_file(read.path, head)
    if found is None:
        raise UsageError(f"The flow `{head.source}` of the script was not found.", hint=NAME_IT)
    return found


def edited_since(
    script: Script, project: Project, flow: Flow, flows: Mapping[str, Flow]
) -> dict[str, Flow | None]:
    """Give the flows that were edited since the export, as they were then; None where that is not kept.

    The flow itself has the empty name. A script that names no versions is taken to be from the present ones.
    """
    found: dict[str, Flow | None] = {}
    for name, version in script.head.versions.items() if script.head is not None else ():
        present = flow if not name else flows.get(name)
        if present is not None and version_of(present) != version:
            path = project.main_flow if not name else project.place_of(name)
            earlier = (*_kept(path), *_run(project, name))
            found[name] = next((one for one in earlier if version_of(one) == version), None)
    return found


def _kept(path: Path) -> Iterator[Flow]:
    """The versions of a flow's file that are kept beside it."""
    for one in versions_of(path):
        try:
            yield load_flow(one).flow
        except StepwireError:
            continue


def _run(project: Project, name: str) -> Iterator[Flow]:
    """The flows of the last runs: the one that was run, or the one that it called by this name."""
    store = RunStore(project.private)
    for run in islice(store.runs(), LAST_RUNS):
        try:
            first = next(iter(store.entries(run.run)), None)
            started = first.event if first is not None else None
            if isinstance(started, RunStarted):
                text = started.flow if not name else started.flows.get(name, "")
                if text:
                    yield codec.loads(text).flow
        except StepwireError:
            continue  # a damaged run
