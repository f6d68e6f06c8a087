"""Where a value comes from, as rows of a tree: each says what was read, and opens on what lies before."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.flow.plain_text import excerpt
from studio.flow.records import CallingLibrary, Flow, title_of
from studio.ids import NodeId, StepId, own_step
from studio.trace.fold.state import RunState
from studio.trace.lineage.provenance import Provenance
from studio.trace.lineage.sources import Beginning, Source
from studio.trace.lineage.wire_sources import Spot
from studio.trace.lineage.writers import ITEM, VARIABLE
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.held_words import call_words

translate = QCoreApplication.translate

LONGEST = 160
"""Characters of a value that stand in its row."""

COLORS = {
    Beginning.CHAT: "port.text",
    Beginning.TOOL: "port.tool",
    Beginning.GIVEN: "port.message",
    Beginning.PERSON: "port.message",
    Beginning.EDIT: "state.held",
    Beginning.PIN: "state.held",
    Beginning.READ: "port.file",
    Beginning.MEMORY: "port.memory",
}
"""The theme's colour of what a value began with; muted for all others."""


@dataclass(frozen=True, slots=True)
class OriginRow:
    """One row. `spot` is what it opens on, None for a beginning; `step` what is shown when it is chosen.

    `run` and `origin` name the earlier run, and the step there, that what is told here was taken from.
    """

    title: str
    detail: str
    value: str
    step: StepId
    spot: Spot | None = None
    color: str = "text.muted"
    run: str = ""
    origin: str = ""


class OriginRows:
    """Makes the rows of one run."""

    def __init__(self, state: RunState, flow: Flow, library: CallingLibrary) -> None:
        self._state = state
        self._flow = flow
        self._library = library
        self._provenance = Provenance(state, flow, library)

    def first(self, spot: Spot) -> OriginRow:
        """The row of the value that was asked about."""
        return self._row(spot, "")

    def before(self, spot: Spot) -> list[OriginRow]:
        """The rows of what a value was made of, one step back; wires that bring one value take no row."""
        return [self._followed(source) for source in self._provenance.made_of(spot)]

    def beginnings(self, spot: Spot) -> Iterator[OriginRow | None]:
        """The rows of all that a value began with, the nearest first; None for each value on the way."""
        for one in self._provenance.walk(spot):
            yield None if one is None else self._beginning(one, "")

    def _followed(self, source: Source) -> OriginRow:
        via, seen = "", {source.spot}
        while source.beginning is None and source.spot.side == "input":
            came = self._provenance.made_of(source.spot)
            if len(came) != 1 or came[0].spot in seen or not source.spot.step:
                break
            via = via or source.spot.port
            source = came[0]
            seen.add(source.spot)
        if source.beginning is None:
            return self._row(source.spot, via)
        return self._beginning(source, via)

    def _row(self, spot: Spot, via: str) -> OriginRow:
        step = self._state.steps.get(spot.step)
        shown = self._provenance.value(spot)
        run = origin = detail = ""
        if step is not None and step.is_reused:
            run, origin = step.origins.run, step.origins.step
            detail = translate("origin", "reused from run {run}").format(run=run)
        title = self._title(spot)
        if via and via != spot.port:
            title = translate("origin", "{port}: {source}").format(port=via, source=title)
        value = "" if shown is None else excerpt(shown.data, LONGEST)
        return OriginRow(title, detail, value, spot.step, spot, "", run, origin)

    def _beginning(self, source: Source, via: str) -> OriginRow:
        spot = source.spot
        shown = self._provenance.value(spot)
        value = "" if shown is None else excerpt(shown.data, LONGEST)
        beginning = source.beginning or Beginning.UNKNOWN
        run, _, origin = source.detail.partition(" ") if beginning is Beginning.PIN else ("", "", "")
        title = self._title(spot)
        if via and via != spot.port:
            title = translate("origin", "{port}: {source}").format(port=via, source=title)
        color = COLORS.get(beginning, "text.muted")
        return OriginRow(title, _said(source), value, spot.step, None, color, run, origin)

    def _title(self, spot: Spot) -> str:
        if not spot.step:
            title = title_of(self._flow, NodeId(spot.port))
            if spot.side == "input":
                return _placed(translate("origin", "Input of the run: {title}").format(title=title), spot)
            return _placed(translate("origin", "Output of the run: {title}").format(title=title), spot)
        step = self._state.steps.get(spot.step)
        title = count_words.step_title(self._flow, own_step(spot.step), self._library)
        if step is not None and step.call:
            said = call_words(step)
            return f"{title}: {said}" if spot.side == "output" else f"{title}: {said} · {spot.port}"
        port = spot.port.removeprefix(VARIABLE).removeprefix(ITEM)
        if spot.turn is not None:
            is_map = count_words.is_map(self._flow, NodeId(str(spot.step).rpartition("/")[2]))
            number = spot.turn + count_words.ITEM_BASE if is_map else spot.turn
            words = translate("origin", "item {number}") if is_map else translate("origin", "round {number}")
            title = f"{title}, {words.format(number=number)}"
        return _placed(f"{title} · {port}" if port else title, spot)


def _placed(title: str, spot: Spot) -> str:
    if spot.element is None:
        return title
    return translate("origin", "{title}, element {number}").format(title=title, number=spot.element + 1)


def _said(source: Source) -> str:
    """What a value began with, in words."""
    detail, beginning = source.detail, source.beginning or Beginning.UNKNOWN
    if beginning is Beginning.TYPED and detail == "default":
        return translate("origin", "the default")
    if beginning is Beginning.CHAT:
        words = translate("origin", "model {profile}")
        return words.format(profile=f"({detail})" if detail else "").rstrip()
    if beginning is Beginning.PIN:
        pinned = translate("origin", "pinned, from run {run}") if detail else translate("origin", "pinned")
        return pinned.format(run=detail.partition(" ")[0])
    words = {
        Beginning.GIVEN: translate("origin", "given"),
        Beginning.TYPED: translate("origin", "in the flow"),
        Beginning.TOOL: translate("origin", "tool"),
        Beginning.PERSON: translate("origin", "a person"),
        Beginning.EDIT: translate("origin", "edited by hand"),
        Beginning.NUMBER: translate("origin", "counted"),
        Beginning.READ: translate("origin", "read from {detail}"),
        Beginning.MEMORY: translate("origin", "in the memory {detail} before"),
        Beginning.UNKNOWN: translate("origin", "unknown"),
    }[beginning]
    return words.format(detail=detail)


def words_of(rows: list[OriginRow]) -> Iterator[str]:
    """Each row as a line of text, for the clipboard."""
    for row in rows:
        yield " · ".join(one for one in (row.title, row.detail, row.value) if one)
