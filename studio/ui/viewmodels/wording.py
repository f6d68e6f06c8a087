"""How figures, times and places of a run are said on screen."""

import json
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from studio.flow.records import Flow, title_of
from studio.ids import NodeId, StepId, step_parts

translate = QCoreApplication.translate

ITEM_BASE = 1
"""Items are numbered from 0 in scopes, and from 1 for people."""


def duration(seconds: float) -> str:
    """Say how long something took, in two or three significant figures: `12 ms`, `1.8 s`, `3:07`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    return clock(seconds)


def clock(seconds: float) -> str:
    """Say a running time in minutes and seconds: `0:12`, `1:02:03`."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def tokens(count: int) -> str:
    """Say a number of tokens: `2,184 tokens`."""
    if count == 1:
        return translate("wording", "1 token")
    return translate("wording", "{count} tokens").format(count=f"{count:,}")


def cost(dollars: float) -> str:
    """Say an amount of US dollars with as many decimals as it takes: `$0.0031`, `$1.24`."""
    if dollars == 0:
        return "$0"
    return f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}"


def place(flow: Flow, step: StepId) -> str:
    """Say which of a node's steps `step` is: `round 2`, `item 3, round 1`, or nothing at the root."""
    scope = step_parts(step)[0]
    if not scope:
        return ""
    said: list[str] = []
    for segment in str(scope).split("/"):
        node, _, index = segment.partition(".")
        if not index:
            said.append(title_of(flow, NodeId(node)))
        elif _is_map(flow, NodeId(node)):
            said.append(translate("wording", "item {number}").format(number=int(index) + ITEM_BASE))
        else:
            said.append(translate("wording", "round {number}").format(number=index))
    return ", ".join(said)


def step_title(flow: Flow, step: StepId) -> str:
    """Name a step as people do: `Writer, round 2`."""
    node = title_of(flow, step_parts(step)[1])
    where = place(flow, step)
    return f"{node}, {where}" if where else node


def pretty(value: object) -> str:
    """Write a plain JSON value for reading: text as it stands, everything else indented."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def excerpt(value: object, limit: int = 160) -> str:
    """Write a plain JSON value on one line, cut where it grows long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def named(values: Mapping[str, object]) -> str:
    """List values on one line each, for a tooltip."""
    return "\n".join(f"{name}: {excerpt(value, 80)}" for name, value in values.items())


def _is_map(flow: Flow, node: NodeId) -> bool:
    record = flow.nodes.get(node)
    return record is not None and record.kind.endswith(".for_each")
