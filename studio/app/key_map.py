"""The keys that a person chose for commands, kept in the settings."""

from collections.abc import Callable, Mapping
from typing import Protocol

from studio.app.listeners import Listeners


class KeepsKeys(Protocol):
    """Remembers keys by the ids of commands."""

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """The chosen keys of each command that has others than its own, in Qt's portable notation."""
        ...

    @keys.setter
    def keys(self, keys: Mapping[str, tuple[str, ...]]) -> None: ...


class KeyMap:
    """Knows which keys were chosen; without a place to keep them, for as long as it lives."""

    def __init__(self, kept: KeepsKeys | None = None) -> None:
        self._kept = kept
        self._chosen: dict[str, tuple[str, ...]] = dict(kept.keys) if kept is not None else {}
        self._changed: Listeners[()] = Listeners()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when keys were chosen; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def keys_of(self, command: str, own: tuple[str, ...]) -> tuple[str, ...]:
        """The keys of a command: those chosen for it, else its `own`."""
        return self._chosen.get(command, own)

    def is_chosen(self, command: str) -> bool:
        """Whether a command has keys that the person chose."""
        return command in self._chosen

    def choose(self, command: str, keys: tuple[str, ...] | None) -> None:
        """Give a command these keys, or with None its own."""
        if keys is None:
            self._chosen.pop(command, None)
        else:
            self._chosen[command] = keys
        self._keep()

    def clear(self) -> None:
        """Give all commands their own keys."""
        self._chosen.clear()
        self._keep()

    def _keep(self) -> None:
        if self._kept is not None:
            self._kept.keys = dict(self._chosen)
        self._changed.tell()
