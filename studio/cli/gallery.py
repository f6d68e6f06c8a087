"""Published agent systems as projects: list them, copy one, print their figures."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio import places
from studio.cli.gallery_table import print_table
from studio.errors import UsageError
from studio.terminal.output import print_json, say, write_line

if TYPE_CHECKING:
    from studio.app.gallery.records import Exhibit
    from studio.app.gallery.systems import Entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire gallery`."""
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="*", help="a folder's name, or a number such as S043"
    )
    parser.add_argument(
        "--mechanism", default="", metavar="NAME", help="only systems with this mechanism, such as debate"
    )
    parser.add_argument("--all", action="store_true", help="also list systems that are not built, and why")
    parser.add_argument(
        "--copy", type=Path, metavar="FOLDER", help="copy one system to this folder, to change it"
    )
    parser.add_argument(
        "--table", action="store_true", help="run each on its scripted answers and print its figures"
    )
    parser.add_argument(
        "--measure", action="store_true", help="in the table: also compare each with its baselines"
    )
    parser.add_argument(
        "--write-page",
        action="store_true",
        help="in a checkout: regenerate resources/systems.md and the pages of the projects",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """List the systems, or do with them what was asked; 1 where one fails in the table."""
    from studio.app.gallery.pages import pages
    from studio.app.gallery.systems import PAGE, all_entries, page

    entries = all_entries()
    if arguments.write_page:
        for path, text in {places.resources() / PAGE: page(entries), **pages(entries)}.items():
            path.write_text(text, "utf-8")
            write_line(str(path))
        return 0
    chosen = _chosen(entries, arguments.systems, arguments.mechanism)
    shown = [one.exhibit for one in chosen if one.exhibit is not None]
    if arguments.copy is not None:
        return _copy(shown, arguments.copy)
    if arguments.table or arguments.measure:
        return print_table(shown, is_measured=arguments.measure, as_json=arguments.json)
    listed = chosen if arguments.all or arguments.systems else [one for one in chosen if one.exhibit]
    if arguments.json:
        print_json([_plain(one) for one in listed])
        return 0
    for one in listed:
        _print(one)
    _print_sum(entries)
    return 0


def _chosen(entries: "Sequence[Entry]", names: Sequence[str], mechanism: str) -> "list[Entry]":
    from studio.app.gallery.records import MECHANISMS

    if mechanism and mechanism not in MECHANISMS:
        raise UsageError(f"There is no mechanism `{mechanism}`.", hint=f"There are {', '.join(MECHANISMS)}.")
    named = {one.system.id: [one] for one in entries}
    for one in entries:
        if one.exhibit is not None:
            named.setdefault(one.exhibit.slug, []).append(one)
    for name in names:
        if name not in named:
            raise UsageError(
                f"The gallery has no `{name}`.", hint="`stepwire gallery --all` lists what there is."
            )
    chosen = [one for name in names for one in named[name]] or entries
    return [one for one in chosen if not mechanism or (one.exhibit and _shows(one.exhibit, mechanism))]


def _shows(exhibit: "Exhibit", mechanism: str) -> bool:
    return mechanism in exhibit.record.mechanisms


def _copy(shown: "Sequence[Exhibit]", into: Path) -> int:
    from studio.app.projects.copies import copy_project
    from studio.workspace.trust import Trust

    if len({one.folder for one in shown}) != 1:
        raise UsageError("Name one system to copy.", hint="`stepwire gallery` lists them.")
    project = copy_project(shown[0].folder, into)
    Trust(os.environ).note_made_here(project.root)
    write_line(str(project.root))
    say(f"Run it with `stepwire run {project.root}`, or open it with `stepwire {project.root}`.")
    return 0


def _plain(entry: "Entry") -> dict[str, object]:
    exhibit = entry.exhibit
    return {
        "system": entry.system.id,
        "title": exhibit.record.title if exhibit else entry.system.name,
        "paper": entry.system.paper,
        "state": str(entry.standing),
        "claim": str(entry.shown),
        "why": entry.why,
        "mechanisms": list(exhibit.record.mechanisms) if exhibit else [],
        "path": str(exhibit.folder) if exhibit else None,
    }


def _print(entry: "Entry") -> None:
    from studio.app.gallery.systems import words_of

    state, claim = words_of(entry)
    state = claim if claim.startswith(state) else f"{state} · {claim}"
    if entry.exhibit is None:
        write_line(f"{entry.system.id} {entry.system.name}\n    {state}")
        return
    record = entry.exhibit.record
    shows = ", ".join(record.mechanisms)
    write_line(f"{record.system} {record.title}: {shows}\n    {state}\n    {entry.exhibit.folder}")


def _print_sum(entries: "Sequence[Entry]") -> None:
    from studio.app.gallery.systems import counted

    say(f"{len(entries)} systems: {counted(entries)}")
