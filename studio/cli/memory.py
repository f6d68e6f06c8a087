"""The memories of a project: list, show, search, export, import, delete items, and save those of a run."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.stored_runs import RUN_HELP, find_run
from studio.errors import UsageError
from studio.flow.plain_text import excerpt, pretty
from studio.terminal.output import print_json, write_line
from studio.trace.figures import size

if TYPE_CHECKING:
    from studio.app.memories.project_memories import ProjectMemories
    from studio.sdk.items import Item

WIDE = 100
"""Characters of an item's text on its line."""
MOST = 50
"""Items that are shown, where nothing else is said."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire memory`."""
    commands = parser.add_subparsers(
        metavar="list|show|search|export|import|remove|undo|mend|take", required=True
    )
    listing = commands.add_parser("list", help="every memory of the project")
    showing = commands.add_parser("show", help="the latest items of a memory, or selected items in full")
    searching = commands.add_parser("search", help="the items that contain all of these words")
    exporting = commands.add_parser("export", help="all items as JSON lines, with their vectors")
    importing = commands.add_parser(
        "import", help="import items from JSON lines; items with the same ids are replaced"
    )
    removing = commands.add_parser("remove", help="delete items; `undo` restores them")
    undoing = commands.add_parser("undo", help="undo the last change, also one made by a run")
    mending = commands.add_parser(
        "mend", help="repair a damaged memory: what can be read goes into a new file"
    )
    taking = commands.add_parser("take", help="save the memory changes of a fork to the project")
    taking.add_argument("run", metavar="RUN", help=RUN_HELP)
    taking.add_argument(
        "--memory", default="", metavar="NAME", help="only this memory (default: all of them)"
    )
    for command in (showing, searching, exporting, importing, removing, undoing, mending):
        command.add_argument("memory", metavar="NAME", help="the memory")
    _add_own(showing, searching, exporting, importing, removing)
    for command, action in (
        (listing, _list),
        (showing, _show),
        (searching, _search),
        (exporting, _export),
        (importing, _import),
        (removing, _remove),
        (undoing, _undo),
        (mending, _mend),
        (taking, _take),
    ):
        command.add_argument(
            "--project", type=Path, default=Path(), metavar="PATH", help="the project (default: this folder)"
        )
        command.add_argument("--json", action="store_true", help="print it as JSON")
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        command.set_defaults(action=action)


def _add_own(
    showing: argparse.ArgumentParser,
    searching: argparse.ArgumentParser,
    exporting: argparse.ArgumentParser,
    importing: argparse.ArgumentParser,
    removing: argparse.ArgumentParser,
) -> None:
    """Declare what one of the commands alone takes."""
    showing.add_argument("ids", nargs="*", metavar="ID", help="everything about these items")
    searching.add_argument("words", nargs="+", metavar="WORDS", help="wherever in an item they stand")
    for command in (showing, searching):
        command.add_argument(
            "--limit",
            type=int,
            default=MOST,
            metavar="N",
            help=f"list at most so many items (default: {MOST})",
        )
    exporting.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: NAME.jsonl")
    exporting.add_argument(
        "--force", action="store_true", help="overwrite a file that does not contain items"
    )
    importing.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="the file, as `export` writes it, or NAME.memory.sqlite of an older exported script",
    )
    importing.add_argument(
        "--kind", default="", metavar="KIND", help="create the memory if there is none, such as memory.notes"
    )
    removing.add_argument("ids", nargs="*", metavar="ID", help="these items")
    removing.add_argument("--all", action="store_true", help="all items")


def execute(arguments: argparse.Namespace) -> int:
    """Do what was asked with the memories."""
    return arguments.action(arguments)


def _list(arguments: argparse.Namespace) -> int:
    found = _memories(arguments).all()
    if arguments.json:
        print_json(
            [
                {"name": one.name, "kind": one.kind, "items": one.count, "bytes": one.bytes}
                | {"version": one.version, "embedded_by": one.embedded_by, "trouble": one.trouble}
                for one in found
            ]
        )
        return 0
    for one in found:
        many = f"{one.count:,} item{'s' * (one.count != 1)}"
        by = f"  vectors by {one.embedded_by}" if one.embedded_by else ""
        write_line(f"{one.name}  {one.kind}  {many}  {size(one.bytes)}  version {one.version}{by}")
        if one.trouble:
            write_line(f"  trouble  {one.trouble}")
    if not found:
        write_line("There are no memories yet. Memory nodes that keep items for the project create them.")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    items = _items(arguments)
    if not arguments.ids:
        return _print(items[-max(arguments.limit, 1) :], len(items), arguments)
    known = {one.id: one for one in items}
    missing = [one for one in arguments.ids if one not in known]
    if missing:
        raise UsageError(f"`{arguments.memory}` has no item `{missing[0]}`.", hint="`show` lists them.")
    chosen = [known[one] for one in arguments.ids]
    if arguments.json:
        return _print(chosen, len(chosen), arguments)
    for one in chosen:
        _print_whole(one)
    return 0


def _search(arguments: argparse.Namespace) -> int:
    from studio.app.memories.item_search import with_words

    found = with_words(_items(arguments), " ".join(arguments.words))
    return _print(found[: max(arguments.limit, 1)], len(found), arguments)


def _export(arguments: argparse.Namespace) -> int:
    memories, items = _memories(arguments), _items(arguments)
    path: Path = arguments.output or Path(f"{arguments.memory}.jsonl")
    return _tell(
        arguments, "exported", memories.export_to(items, path, force=arguments.force), f" are in {path}"
    )


def _import(arguments: argparse.Namespace) -> int:
    many = _memories(arguments).import_from(arguments.memory, arguments.file, arguments.kind)
    return _tell(arguments, "imported", many, f" are now in `{arguments.memory}`")


def _remove(arguments: argparse.Namespace) -> int:
    if bool(arguments.ids) == arguments.all:
        raise UsageError("Nothing to delete was named.", hint="Pass ids, or `--all`.")
    memories, items = _memories(arguments), _items(arguments)
    known = {one.id for one in items}
    for one in arguments.ids:
        if one not in known:
            raise UsageError(f"`{arguments.memory}` has no item `{one}`.", hint="`show` lists them.")
    if items:
        memories.remove(arguments.memory, arguments.ids or [one.id for one in items])
    return _tell(arguments, "removed", len(arguments.ids or items), " deleted; `undo` restores them")


def _undo(arguments: argparse.Namespace) -> int:
    version = _memories(arguments).undo(arguments.memory)
    if arguments.json:
        print_json({"version": version})
    else:
        write_line(f"`{arguments.memory}` is back at version {version}.")
    return 0


def _mend(arguments: argparse.Namespace) -> int:
    many = _memories(arguments).mend(arguments.memory)
    return _tell(arguments, "saved", many, " could be recovered; the damaged file is beside the new one")


def _take(arguments: argparse.Namespace) -> int:
    from studio.app.memories.run_memories import is_changed

    store, run = find_run(arguments.project, arguments.run)
    state, memories = store.load(run), _memories(arguments)
    lasting = [name for name, one in state.memories.opened.items() if one.keep == "project"]
    wanted = [arguments.memory] if arguments.memory else [n for n in lasting if is_changed(state, n)]
    if not wanted:
        raise UsageError("This run has changed no memory of the project.")
    taken = {name: memories.take(state, name) for name in wanted}
    if arguments.json:
        print_json({"run": state.run, "taken": taken})
        return 0
    for name, many in taken.items():
        write_line(
            f"{many} change{'s' * (many != 1)} of {state.run} {'are' if many != 1 else 'is'} now in `{name}`."
        )
    return 0


def _memories(arguments: argparse.Namespace) -> "ProjectMemories":
    from studio.app.memories.project_memories import ProjectMemories
    from studio.workspace.project import Project

    return ProjectMemories(Project.open(arguments.project))


def _items(arguments: argparse.Namespace) -> "Sequence[Item]":
    memories = _memories(arguments)
    memories.find(arguments.memory)
    return memories.items(arguments.memory)


def _print(items: "Sequence[Item]", many: int, arguments: argparse.Namespace) -> int:
    from studio.app.memories.item_lines import plain_item

    if arguments.json:
        print_json([plain_item(one) for one in items])
        return 0
    for one in items:
        by = f"  by {one.by}" if one.by else ""
        write_line(f"{one.id}  {one.at[:19].replace('T', ' ')}{by}  {excerpt(one.text, WIDE)}")
    if not many:
        write_line("No items." if "words" not in arguments else ("No item contains all of these words."))
    elif many > len(items):
        write_line(f"… {len(items)} of {many:,}; `--limit N` shows more.")
    return 0


def _print_whole(item: "Item") -> None:
    write_line(f"{item.id}  {item.at}  by {item.by or 'nobody'}")
    if item.labels:
        write_line(f"  made from  {', '.join(item.labels)}")
    for name, value in item.data.items():
        write_line(f"  {name}  {value if isinstance(value, str) else pretty(value)}")
    for line in item.text.splitlines():
        write_line(f"  | {line}")


def _tell(arguments: argparse.Namespace, done: str, many: int, words: str) -> int:
    if arguments.json:
        print_json({done: many})
    else:
        write_line(f"{many} item{'s' * (many != 1)}{words}.")
    return 0
