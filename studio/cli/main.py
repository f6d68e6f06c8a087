"""The subcommands that need no window, their arguments, and their exit codes.

0 done, 1 the run failed, 2 the call or a file was wrong, 3 a limit was reached, 4 something waits for a
person, 130 and 143 interrupted.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import NoReturn

from studio import __version__
from studio.cli import (
    answer_server,
    check,
    examples,
    export,
    gallery,
    grants,
    measure,
    memory,
    new,
    nodes,
    prices,
    profiles,
    replay,
    resume,
    run,
    runs,
    sandbox,
)
from studio.cli.printing import OutputLostError, say_error, say_unexpected
from studio.errors import StepwireError
from studio.supervisor import Supervised

INTERRUPTED = 130
COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "check": check,
    "export": export,
    "runs": runs,
    "replay": replay,
    "resume": resume,
    "memory": memory,
    "grants": grants,
    "sandbox": sandbox,
    "nodes": nodes,
    "measure": measure,
    "prices": prices,
    "profiles": profiles,
    "answer-server": answer_server,
    "new": new,
    "examples": examples,
    "gallery": gallery,
}
"""Each module has `add_arguments(parser)`, `execute(arguments) -> int`, and its first line as help."""


def main(
    argv: Sequence[str],
    commands: Mapping[str, ModuleType] = COMMANDS,
    above: Supervised | None = None,
) -> int:
    """Run one of `commands` and give the exit code; no error leaves here as a traceback.

    What executes a run tells the process above, where there is one.
    """
    debug = "--debug" in argv
    try:
        arguments = make_parser(commands).parse_args(list(argv), argparse.Namespace(above=above))
        code = arguments.execute(arguments)
        sys.stdout.flush()
    except SystemExit as ended:  # argparse: help, version, or a wrong call
        return ended.code if isinstance(ended.code, int) else 2
    except StepwireError as error:
        if isinstance(error, OutputLostError):
            _forget_output()
        say_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return 1
    except Exception as error:  # noqa: BLE001  # the last door: whoever called sees a sentence
        say_unexpected(error, debug=debug)
        return 1
    else:
        return code


def make_parser(offered: Mapping[str, ModuleType] = COMMANDS) -> argparse.ArgumentParser:
    """Describe the whole command line."""
    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show where an unexpected error happened")
    parser = _Parser(
        prog="stepwire",
        description="Draw, debug and ship LLM agent graphs.",
        epilog="Without a subcommand: `stepwire [PATH]` opens the window on a project or a flow.",
    )
    parser.add_argument("--version", action="version", version=f"stepwire {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, module in offered.items():
        summary = (module.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=summary, parents=[common])
        module.add_arguments(command)
        command.set_defaults(execute=module.execute)
    return parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"error: {message[:1].upper()}{message[1:]}.\n  remedy: See `{self.prog} --help`.\n")


def _forget_output() -> None:
    """Keep Python from complaining at exit about what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
