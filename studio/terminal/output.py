"""How the command line speaks: results for people or for programs, and errors with their remedy."""

import io
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import StepwireError

if TYPE_CHECKING:
    from studio.trace.events import RunFailed

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What moves the cursor, rings, changes what a terminal shows, or in which order it shows it.

Line breaks and tabs are not among it.
"""

INTERRUPTED = 130
"""The exit code of a command that Ctrl+C ended."""

REPORT = "This is a bug in Stepwire. Run it again with `--debug` for the traceback."


class OutputLostError(StepwireError):
    """Standard output takes nothing more, and not because its reader went away."""


def prepare_streams() -> None:
    """Make both outputs take any text, and where a process was started without them, swallow it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  for good
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: object) -> None:
    """Print one JSON document on standard output; keys keep their order."""
    import orjson

    write_line(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode(), exact=True)


def write_line(text: str, *, exact: bool = False) -> None:
    """Print one line on standard output at once, so that whoever reads it need not wait.

    What commands a terminal is shown instead; an `exact` line, which is the result itself, goes as it stands
    to whatever is no terminal. Raises `OutputLostError` where the line could not be written, and
    `BrokenPipeError` as it comes.
    """
    try:
        sys.stdout.write(f"{text if exact and not sys.stdout.isatty() else for_terminal(text)}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"The output could not be written: {error.strerror or error}."
        raise OutputLostError(message, hint="Check whether the disk is full.") from error


def say(text: str) -> None:
    """Print a message or progress, on standard error; where that is full, nowhere.

    It is for people wherever it goes: what is kept in a file is looked at in a terminal later.
    """
    try:
        sys.stderr.write(f"{for_terminal(text)}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        raise
    except OSError:
        return


def for_terminal(text: str) -> str:
    r"""Show what would command the terminal instead of being shown, as JSON writes it: `\u001b`.

    What a language model or a file says reaches the screen, and must not be able to rewrite it.
    """
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say_error(error: StepwireError) -> None:
    """Print what went wrong, every detail, and what to do about it."""
    details: Sequence[str] = getattr(error, "details", ())
    say(f"error: {error.message}")
    for detail in details:
        say("\n".join(f"  {line}" for line in detail.splitlines()))
    if error.hint:
        say(f"  remedy: {error.hint}")


def say_failure(failed: "RunFailed") -> None:
    """Print how a run failed: the sentence, the step, and the remedy."""
    say(f"error: {failed.message}")
    if failed.step:
        say(f"  step: {failed.step}")
    if failed.hint:
        say(f"  remedy: {failed.hint}")


def told(error: BaseException) -> int:
    """Say why a command ended early, and give its exit code; raises again what was not raised on purpose.

    Where nobody reads the output any more, nothing is said, and Python is kept from saying it at exit.
    """
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError | OutputLostError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 1
    if not isinstance(error, StepwireError):
        raise error
    say_error(error)
    return error.exit_code


def say_unexpected(error: BaseException, *, debug: bool) -> None:
    """Print an error that nobody meant to raise."""
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    said = " ".join(str(error).split())
    say(f"error: Unexpected error: {type(error).__name__}{f': {said}' if said else ''}")
    if not debug:
        say(f"  remedy: {REPORT}")
