"""What a run gives, as a reader wants it: which of its values stand for what, and how each is best shown."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.flow_cache import Known
from studio.flow.records import Flow, title_of
from studio.ids import NodeId, PortName
from studio.trace.events.values import Plain, Shown, Values
from studio.trace.fold.state import RunState
from studio.trace.lineage.wire_sources import Spot
from studio.ui.viewmodels.messages.conversation import as_json

translate = QCoreApplication.translate

OUTPUT_KIND = "io.flow_output"
VALUE = PortName("value")
MOST_COLUMNS = 12
"""Columns up to which a list of objects is a table."""
MOST_FILES = 50
LONGEST_PATH = 400

_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|[ ]{0,3}(?:[-*+]|\d{1,3}[.)]) \S|>[ ]|`{3}|~{3}|\|.*\|[ ]*$)"  # what begins a line
    r"|\*\*\S[^\n]*?\*\*|`[^`\n]+`|\[[^\]\n]+\]\([^)\s]+\)",
    re.MULTILINE,
)


class Form(StrEnum):
    """How a value is shown."""

    TEXT = "text"
    MARKDOWN = "markdown"
    TABLE = "table"
    TREE = "tree"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Given:
    """One value that a run gives: the name its flow has for it, and where it stands in the run."""

    node: NodeId
    name: str
    shown: Shown
    spot: Spot | None


def given_by(state: RunState, flow: Flow) -> list[Given]:
    """What a run has given so far, from the top of the canvas down."""
    values: dict[NodeId, Shown] = {}
    for node in _OUTPUTS.of(flow):
        step = state.steps.get(state.latest[node]) if node in state.latest else None
        value = state.outputs.get(str(node)) or (step.inputs.get(VALUE) if step is not None else None)
        if value is not None:
            values[node] = value
    known = {NodeId(node): one for node, one in state.outputs.items() if NodeId(node) not in values}
    values |= known  # of a flow that had other nodes when it ran
    places = flow.layout.nodes

    def place(node: NodeId) -> tuple[float, float]:
        return (at.y, at.x) if (at := places.get(node)) else (0, 0)

    return [
        Given(node, _name(flow, node), values[node], _spot(state, node)) for node in sorted(values, key=place)
    ]


def form_of(value: Plain, find: Callable[[str], object]) -> Form:
    """How a value is best shown; `find` gives something where a text names a file of the project."""
    if isinstance(value, str):
        if names_file(value, find):
            return Form.FILES
        if as_json(value) is not None:
            return Form.TREE
        return Form.MARKDOWN if is_markdown(value) else Form.TEXT
    if not isinstance(value, (list, dict)):
        return Form.TEXT
    rows = cast("list[object]", value) if isinstance(value, list) else []
    if rows:
        texts = [one for one in rows if isinstance(one, str)]
        if len(texts) == len(rows) <= MOST_FILES and all(names_file(one, find) for one in texts):
            return Form.FILES
        if columns_of(rows):
            return Form.TABLE
    return Form.TREE


def is_markdown(text: str) -> bool:
    """Whether a text is written in Markdown, as answers of language models often are."""
    return _MARKDOWN.search(text) is not None


def names_file(text: str, find: Callable[[str], object]) -> bool:
    """Whether a text is nothing but the path of a file that is there."""
    return 0 < len(text) <= LONGEST_PATH and "\n" not in text and find(text) is not None


def columns_of(rows: Sequence[object]) -> list[str]:
    """The columns of a list of objects, in the order in which they come; empty where it is no table.

    At least half of the cells have to be there, and none may have more than a list of plain values in it.
    """
    columns: dict[str, None] = {}
    cells = 0
    for row in rows:
        if not isinstance(row, Mapping) or not row:
            return []
        fields = cast("Mapping[str, object]", row)
        if any(isinstance(one, Mapping) or _is_deep(one) for one in fields.values()):
            return []
        columns |= dict.fromkeys(fields)
        cells += len(fields)
        if len(columns) > MOST_COLUMNS:
            return []
    return list(columns) if cells * 2 >= len(columns) * len(rows) else []


def cell_of(value: object) -> str:
    """What stands in a cell of a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return translate("results", "yes") if value else translate("results", "no")
    if isinstance(value, list):
        return ", ".join(cell_of(one) for one in cast("list[object]", value))
    return str(value)


def is_same(one: Values, node: NodeId, shown: Shown) -> bool:
    """Whether another run gave the same value there."""
    other = one.get(str(node))
    return other is not None and other.data == shown.data


def _is_deep(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return any(isinstance(one, (list, Mapping)) for one in cast("list[object]", value))


def _outputs(flow: Flow) -> list[NodeId]:
    return [node for node, record in flow.nodes.items() if record.kind == OUTPUT_KIND]


_OUTPUTS = Known(_outputs)
"""The outputs of a flow: they are asked for with each frame of a run."""


def _name(flow: Flow, node: NodeId) -> str:
    record = flow.nodes.get(node)
    if record is None:
        return str(node)
    label = record.settings.get("label")
    return label if isinstance(label, str) and label else title_of(flow, node)


def _spot(state: RunState, node: NodeId) -> Spot | None:
    step = state.latest.get(node)
    if step is None or VALUE not in state.steps[step].inputs:
        return None
    return Spot(step, "input", VALUE)
