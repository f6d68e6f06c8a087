"""The memories in the hands of one attempt of a step."""

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING

from studio.ids import Scope
from studio.runtime.state.run_memories import RunMemories, write_of
from studio.sdk.item_layers import Layer
from studio.sdk.items import Items, MemoryPlace
from studio.trace.events import MemoryWritten

if TYPE_CHECKING:
    from studio.runtime.state.run_variables import Variables


class StepMemories:
    """What a step sees of memories, and changes; others see the changes when it has finished."""

    __slots__ = ("_layer", "_own", "_places", "_run", "writes")

    def __init__(self, run: RunMemories, layer: "Variables") -> None:
        """Make it; `layer` has the memories as the step's item or run has them."""
        self._run = run
        self._layer = layer
        self._own: dict[str, Layer] = {}
        self.writes: list[MemoryWritten] = []
        """What takes effect if the step finishes."""
        self._places: list[float] = []

    def use(self, place: MemoryPlace) -> None:
        """Make sure that a memory is open; raises `StepError` for another kind's."""
        self._run.use(place)

    def items(self, name: str) -> Items:
        """What the step sees."""
        layer = self._own.get(name)
        return (self._layer.memories.layer(name) if layer is None else layer).items

    def write(self, written: MemoryWritten, place: float = inf) -> None:
        """Let the step see a change of its own.

        Calls that were under way at once may write in another order when a run goes back to an earlier one,
        in which their answers came at other times: so each write has its `place` among those of then.
        """
        name = written.memory
        if name not in self._own:
            self._own[name] = self._layer.memories.layer(name).over(frozen=False)
        at = bisect_right(self._places, place)
        is_last = all(one.memory != name for one in self.writes[at:])
        self._places.insert(at, place)
        self.writes.insert(at, written)
        if is_last:
            self._own[name].apply([write_of(written)])
        else:
            self._own[name].clear()
            self._own[name].apply([write_of(one) for one in self.writes if one.memory == name])

    @property
    def scope(self) -> Scope:
        """The item of a map at whose end the writes take effect outside."""
        return self._layer.scope

    def close(self) -> None:
        """Let go of the step's own layers."""
        while self._own:
            self._own.popitem()[1].close()
