"""Everything that can be done in the window, by name: menus, toolbar, shortcuts and palette share it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from studio.app.listeners import Listeners


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `shortcut` is in Qt's portable notation: `Ctrl+Shift+Z`, or empty."""

    id: str
    title: str
    group: str
    run: Callable[[], None]
    shortcut: str = ""
    help: str = ""
    is_enabled: Callable[[], bool] = _always


class Actions:
    """The actions by id, in the order in which they were added."""

    def __init__(self) -> None:
        self._actions: dict[str, Action] = {}
        self._changed: Listeners[()] = Listeners()

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions.values())

    def __getitem__(self, action: str) -> Action:
        return self._actions[action]

    def __contains__(self, action: object) -> bool:
        return action in self._actions

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when actions come, go, or may have become possible; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def add(self, *actions: Action) -> Callable[[], None]:
        """Offer the actions; the returned function takes them back.

        Raises `ValueError` for an id or a shortcut that another action has.
        """
        for action in actions:
            self._refuse_twins(action)
            self._actions[action.id] = action
        self._changed.tell()

        def remove() -> None:
            for action in actions:
                if self._actions.get(action.id) is action:
                    del self._actions[action.id]
            self._changed.tell()

        return remove

    def refresh(self) -> None:
        """Say that some action may have become possible or impossible."""
        self._changed.tell()

    def run(self, action: str) -> bool:
        """Do it, if it is possible now; tells whether it was. Raises `KeyError` for an unknown id."""
        found = self._actions[action]
        if not found.is_enabled():
            return False
        found.run()
        return True

    def find(self, text: str) -> list[Action]:
        """The actions whose group and title have every word of `text`; those that start with it first."""
        words = text.casefold().split()
        found = [
            action
            for action in self._actions.values()
            if all(word in f"{action.group} {action.title}".casefold() for word in words)
        ]
        return sorted(found, key=lambda one: not one.title.casefold().startswith(text.casefold().strip()))

    def _refuse_twins(self, action: Action) -> None:
        if action.id in self._actions:
            reason = f"two actions are called `{action.id}`"
            raise ValueError(reason)
        if action.shortcut:
            twin = next((one for one in self._actions.values() if one.shortcut == action.shortcut), None)
            if twin is not None:
                reason = f"`{action.id}` and `{twin.id}` share the shortcut {action.shortcut}"
                raise ValueError(reason)
