"""How the command line speaks: results for people or for programs, and errors with their remedy."""

import sys
import traceback
from collections.abc import Sequence

import orjson

from studio.errors import StepwireError
from studio.trace.events import RunFailed

REPORT = "This is a defect of Stepwire. Run it again with `--debug` to see where it happened."


def print_json(value: object) -> None:
    """Print one JSON document on standard output; keys keep their order."""
    write_line(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())


def write_line(text: str) -> None:
    """Print one line on standard output at once, so that whoever reads it need not wait."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Print a message or progress, on standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def say_error(error: StepwireError) -> None:
    """Print what went wrong, every detail, and what to do about it."""
    details: Sequence[str] = getattr(error, "details", ())
    say(f"error: {error.message}")
    for detail in details:
        say("\n".join(f"  {line}" for line in detail.splitlines()))
    if error.hint:
        say(f"  remedy: {error.hint}")


def say_failure(failed: RunFailed) -> None:
    """Print how a run failed: the sentence, the step, and the remedy."""
    say(f"error: {failed.message}")
    if failed.step:
        say(f"  step: {failed.step}")
    if failed.hint:
        say(f"  remedy: {failed.hint}")


def say_unexpected(error: BaseException, *, debug: bool) -> None:
    """Print an error that nobody meant to raise."""
    if debug:
        traceback.print_exception(error)
    said = " ".join(str(error).split())
    say(f"error: Something unexpected happened: {type(error).__name__}{f': {said}' if said else ''}")
    if not debug:
        say(f"  remedy: {REPORT}")
