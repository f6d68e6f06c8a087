"""Runs of scripts, gone back to from the command line: a script is executed once a person approves that."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import StepwireError, UsageError, WaitingError
from studio.terminal.trust import said_yes

if TYPE_CHECKING:
    from studio.past.replays import OldRun
    from studio.script.flow import Flow
    from studio.servers.grants import Grant


def add_approval(parser: argparse.ArgumentParser) -> None:
    """Declare how a script is approved where nobody can be asked."""
    parser.add_argument(
        "--approve-script",
        action="store_true",
        help="of a run of a Python script: approve that the script, as it is now, is executed",
    )


def script_of(old: "OldRun", *, is_approved: bool) -> "Flow":
    """Read the script of a run, once it may be executed; it is approved as it is now, and stays so.

    Raises `UsageError` where it is gone, `AnswerMissingError` where it has changed since the run, and
    `WaitingError` where nobody approves.
    """
    from studio.past.replays import refuse_changed
    from studio.script.script_file import flow_of
    from studio.script.written_flow import file_of
    from studio.servers.grants import script_grant
    from studio.workspace.grants import KeptGrants

    source = old.started.source
    path = Path(source.path) if source is not None else Path()
    if source is None or not path.is_file():
        raise UsageError(
            f"The script `{path}` of the run `{old.run}` is not there.",
            hint=f"Fork the run on its flow: `stepwire replay {old.run} --flow FILE --from STEP`.",
        )
    refuse_changed(old.run, source, file_of(path))
    grants, grant = KeptGrants(os.environ), script_grant(path)
    if not grants.has(grant):
        if not is_approved:
            _ask(grant)
        grants.add(grant)
    try:
        return flow_of(path)
    except StepwireError:
        raise
    except Exception as error:
        message = f"The script `{path}` cannot be read: {type(error).__name__}: {error}"
        raise UsageError(message, hint=f"`python {path} --help` says more.") from error


def refuse_changes(old: "OldRun", named: Sequence[str]) -> None:
    """Raise `UsageError` for options that change what only nodes of a drawn flow have."""
    if named:
        raise UsageError(
            f"`{named[0]}` changes a drawn flow, and the run `{old.run}` is of a script.",
            hint="Change the script and run it again, or fork the run on its flow with `--flow FILE`.",
        )


def _ask(grant: "Grant") -> None:
    """Ask the person at the terminal; raises `WaitingError` where none is there, or declines."""
    said = f"This executes the Python script `{grant.subject}` with your rights."
    hint = "Pass `--approve-script` if you trust it."
    is_approved = said_yes(said, "script")
    if is_approved is None:
        raise WaitingError(f"{said} Nobody is there to approve it.", hint=hint)
    if not is_approved:
        raise WaitingError("The script was not approved.", hint=hint)
