"""Reads the breakpoints of a flow, and of those that it calls, as they are listed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from studio.app.documents.breakpoints import Breakpoint, Breakpoints, Row
from studio.app.documents.session import Session
from studio.flow.records import Flow
from studio.runtime.gates.condition_names import faults_of
from studio.runtime.gates.value_edits import HeldTypes
from studio.ui.panels.debugger.breakpoint_rows import BreakRow
from studio.ui.viewmodels.words.breakpoint_words import break_detail, break_title, mark_of


class Reading:
    """Knows the shown run's counts besides, and finds the types of a flow once as long as it is the same."""

    def __init__(self, session: Session, breakpoints: Breakpoints) -> None:
        self._session, self._breakpoints = session, breakpoints
        self._hits: Mapping[str, int] = {}
        self._ringed: frozenset[str] = frozenset()
        self._types: dict[str, tuple[Flow, HeldTypes]] = {}

    def rows(self) -> list[BreakRow]:
        """Catches first, then by title; those of called flows last."""
        called = self._session.called_flows()
        own = self._rows(self._breakpoints.rows, self._session.flow, "")
        inner = [
            row
            for name, rows in groupby(self._breakpoints.elsewhere(called), key=lambda row: row.flow)
            for row in self._rows(rows, called[name], name)
        ]
        return sorted(own, key=lambda row: (row.breakpoint.on == "step", row.title.casefold())) + inner

    def count(self, hits: Mapping[str, int], ringed: frozenset[str]) -> bool:
        """Take what the shown run says; whether that is something else."""
        if hits == self._hits and ringed == self._ringed:
            return False
        self._hits, self._ringed = dict(hits), ringed
        return True

    def counted(self, row: BreakRow) -> BreakRow:
        """A row with the counts of now."""
        key = (row.breakpoint.in_flow(row.flow) if row.flow else row.breakpoint).key
        return replace(row, hits=self._hits.get(key, 0), is_ringed=key in self._ringed)

    def _rows(self, rows: Iterable[Row], flow: Flow, name: str) -> list[BreakRow]:
        return [self.counted(self._row(row, flow, name)) for row in rows]

    def _row(self, row: Row, flow: Flow, name: str) -> BreakRow:
        one, title = row.breakpoint, break_title(flow, row.breakpoint)
        return BreakRow(
            name,
            one,
            row.is_on,
            f"{title}, {flow.name or name}" if name else title,
            mark_of(one, is_on=row.is_on),
            break_detail(one),
            self._fault(one, flow, name),
        )

    def _fault(self, one: Breakpoint, flow: Flow, name: str) -> str:
        types = self._types_of(name, flow) if one.condition or one.log else None
        faults = faults_of(one, flow, self._session.registry, types)
        return faults[0].message if faults else ""

    def _types_of(self, name: str, flow: Flow) -> HeldTypes:
        known = self._types.get(name)
        if known is None or known[0] is not flow:
            known = self._types[name] = flow, HeldTypes(flow, self._session.registry)
        return known[1]
