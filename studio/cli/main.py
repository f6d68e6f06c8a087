"""The subcommands that need no window, their arguments, and their exit codes.

0 done, 1 the run failed, 2 the call or a file was wrong, 3 a limit was reached, 4 something waits for a
person, 5 nobody has approved what it executes, 130 and 143 interrupted.
"""

import argparse
import importlib
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from studio import __version__
from studio.errors import ProfileError, StepwireError, UntrustedError
from studio.ids import MADE_UP, PERSON
from studio.supervisor import Supervised
from studio.terminal.output import for_terminal, say, say_unexpected, told
from studio.terminal.trust import is_approved

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

ANSWERED = ("run", "replay", "resume")
"""The commands of which `--chat` says who answers."""


class Command(NamedTuple):
    """A subcommand: the module that does it, which is imported when it is chosen, and its help."""

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "run": Command("studio.cli.run", "Run a flow and print its outputs."),
    "check": Command("studio.cli.check", "Check flows: list every problem with its node and remedy."),
    "export": Command("studio.cli.export", "Write a flow as a Python script that runs without Stepwire."),
    "apply": Command(
        "studio.cli.apply",
        "Apply edits of texts and settings in an exported script to its flow, after showing the differences.",
    ),
    "runs": Command(
        "studio.cli.runs",
        "The runs of a project: list, show, compare, search, bundle, cancel and remove them.",
    ),
    "replay": Command(
        "studio.cli.replay",
        "Replay a run from its recording, or fork it with other values, settings or another flow.",
    ),
    "resume": Command(
        "studio.cli.resume",
        "Resume a run that ended early: its process died, it failed, reached a limit, or waits for a person.",
    ),
    "memory": Command(
        "studio.cli.memory",
        "The memories of a project: list, show, search, export, import, delete items, and "
        "save those of a run.",
    ),
    "grants": Command(
        "studio.cli.grants",
        "Show what a flow would start or reach that needs your approval, and approve or withdraw it.",
    ),
    "trust": Command(
        "studio.cli.trust",
        "Show what a project executes, reaches and writes, and approve or withdraw it.",
    ),
    "sandbox": Command(
        "studio.cli.sandbox", "Build the sandbox in which Python code of flows runs, if needed, and test it."
    ),
    "nodes": Command(
        "studio.cli.nodes",
        "The installed node types: all of them, or one with its ports and settings.",
    ),
    "eval": Command(
        "studio.cli.eval",
        "Run an experiment, or what is left of it: variants of flows on the rows of a dataset, compared.",
    ),
    "datasets": Command(
        "studio.cli.datasets",
        "List the formats of datasets, check a file, and convert one into JSON lines.",
    ),
    "measure": Command(
        "studio.cli.measure",
        "Evaluate how often flows are right, and at what cost, with simulated solvers.",
    ),
    "prices": Command("studio.cli.prices", "Show what tokens cost, and which file overrides it."),
    "profiles": Command(
        "studio.cli.profiles",
        "List the chat profiles of a project, or test what an endpoint supports.",
    ),
    "answer-server": Command(
        "studio.cli.answer_server",
        "Serve scripted answers over the OpenAI HTTP protocol on this machine.",
    ),
    "kit": Command(
        "studio.cli.kit",
        "Write the engine as a wheel, for machines on which scripts run flows without the studio.",
    ),
    "desktop": Command(
        "studio.cli.desktop", "Add Stepwire to the menu of this desktop, with its file types, or remove it."
    ),
    "new": Command("studio.cli.new", "Create a project that asks a model one question and runs at once."),
    "examples": Command("studio.cli.examples", "List the example projects that come with Stepwire."),
    "gallery": Command(
        "studio.cli.gallery",
        "Published agent systems as projects: list them, copy one, print their figures.",
    ),
}
"""Each module has `add_arguments(parser)`, `execute(arguments) -> int`, and the summary as its first line."""


def main(
    argv: Sequence[str],
    commands: Mapping[str, Command] = COMMANDS,
    above: Supervised | None = None,
) -> int:
    """Run one of `commands` and give the exit code; no error leaves here as a traceback.

    What executes a run tells the process above, where there is one; `say` is for commands of other layers.
    """
    debug = "--debug" in argv
    try:
        arguments = make_parser(commands, _chosen(argv)).parse_args(
            list(argv), argparse.Namespace(above=above, say=say)
        )
        try:
            code = arguments.execute(arguments)
        except UntrustedError as error:
            if not is_approved(error, is_meant=getattr(arguments, "trust", False)):
                raise
            code = arguments.execute(arguments)
        sys.stdout.flush()
    except SystemExit as ended:  # argparse: help, version, or a wrong call
        return ended.code if isinstance(ended.code, int) else 2
    except (StepwireError, KeyboardInterrupt, BrokenPipeError) as error:
        code = told(error)
        if isinstance(error, ProfileError) and _chosen(argv) in ANSWERED:
            _say_what_needs_no_key(argv)
        return code
    except Exception as error:  # noqa: BLE001  # the last door: whoever called sees a sentence
        say_unexpected(error, debug=debug)
        return 1
    else:
        return code


def _say_what_needs_no_key(argv: Sequence[str]) -> None:
    """Give the lines that do the same without anything that is missing."""
    left, skips = list[str](), False
    for one in argv:
        if not skips and one != "--chat" and not one.startswith("--chat="):
            left.append(one)
        skips = one == "--chat"
    line = shlex.join(["stepwire", *left])
    say(f"  without a key: `{line} --chat {MADE_UP}` makes up answers that fit the request;")
    say(f"                 `{line} --chat {PERSON}` lets you answer each chat yourself.")


def make_parser(
    offered: Mapping[str, Command] = COMMANDS, chosen: str | None = None
) -> argparse.ArgumentParser:
    """Describe the command line: all of it, or the `chosen` command alone; nine tenths are for the others."""
    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    parser = _Parser(
        prog="stepwire",
        description="Draw, debug and ship LLM agent graphs.",
        epilog="Without a subcommand, `stepwire [PATH]` opens the window on a project or a flow.",
    )
    parser.add_argument("--version", action="version", version=f"stepwire {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, one in offered.items():
        if chosen in offered and name != chosen:
            continue
        command = commands.add_parser(name, help=one.summary, description=one.summary, parents=[common])
        if chosen is None or name == chosen:
            module = importlib.import_module(one.module)
            module.add_arguments(command)
            command.set_defaults(execute=module.execute)
    return parser


def _chosen(argv: Sequence[str]) -> str:
    """The first word, which names the command; empty where an option comes first: help lists them all."""
    return "".join(one for one in argv[:1] if not one.startswith("-"))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"error: {message[:1].upper()}{message[1:]}.\n  remedy: See `{self.prog} --help`.\n")

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        super()._print_message(for_terminal(message), file)  # it quotes the words of the call
