"""The memories of a script that is played: what its steps find there is what those of the run found."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from studio.export.playing.answers import Answers
from studio.export.playing.types import Types


def played_memories(base: type, answers: Answers) -> type:
    """Make a subclass of a script's memories that keeps nothing."""
    return type(base.__name__, (PlayedMemories, base), {"played": answers})


class PlayedMemories:
    """What stands in for the methods of a script's memories that change them."""

    played: Answers

    def finish(self, writes: Sequence[tuple[Any, Any]]) -> None:
        """Compare what a step wrote that is over."""
        for place, write in writes:
            self.played.find("write", written(place.name, write.operation, fields_of(write.item)))


class PlayedItems:
    """Stands in for one memory."""

    def __init__(self, items: Any, answers: Answers, module: ModuleType) -> None:
        self._items = items
        self._answers = answers
        self._found = Types(module).returned(items.read)

    def read(self, query: str, search: Callable[[Any], Any], *, purpose: str = "recall") -> Any:
        """Give what the run found."""
        del search
        asked = self._answers.find("read", looked_for(self._items.place.name, query, purpose))
        return [] if asked is None else TypeAdapter[Any](self._found).validate_python(asked.answer)

    def __getattr__(self, name: str) -> Any:
        """Do all else as the script does it."""
        return getattr(self._items, name)


def looked_for(memory: str, query: str, purpose: str) -> dict[str, Any]:
    """Say what is looked for, as it is compared."""
    return {"memory": memory, "query": query, "purpose": purpose}


def found_in(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a recording has of an item that was found."""
    data: dict[str, Any] = plain.get("data") or {}
    item = {name: str(plain.get(name, "")) for name in ("id", "text", "at", "by")}
    return {"item": {**item, "data": data}, "score": plain.get("score", 0.0), "why": plain.get("why", "")}


def written(memory: str, operation: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Say what is written, as it is compared: of an item that is put what there is, else the id."""
    names = ("id", "text", "data", "at", "by") if operation == "put" else ("id",)
    said = {name: item[name] for name in names if item.get(name)}
    return {"memory": memory, "operation": operation, "item": said}


def fields_of(value: Any) -> dict[str, Any]:
    """Give the fields of a script's record by name."""
    return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
