"""What loops and maps are written with."""

from collections.abc import Callable

from studio.export.statements.block import Lines, Outline, Statement
from studio.export.statements.readings import Readings
from studio.flow.structure.regions import Region

Write = Callable[[list[Statement]], Lines]
"""Writes statements in their order."""


class RegionWriter:
    """Writes regions of one flow."""

    def __init__(
        self,
        outline: Outline,
        readings: Readings,
        inside: Callable[[Region], list[Statement]],
        written: Write,
    ) -> None:
        """Make it; `inside` gives the statements of a region."""
        self._outline, self._readings = outline, readings
        self._facts = outline.flow.facts
        self._chart = self._facts.chart
        self._inside, self._written = inside, written
