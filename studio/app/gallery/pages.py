"""The page of a project of the gallery, `README.md`, written from its record, its flows and the list."""

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from studio.app.gallery.records import Block, Exhibit, GalleryRecord
from studio.app.gallery.systems import Entry, words_of
from studio.flow.records import Flow
from studio.workspace.files import load_flow
from studio.workspace.project import Project

PAGE = "README.md"
WIDTH = 120
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def pages(entries: Iterable[Entry]) -> dict[Path, str]:
    """Write the page of every project that shows a system, by its file.

    Raises `ProjectError` and `FlowFileError` for what cannot be read.
    """
    shown: dict[Path, list[tuple[Entry, Exhibit]]] = {}
    for entry in entries:
        if entry.exhibit is not None:
            shown.setdefault(entry.exhibit.folder, []).append((entry, entry.exhibit))
    return {folder / PAGE: _page(folder, systems) for folder, systems in shown.items()}


def _page(folder: Path, systems: Sequence[tuple[Entry, Exhibit]]) -> str:
    project = Project.open(folder)
    flows = {project.name_of(path): load_flow(path).flow for path in project.flows}
    lines: list[str] = []
    several = len(systems) > 1
    if several:
        lines += [f"# {project.name}", ""]
        lines += [f"- {one.record.title} ({one.record.system})" for _, one in systems]
        lines.append("")
    told = {one.record.flow or project.name_of(project.main_flow) for _, one in systems}
    for entry, exhibit in systems:
        own = exhibit.record.flow or project.name_of(project.main_flow)
        lines += _system(entry, exhibit, own, flows, "#" if not several else "##", told)
    lines.append("Written from `gallery.json` and the flows by `stepwire gallery --write-page`.")
    return "\n".join(lines) + "\n"


def _system(
    entry: Entry, exhibit: Exhibit, own: str, flows: Mapping[str, Flow], mark: str, told: set[str]
) -> Iterator[str]:
    record = exhibit.record
    yield from (f"{mark} {record.title} ({record.system})", "")
    yield from _wrapped(f"*{record.paper}*")
    state, claim = words_of(entry)
    yield from ("", f"State: {state}. Claim: {claim}.", "")
    yield from _blocks(record.about or [flows[own].description])
    claimed: list[Block] = [] if entry.system.claim.startswith("-") else [entry.system.claim.strip()]
    yield from _part(mark, "What the paper claims", [*record.claimed, *([] if record.claimed else claimed)])
    yield from _part(mark, "What the flow shows", [*record.shown, *_claims(record, own)])
    yield from _part(mark, "Its flows", _table(record, own, flows, told))
    yield from _part(mark, "Run it", [[*_commands(exhibit, own, flows[own])]])
    yield from _part(mark, "Measured", record.measured)
    yield from _part(mark, "What it does not show", record.not_shown)
    yield from _part(mark, "Assumptions", record.assumed)


def _part(mark: str, title: str, blocks: Sequence[Block]) -> Iterator[str]:
    if blocks:
        yield from (f"{mark}# {title}", "")
        yield from _blocks(blocks)


def _claims(record: GalleryRecord, own: str) -> Iterator[Block]:
    """What is looked for in its runs, with the flow where that is another one."""
    if record.claims:
        yield "Looked for in its runs on scripted answers:"
        yield [
            f"- {one.says}" + (f" (`{one.flow}`)" if one.flow and one.flow != own else "")
            for one in record.claims
        ]


def _table(record: GalleryRecord, own: str, flows: Mapping[str, Flow], told: set[str]) -> list[Block]:
    """The flows of the project: what it is compared with first; those of other systems are left out."""
    compared = {one.flow: one.title for one in record.baselines}
    others = [name for name in flows if name not in {own, *compared, *told} and "/" not in name]
    rows = [
        f"| `{name}` | {compared.get(name) or flows[name].name} | {flows[name].description} |".replace(
            "\n", " "
        )
        for name in (own, *compared, *others)
    ]
    return [["| flow | name | what it does |", "|---|---|---|", *rows]] if len(rows) > 1 else []


def _commands(exhibit: Exhibit, own: str, flow: Flow) -> Iterator[str]:
    place = f"projects/{exhibit.slug}" + (f"/{own}" if exhibit.record.flow else "")
    examples = {
        name: node.settings["example"]
        for name, node in flow.nodes.items()
        if node.kind == "io.flow_input" and node.settings.get("example") is not None
    }
    yield "```sh"
    yield f"stepwire run {place}"
    given = [f"--input {name}={_quoted(one)}" for name, one in sorted(examples.items()) if _is_short(one)]
    if given:
        yield f"stepwire run {place} {' '.join(given)}"
    yield f"stepwire gallery {exhibit.record.system} --table"
    if exhibit.record.measure is not None:
        yield f"stepwire gallery {exhibit.record.system} --measure"
    yield "```"


def _is_short(value: object) -> bool:
    return not isinstance(value, (dict, list)) and "\n" not in str(value)


def _quoted(value: object) -> str:
    return shlex.quote(value if isinstance(value, str) else str(value))


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for one in blocks:
        lines = [one] if isinstance(one, str) else one
        stands = bool(lines) and lines[0].startswith(("|", "```"))
        for line in lines:
            yield from [line] if stands else _wrapped(line)
        yield ""


def _wrapped(text: str) -> list[str]:
    found = _ITEM.match(text)
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=" " * len(found[0]) if found else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
