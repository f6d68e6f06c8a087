"""How an edit of a script is shown: lines that were, lines that are instead, and what follows from it."""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from studio.app.scripts.edits.edits import Edit, changes_of
from studio.flow.change import Change
from studio.flow.checks.check import check, errors_of
from studio.flow.records import Flow, Json, Wire, title_of
from studio.sdk.registry import Registry

AROUND = 2
"""How many lines around each difference are shown."""


class Line(NamedTuple):
    """A line of a difference: `-` was, `+` is instead, a blank is in both, `@` stands for lines left out."""

    mark: Literal["-", "+", " ", "@"]
    text: str


def lines_of(edit: Edit) -> list[Line]:
    """Tell an edit line by line, as a unified difference does."""
    return list(_lines(shown(edit.before).split("\n"), shown(edit.after).split("\n")))


class Consequences(NamedTuple):
    """What edits bring about besides, in words."""

    wires: Sequence[str]
    """Of each wire that goes with its port."""
    errors: Sequence[str]
    """Of each error that the flows do not have without them: they could not run."""


def consequences(chosen: Iterable[Edit], flows: Mapping[str, Flow], registry: Registry) -> Consequences:
    """Say what edits bring about besides."""
    wires: list[str] = []
    errors: list[str] = []
    for name, change in changes_of(chosen, flows, registry).items():
        flow = flows[name]
        removed = sorted(change.removed, key=lambda wire: wire.sort_key)
        wires += [f"Removes the wire {_drawn(flow, one)}." for one in removed]
        errors += _errors(flow, change, registry)
    return Consequences(wires, errors)


def _errors(flow: Flow, change: Change, registry: Registry) -> list[str]:
    known = {(one.code, one.node, one.message) for one in errors_of(check(flow, registry))}
    return [
        one.message
        for one in errors_of(check(change.applied_to(flow), registry))
        if (one.code, one.node, one.message) not in known
    ]


def _drawn(flow: Flow, wire: Wire) -> str:
    source, target = title_of(flow, wire.source.node), title_of(flow, wire.target.node)
    return f"“{source}” {wire.source.port} → “{target}” {wire.target.port}"


def shown(value: Json) -> str:
    """A text as it is; anything else as JSON, over several lines where it has parts."""
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    has_parts = isinstance(value, dict | list) and bool(value)
    return json.dumps(value, ensure_ascii=False, indent=2 if has_parts else None)


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(AROUND)):
        if number or group[0][1]:
            yield Line("@", f"line {group[0][1] + 1}")
        for kind, first, last, new_first, new_last in group:
            if kind == "equal":
                yield from (Line(" ", one) for one in before[first:last])
                continue
            yield from (Line("-", one) for one in before[first:last])
            yield from (Line("+", one) for one in after[new_first:new_last])
