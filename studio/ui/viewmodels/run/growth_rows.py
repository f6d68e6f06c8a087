"""What the rows of what grew in a run say: titles, states, scores, and why anything was dropped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt
from studio.flow.records import CallingLibrary, Flow
from studio.ids import is_in_called_flow
from studio.trace.events.parts import PartStatus, PartTold
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState, StepStatus
from studio.trace.growth import Grown
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import status_word, step_tone

translate = QCoreApplication.translate

SCORES = ("score", "value", "importance")
VISITS = ("visits", "pulls", "count")
REASONS = ("reason", "why", "because")
LONGEST = 240
"""Characters of what a row says."""


@dataclass(frozen=True, slots=True)
class GrownRow:
    """A row in words; `tone` is one of the theme's `running done held failed skipped`."""

    row: Grown
    title: str
    state: str
    tone: str
    score: str = ""
    visits: str = ""
    tokens: str = ""
    said: str = ""
    """What came of it, or why it was dropped."""
    is_dropped: bool = False

    @property
    def words(self) -> str:
        """All that the row says, for whoever cannot see it and for the search."""
        return ", ".join(one for one in (self.title, self.state, self.score, self.said) if one)


def rows_in_words(
    rows: Sequence[Grown], state: RunState, flow: Flow, library: CallingLibrary | None
) -> list[GrownRow]:
    """Say the rows of a run."""
    return [_row(row, state, flow, library) for row in rows]


def matching(rows: Sequence[GrownRow], wanted: str) -> Sequence[GrownRow]:
    """The rows that have all words that are wanted, with those above them; all where nothing is."""
    words = wanted.casefold().split()
    if not words:
        return rows
    by_key = {row.row.key: row for row in rows}
    kept: set[str] = set()
    for row in rows:
        said = row.words.casefold()
        if all(word in said for word in words):
            kept.update(_path(row, by_key))
    return [row for row in rows if row.row.key in kept]


def part_word(status: PartStatus) -> str:
    """The one word for where a part stands."""
    match status:
        case "waiting":
            return translate("part", "waiting")
        case "running":
            return translate("part", "running")
        case "done":
            return translate("part", "done")
        case "failed":
            return translate("part", "failed")
        case "dropped":
            return translate("part", "dropped")


def part_tone(status: PartStatus) -> str:
    """The state colour of a part."""
    return "skipped" if status in {"waiting", "dropped"} else status


def outcome(told: PartTold) -> str:
    """What came of a part: why it was dropped or failed, else what it gave, else what else is told of it."""
    reason = _first(told.detail, REASONS)
    if told.status in {"dropped", "failed"} and reason:
        return excerpt(reason, LONGEST)
    if told.text:
        return excerpt(told.text, LONGEST)
    known = {*SCORES, *VISITS}
    left = (f"{name}: {excerpt(one, 60)}" for name, one in told.detail.items() if name not in known)
    return excerpt(", ".join(left), LONGEST)


def score_of(told: PartTold) -> str:
    """How a part was judged, in a few figures."""
    return _number(_first(told.detail, SCORES))


def visits_of(told: PartTold) -> str:
    """How often a search came by."""
    return _number(_first(told.detail, VISITS))


def _row(row: Grown, state: RunState, flow: Flow, library: CallingLibrary | None) -> GrownRow:
    tokens = sum(state.steps[one].tokens for one in row.works if one in state.steps)
    spent = f"{tokens:,}" if tokens else ""
    if row.told is not None:
        told = row.told
        return GrownRow(
            row,
            told.title or told.part,
            part_word(told.status),
            part_tone(told.status),
            score_of(told),
            visits_of(told),
            spent,
            outcome(told),
            told.status == "dropped",
        )
    step = state.steps[row.step]
    title = step.tool if row.sort == "turn" else _step_title(step, flow, library)
    said = excerpt(step.text or _task(step), LONGEST)
    tone = "held" if step.status is StepStatus.HELD else step_tone(step.status)
    return GrownRow(row, title, status_word(step.status), tone, tokens=spent, said=said)


def _step_title(step: StepState, flow: Flow, library: CallingLibrary | None) -> str:
    """The node's title; with the round, but without the flows that are rows above."""
    title = count_words.step_title(flow, step.id, library)
    return title.partition(", ")[0] if is_in_called_flow(step.scope) else title


def _task(step: StepState) -> object:
    given = step.arguments
    return next(iter(cast("dict[str, object]", given).values()), "") if isinstance(given, dict) else ""


def _first(detail: Mapping[str, object], names: Sequence[str]) -> object:
    return next((detail[name] for name in names if detail.get(name) is not None), "")


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)[:12] if value != "" else ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def _path(row: GrownRow, by_key: Mapping[str, GrownRow]) -> Iterator[str]:
    found: GrownRow | None = row
    while found is not None:
        yield found.row.key
        found = by_key.get(found.row.above)
