"""A flow that is written as another one with changes, so that a baseline is never a second copy of a flow.

Everything here works on documents as `codec` writes them. The file of a variant names its base (`of`, a file
in the same folder or below it) and has only what differs:

- `set`: per node what is new in it; a node that the base lacks is added, and needs its `kind`. Settings and
  inputs are given one by one, each whole.
- `drop`: what the base has and the variant has not: `node` with its wires and its place, `node.title`,
  `node.settings.NAME`, `a.out -> b.in`, `layout.notes.NAME`.
- `wires` that are added; `name`, `description`, `policies` and parts of `layout` that are others.

`merged` and `difference` undo one another.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from studio.flow.files.document_reader import WIRE

Document: TypeAlias = Mapping[str, object]
Wrong: TypeAlias = list[tuple[str, str]]

KEYS = ("format", "version", "of", "name", "description", "set", "drop", "wires", "policies", "layout")
"""What a file of a variant may say, in its order."""

_WHOLE = ("name", "description", "policies")
_GROUPS = ("settings", "inputs", "run")
_PLACES = frozenset({"nodes", "frames", "notes", "bends"})


def base_problem(of: object) -> str:
    """Say why `of` cannot name the file of a base; empty where it can."""
    if not isinstance(of, str) or not of or "\0" in of or "\\" in of:
        return "this must be the file name of a flow beside this one."
    if of.startswith("/") or any(part in {"", "..", "."} for part in of.split("/")):
        return "this must name a file in the same folder, or in one below it."
    return ""


def merged(base: Document, variant: Document) -> tuple[dict[str, object], Sequence[tuple[str, str]]]:
    """Apply what `variant` says to its base; also gives what means nothing in it, as paths and words.

    Values are taken as they are: whoever reads the result as a flow finds what is wrong in them.
    """
    wrong: Wrong = []
    result: dict[str, object] = {
        key: value for key, value in base.items() if key not in {"nodes", "wires", "layout"}
    }
    result |= {key: variant[key] for key in _WHOLE if key in variant}
    wrong += ((key, f"`{key}` means nothing here.") for key in variant if key not in KEYS)
    nodes = {name: dict(_object(record)) for name, record in _object(base.get("nodes")).items()}
    wires = dict.fromkeys(cast("Sequence[str]", base.get("wires", ())))
    layout = {
        name: dict(_object(one)) for name, one in _object(base.get("layout")).items() if name in _PLACES
    }
    collapsed = _list(_object(base.get("layout")).get("collapsed"))

    for place, entry in enumerate(_entries(variant.get("drop", []), "drop", wrong)):
        if not isinstance(entry, str) or not _drop(entry, nodes, wires, layout):
            words = f"the base has no `{entry}`." if isinstance(entry, str) else "this must be text."
            wrong.append((f"drop[{place}]", words))
    for name, record in _members(variant.get("set", {}), "set", wrong).items():
        members = _members(record, f"set.{name}", wrong)
        if name in nodes:
            _set(nodes[name], members)
        elif "kind" in members:
            nodes[name] = members
        elif isinstance(record, dict):
            wrong.append(
                (f"set.{name}", f"the base has no node `{name}`; one that is added needs its `kind`.")
            )

    kept = {wire: None for wire in wires if _stands(wire, nodes)}
    layout["nodes"] = {name: one for name, one in layout.get("nodes", {}).items() if name in nodes}
    layout["bends"] = {wire: one for wire, one in layout.get("bends", {}).items() if wire in kept}
    moved = _members(variant.get("layout", {}), "layout", wrong)
    for part in moved.keys() & _PLACES:
        layout[part] = {**layout.get(part, {}), **_members(moved[part], f"layout.{part}", wrong)}
    result["nodes"] = nodes
    result["wires"] = [*kept, *_entries(variant.get("wires", []), "wires", wrong)]
    result["layout"] = {
        **layout,
        **{part: value for part, value in moved.items() if part not in _PLACES},
        "collapsed": moved.get("collapsed", [name for name in collapsed if name in nodes]),
    }
    return result, wrong


def place_in(path: str, kept: int) -> str:
    """Lead a path in the merged document back to what the variant says there; `kept` wires are the base's."""
    if path.startswith("nodes."):
        return f"set.{path.removeprefix('nodes.')}"
    found = re.fullmatch(r"wires\[(\d+)\](.*)", path)
    return f"wires[{int(found[1]) - kept}]{found[2]}" if found else path


def difference(base: Document, whole: Document) -> dict[str, object]:
    """Say what makes `base` into `whole`: the variant's own part of its file, empty parts left out."""
    told: dict[str, object] = {key: whole[key] for key in _WHOLE if whole[key] != base[key]}
    before, after = _object(base["nodes"]), _object(whole["nodes"])
    drop: list[str] = [name for name in before if name not in after]
    changed: dict[str, object] = {}
    for name, record in after.items():
        if name not in before:
            changed[name] = record
            continue
        new, old = _object(record), _object(before[name])
        drop += (f"{name}.{part}" for part in _removed(old, new))
        if parts := _new_in(old, new):
            changed[name] = parts
    old_wires, new_wires = (dict.fromkeys(cast("Sequence[str]", one["wires"])) for one in (base, whole))
    drop += (wire for wire in old_wires if wire not in new_wires and _stands(wire, after))
    added = [wire for wire in new_wires if wire not in old_wires]
    layout, lost = _moved(base, whole)
    parts: dict[str, object] = {"set": changed, "drop": drop + lost, "wires": added, "layout": layout}
    return told | {key: value for key, value in parts.items() if value}


def _drop(
    entry: str,
    nodes: dict[str, dict[str, object]],
    wires: dict[str, None],
    layout: dict[str, dict[str, object]],
) -> bool:
    """Take away what an entry of `drop` names; gives whether it was there."""
    if entry in wires:
        del wires[entry]
        return True
    if entry in nodes:
        del nodes[entry]
        return True
    name, _, part = entry.partition(".")
    group, _, key = part.partition(".")
    if name == "layout" and group in _PLACES and key in layout.get(group, {}):
        del layout[group][key]
        return True
    record = nodes.get(name, {})
    if group in _GROUPS and key:
        within = dict(_object(record.get(group)))
        if key not in within:
            return False
        del within[key]
        record[group] = within
        return True
    return group in {"title", "version"} and not key and record.pop(group, None) is not None


def _set(record: dict[str, object], new: Document) -> None:
    for part, value in new.items():
        is_group = part in _GROUPS and isinstance(value, dict)
        record[part] = (
            {**_object(record.get(part)), **cast("dict[str, object]", value)} if is_group else value
        )


def _removed(old: Document, new: Document) -> Iterator[str]:
    for part, value in old.items():
        if part in _GROUPS:
            yield from (f"{part}.{key}" for key in _object(value) if key not in _object(new.get(part)))
        elif part not in new:
            yield part


def _new_in(old: Document, new: Document) -> dict[str, object]:
    found: dict[str, object] = {}
    for part, value in new.items():
        if part not in _GROUPS:
            if old.get(part) != value:
                found[part] = value
        elif entries := _others(_object(old.get(part)), _object(value)):
            found[part] = entries
    return found


def _moved(base: Document, whole: Document) -> tuple[dict[str, object], list[str]]:
    """What stands elsewhere, and what no longer stands anywhere though what it belongs to is there."""
    old, new = _object(base["layout"]), _object(whole["layout"])
    nodes = _object(whole["nodes"])
    old_wires, new_wires = (frozenset(cast("Sequence[str]", one["wires"])) for one in (base, whole))
    layout: dict[str, object] = {}
    lost: list[str] = []
    for part in sorted(_PLACES):
        before, after = _object(old.get(part)), _object(new.get(part))
        stays = {"nodes": nodes, "bends": old_wires & new_wires}.get(part, before)
        before = {name: one for name, one in before.items() if name in stays}
        lost += (f"layout.{part}.{name}" for name in before if name not in after)
        if entries := _others(before, after):
            layout[part] = entries
    if _names(new.get("collapsed")) != [name for name in _names(old.get("collapsed")) if name in nodes]:
        layout["collapsed"] = new.get("collapsed", [])
    return layout, lost


def _others(before: Document, after: Document) -> dict[str, object]:
    return {name: one for name, one in after.items() if name not in before or not _same(before[name], one)}


def _same(one: object, other: object) -> bool:
    """Whether two values are written the same: 1 is not 1.0, nor true."""
    return repr(one) == repr(other)


def _stands(wire: str, nodes: Mapping[str, object]) -> bool:
    found = WIRE.fullmatch(wire)
    return found is not None and found[1] in nodes and found[3] in nodes


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _names(value: object) -> list[object]:
    """The names in a list; also in one that is `codec.Short`, written on one line."""
    return _list(getattr(value, "value", value))


def _entries(value: object, path: str, wrong: Wrong) -> list[object]:
    if isinstance(value, list):
        return cast("list[object]", value)
    wrong.append((path, "this must be a list: `[…]`."))
    return []


def _members(value: object, path: str, wrong: Wrong) -> dict[str, object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    wrong.append((path, "this must be an object: `{…}`."))
    return {}
