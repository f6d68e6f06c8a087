"""Apply edits of texts and settings in an exported script to its flow, after showing the differences."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, say, write_line

if TYPE_CHECKING:
    from studio.app.scripts.edits.edits import Edit, Remark
    from studio.app.scripts.edits.files import Offer
    from studio.app.scripts.edits.words import Consequences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire apply`."""
    parser.add_argument("script", metavar="SCRIPT", type=Path, help="a script that was exported and edited")
    parser.add_argument(
        "--into",
        metavar="FLOW",
        type=Path,
        help="the flow file or project folder (default: the flow that the script names)",
    )
    parser.add_argument("--yes", action="store_true", help="save the edits without asking")
    parser.add_argument(
        "--force",
        action="store_true",
        help="also apply edits that conflict with the flow's, and those that leave errors in it",
    )
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print the differences and save them where somebody says so.

    1 where there are differences that cannot be applied, or would leave errors, and nothing was; 2 for what
    cannot be read.
    """
    from studio.app.scripts.edits.files import open_offer

    offer = open_offer(arguments.script, arguments.into)
    chosen = offer.found.edits if arguments.force else offer.found.clear
    follows = offer.consequences(chosen)
    is_saved, is_broken = False, bool(follows.errors) and not arguments.force
    if not arguments.json:
        _print(offer, chosen, follows)
    if is_broken:
        say("Nothing was saved: the flow could not run with these edits. `--force` saves them all the same.")
    elif chosen and (arguments.yes or (not arguments.json and _is_wanted(len(chosen)))):
        saved = offer.save(chosen)
        is_saved = bool(saved)
        for path in saved:
            say(f"Saved `{path}`.")
    elif chosen:
        say("Nothing was saved; `--yes` saves the edits.")
    if arguments.json:
        print_json(_plain(offer, chosen if is_saved else ()))
    is_left = bool(offer.found.remarks or len(chosen) < len(offer.found.edits))
    return 1 if is_broken or (is_left and not is_saved) else 0


def _is_wanted(count: int) -> bool:
    """Ask on a terminal; without one nobody says yes."""
    from studio.terminal.people import terminal

    if terminal() is None:
        return False
    say(f"Apply {'this edit' if count == 1 else f'these {count} edits'} to the flow? [y/N]")
    try:
        return input().strip().casefold() in {"y", "yes"}
    except EOFError:
        return False


def _print(offer: "Offer", chosen: "Sequence[Edit]", follows: "Consequences") -> None:
    found = offer.found
    if not found.edits and not found.remarks:
        write_line("The script and the flow have the same texts and settings.")
    for name in offer.edited:
        write_line(f"`{offer.path(name)}` was edited since the script was exported.")
    for one in found.edits:
        _print_edit(offer, one)
        if one not in chosen:
            write_line(f"  not applied: {one.conflict} `--force` applies it.")
    for sentence in (*follows.wires, *follows.errors):
        write_line(f"Then: {sentence}")
    if found.remarks:
        write_line("Other differences, which cannot be applied:")
    for one in found.remarks:
        write_line(f"  {_place(offer, one)}{one.words}")


def _print_edit(offer: "Offer", edit: "Edit") -> None:
    from studio.app.scripts.edits.words import lines_of

    write_line(f"{_place(offer, edit)}{edit.label} of “{edit.title}”")
    for mark, text in lines_of(edit):
        write_line(f"  … {text}" if mark == "@" else f"  {mark} {text}".rstrip())


def _place(offer: "Offer", one: "Edit | Remark") -> str:
    line = f"line {one.line}: " if one.line else ""
    return f"{one.flow}, {line}" if one.flow and len(offer.flows) > 1 else line


def _plain(offer: "Offer", saved: "Sequence[Edit]") -> dict[str, object]:
    return {
        "flow": str(offer.path("")),
        "edits": [
            {
                "flow": one.flow,
                "node": one.node,
                "place": one.place,
                "name": one.name,
                "label": one.label,
                "before": one.before,
                "after": one.after,
                "line": one.line,
                "conflict": one.conflict,
                "applied": one in saved,
            }
            for one in offer.found.edits
        ],
        "others": [asdict(one) for one in offer.found.remarks],
    }
