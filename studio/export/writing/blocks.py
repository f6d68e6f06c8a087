"""A `try` around the steps of a catch that follow one another."""

from collections.abc import Sequence

from studio.export.structure.conditions import Condition, when
from studio.export.structure.patience import try_of
from studio.export.structure.presence import WHOLE, Block
from studio.export.structure.readings import Readings
from studio.export.writing.marks import mark
from studio.export.writing.sequences import Sequences
from studio.export.writing.statements import Lines, Outline, Room, Statement, tried
from studio.ids import NodeId


class Blocks(Room):
    """Writes the steps of each such catch as one statement."""

    def __init__(self, readings: Readings, outline: Outline, sequences: Sequences) -> None:
        super().__init__(readings, outline)
        self._sequences = sequences

    def joined(self, statements: list[Statement]) -> list[Statement]:
        """Put together the statements of each `try`."""
        blocks = self._readings.shelters.blocks
        parts: dict[NodeId, list[Statement]] = {}
        for one in statements:
            block = blocks.get(NodeId(one.node))
            if block is not None:
                parts.setdefault(block.catch, []).append(one)
        for catch, inner in parts.items():
            block = blocks[NodeId(inner[0].node)]
            keys = {one.key for one in inner}
            whole = Statement(
                try_of(block),
                self._readings.reached(block.steps[0]),
                {wait for one in inner for wait in one.waits} - keys,
                lambda known, block=block, inner=inner: self._lines(block, inner, known),
                lenders=[lender for one in inner for lender in one.lenders],
            )
            mark(whole, [catch])
            statements = [*(one for one in statements if one.key not in keys), whole]
            for one in statements:
                if one.waits & keys:
                    one.waits = (one.waits - keys) | {whole.key}
        return statements

    def _lines(self, block: Block, inner: Sequence[Statement], known: Condition) -> Lines:
        way = self._readings.of_block(block)
        lines = self._sequences.written(list(inner), known & when(way, WHOLE))
        return [f"{way.name} = None", *tried(lines, way.name)]
