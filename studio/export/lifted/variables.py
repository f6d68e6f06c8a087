"""The run variables of an exported script."""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

from studio.errors import StepError
from studio.export.lifted.steps import Failure, Travelling
from studio.sdk.values import to_plain
from studio.trace.variables import Operation, changed

R = TypeVar("R")
Write: TypeAlias = tuple[str, Any, Operation]


@dataclass
class Item:
    """The variables as an item of a map has them, and what it wrote."""

    values: dict[str, Any]
    writes: list[Write] = field(default_factory=list[Write])


ITEM: ContextVar[Item | None] = ContextVar("ITEM", default=None)
"""The item of a map that is under way, where its items write."""


class Variables:
    """What the steps share beside their arguments, by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def known(self) -> dict[str, Any]:
        """Give all variables, as whoever asks has them."""
        if (item := ITEM.get()) is not None:  # only with: .of_item
            return item.values
        return self.values

    def has(self, name: str) -> bool:
        """Tell whether anything was written to a variable."""
        return name in self.known()

    def read(self, name: str, default: Any = None) -> Any:
        """Give a variable, or `default` where nothing was written."""
        return self.known().get(name, default)

    def write(self, name: str, value: Any, operation: Operation = "set") -> None:
        """Change a variable."""
        known = self.known()
        known[name] = changed(name, known.get(name), operation, value)
        if (item := ITEM.get()) is not None:  # only with: .of_item
            item.writes.append((name, value, operation))


class PlainVariables(Variables):
    """Variables that have messages and files as JSON says them."""

    def write(self, name: str, value: Any, operation: Operation = "set") -> None:
        """Change a variable; raises `ValueTypeError` for what JSON cannot say."""
        super().write(name, to_plain(value), operation)


class ItemVariables:
    """What the items of a map write: it takes effect in their order, once an item and all before it are over.

    So nothing depends on which of them is faster. An item sees what was there when the map began, or
    `in_turn` what those before it wrote; one that failed leaves nothing behind.
    """

    def __init__(
        self, state: Variables, *, in_turn: bool = False, travelling: type[Travelling] | None = None
    ) -> None:
        self.state = state
        self.first = dict(state.known())
        self.in_turn = in_turn
        self.travelling = travelling
        self.begun = 0
        self.merged = 0
        self.over: dict[int, Sequence[Write]] = {}

    async def of_item(self, call: Callable[[], Awaitable[R]]) -> R:
        """Run an item; they begin in their order."""
        index, self.begun = self.begun, self.begun + 1
        item = Item(dict(self.state.known() if self.in_turn else self.first))
        outer = ITEM.set(item)
        try:
            result = await call()
        finally:
            ITEM.reset(outer)
        self.over[index] = () if has_failed(result) else item.writes
        while self.merged in self.over:
            self.merge(self.over.pop(self.merged))
            self.merged += 1
        return result

    def merge(self, writes: Sequence[Write]) -> None:
        """Let writes take effect, all of them or none; what raises an error may carry it out."""
        known = dict(self.state.known())
        try:
            for name, value, operation in writes:
                known[name] = changed(name, known.get(name), operation, value)
        except StepError as error:
            raise (self.travelling(error) if self.travelling else error) from error
        for write in writes:
            self.state.write(*write)


def has_failed(result: object) -> bool:
    """Tell whether a failure is among what an item gave."""
    given = cast("tuple[object, ...]", result) if isinstance(result, tuple) else (result,)
    return any(isinstance(one, Failure) for one in given)
