"""One memory in the hands of whoever works in a step, or for it."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Literal, cast

from studio.errors import StepError
from studio.llm.clean_text import normalise, normalise_json
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.state.step_memories import StepMemories
from studio.sdk.items import Item, Items, Purpose, Recalled
from studio.sdk.told_items import item_of
from studio.sdk.values import to_plain
from studio.trace.events import MemoryRead, MemoryWritten
from studio.trace.events.values import Shown
from studio.trace.fold.memory_state import text_of_vector


class StepItems:
    """One memory; implements `studio.sdk.KeptItems`."""

    def __init__(self, step: StepMemories, name: str, children: ChildSteps) -> None:
        self._step = step
        self._name = name
        self._children = children

    def read(
        self,
        query: str,
        search: Callable[[Items], Sequence[Recalled]],
        *,
        purpose: Purpose = "recall",
    ) -> Sequence[Recalled]:
        """Look into it, or be given what the same step of an earlier run found."""
        children = self._children
        past = children.services.past
        earlier = past.recording.draw(children.parent, f"memory.{self._name}") if past is not None else None
        if isinstance(earlier, MemoryRead) and (earlier.query, earlier.purpose) == (query, purpose):
            event = earlier
            found = [_recalled(one) for one in earlier.found]
        else:
            found, fault = search(self._step.items(self._name)), ""
            if purpose == "recall":  # what keeps it in order sees it as it is
                found, fault = children.services.faults.recalled(children.parent, self._name, found)
            event = MemoryRead(self._name, query, purpose, tuple(map(_shown, found)), fault)
        children.recorder.record(event, children.parent)
        for one in found:
            children.take_in(frozenset(one.item.labels))
        return found

    def put(self, item: Item, why: str = "") -> None:
        """Put an item in."""
        if not isinstance(item.id, str) or not item.id:  # pyright: ignore[reportUnnecessaryIsInstance]  # nodes need no types
            message = "An item of a memory needs an id."
            raise StepError(message)
        self._write("put", _plain(item), text_of_vector(item.vector), why)

    def remove(self, item_id: str, why: str = "") -> None:
        """Take an item out."""
        self._write("remove", {"id": item_id}, "", why)

    def use(self, item_id: str, at: str) -> None:
        """Count that an item was of use."""
        self._write("use", {"id": item_id, "at": at}, "", "")

    def _write(
        self, operation: Literal["put", "remove", "use"], item: dict[str, Any], vector: str, why: str
    ) -> None:
        labels = tuple(sorted(self._children.read))
        shown = Shown(normalise_json(item), labels)  # nothing could write halves of characters
        written = MemoryWritten(self._name, operation, shown, vector, normalise(why), self._step.scope)
        past = self._children.services.past
        place = inf if past is None else past.recording.place(self._children.parent)
        self._step.write(written, place)


def _plain(item: Item) -> dict[str, Any]:
    plain: dict[str, Any] = {"id": item.id, "text": item.text}
    if item.data:
        plain["data"] = to_plain(item.data)
    return plain | {name: value for name, value in (("at", item.at), ("by", item.by)) if value}


def _shown(found: Recalled) -> Shown:
    plain = _plain(found.item) | {"score": found.score, "why": found.why}
    return Shown(plain, found.item.labels)


def _recalled(shown: Shown) -> Recalled:
    data = cast("dict[str, Any]", shown.data)
    return Recalled(item_of(shown), float(data.get("score", 0.0)), str(data.get("why", "")))
