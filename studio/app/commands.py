"""Everything that can be done in the window, by name: menus, bar, keys, palette and canvas share it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from studio.app.key_map import KeyMap
from studio.app.listeners import Listeners

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


def always(_subject: object) -> bool:
    """It can be done whenever there is something to do it to."""
    return True


def _nothing() -> None:
    """Neither before nor after is there anything to do."""


@dataclass(frozen=True)  # slots and aliases with what it acts on don't go together
class Command(Generic[T_contra]):
    """Something a person can do to something: a canvas, the run in front, the window.

    `shortcut` and `also` are in Qt's portable notation (`Ctrl+Shift+Z`), and hold until the person chooses
    other keys.
    """

    id: str
    title: str
    menu: str | None
    """The menu that it stands in; None where neither a menu nor the palette has it."""
    act: Callable[[T_contra], object]
    shortcut: str = ""
    can: Callable[[T_contra], bool] = always
    help: str = ""
    offered_on: frozenset[str] = frozenset()
    """What the context menus of the canvas offer it on."""
    also: tuple[str, ...] = ()
    """Further keys that do it."""
    begins: bool = False
    """Whether a line stands before it in menus."""
    words: str = ""
    """Other words that people know it by, under which it is found too."""
    is_wide: bool = False
    """Whether its keys are heard in all of the window, though its kind is heard in one place."""

    @property
    def default_keys(self) -> tuple[str, ...]:
        """Its keys, as long as the person chose no others."""
        return tuple(key for key in (self.shortcut, *self.also) if key)


@dataclass(frozen=True, slots=True)
class Offer:
    """A command with what it is done to, as the registry has it."""

    id: str
    command: Command[Any]
    is_local: bool
    """Whether its keys are heard only where it acts, and not in all of the window."""
    _subject: Callable[[], Any]
    _before: Callable[[], None]
    _after: Callable[[], None]
    _keys: KeyMap

    @property
    def title(self) -> str:
        """What it is called on screen."""
        return self.command.title

    @property
    def menu(self) -> str | None:
        """The menu that it stands in."""
        return self.command.menu

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys now: those that the person chose, else its own."""
        return self._keys.keys_of(self.id, self.command.default_keys)

    @property
    def shortcut(self) -> str:
        """The key that menus name; empty without one."""
        return next(iter(self.keys), "")

    def is_enabled(self) -> bool:
        """Whether it can be done now."""
        subject = self._subject()
        return subject is not None and self.command.can(subject)

    def run(self) -> bool:
        """Do it, if it is possible now; tells whether it was."""
        if not self.is_enabled():
            return False
        self._before()
        self.command.act(self._subject())
        self._after()
        return True


class Commands:
    """The commands by id, in the order in which they were added; `keys` has those that the person chose."""

    def __init__(self, keys: KeyMap | None = None) -> None:
        self.keys = keys or KeyMap()
        self.menus: dict[str, str] = {}
        """What menus are called on screen; one that is not here is called by its name."""
        self.submenus: dict[str, str] = {}
        """By id, the titles of the submenus that commands stand in, within their menus."""
        self._offers: dict[str, Offer] = {}
        self._by_own_key: dict[str, Offer] = {}
        self._changed: Listeners[()] = Listeners()

    def __iter__(self) -> Iterator[Offer]:
        return iter(self._offers.values())

    def __getitem__(self, command: str) -> Offer:
        return self._offers[command]

    def __contains__(self, command: object) -> bool:
        return command in self._offers

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear when commands come, go, or may have become possible; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def add(
        self,
        commands: Iterable[Command[T]],
        subject: Callable[[], T | None],
        *,
        before: Callable[[], None] = _nothing,
        after: Callable[[], None] = _nothing,
        prefix: str = "",
        is_local: bool = False,
    ) -> Callable[[], None]:
        """Offer commands on what `subject` gives; the returned function takes them back.

        While it gives None, none of them is possible. Raises `ValueError` for an id or a key that another
        command has.
        """
        added: list[Offer] = []
        for one in commands:
            name = f"{prefix}{one.id}"
            offer = Offer(name, one, is_local and not one.is_wide, subject, before, after, self.keys)
            self._refuse_twins(offer)
            self._offers[name] = offer
            self._by_own_key.update(dict.fromkeys(one.default_keys, offer))
            added.append(offer)
        self._changed.tell()

        def remove() -> None:
            for offer in added:
                if self._offers.get(offer.id) is offer:
                    del self._offers[offer.id]
                    for key in offer.command.default_keys:
                        self._by_own_key.pop(key, None)
            self._changed.tell()

        return remove

    def refresh(self) -> None:
        """Say that some command may have become possible or impossible."""
        self._changed.tell()

    def run(self, command: str) -> bool:
        """Do it, if it is possible now; tells whether it was. Raises `KeyError` for an unknown id."""
        return self._offers[command].run()

    def menu_title(self, offer: Offer) -> str:
        """What the menu of a command is called on screen; empty for one that no menu has."""
        return self.menus.get(offer.menu, offer.menu) if offer.menu else ""

    def find(self, text: str) -> list[Offer]:
        """The commands whose menu, title or other words have every word of `text`.

        Those that start with it come first, those of which another word is meant last.
        """
        words = text.casefold().split()

        def rank(offer: Offer) -> int | None:
            said = f"{self.menu_title(offer)} {offer.title}".casefold()
            if offer.title.casefold().startswith(text.casefold().strip()):
                return 0
            if all(word in said for word in words):
                return 1
            known = f"{said} {offer.command.words.casefold()}"
            return 2 if all(word in known for word in words) else None

        ranks = {offer.id: rank(offer) for offer in self._offers.values() if offer.menu}
        found = [(at, self._offers[name]) for name, at in ranks.items() if at is not None]
        return [offer for _, offer in sorted(found, key=lambda one: one[0])]

    def with_key(self, key: str) -> Offer | None:
        """The command that a key does now."""
        return next((one for one in self if key in one.keys), None)

    def choose_keys(self, command: str, keys: Iterable[str]) -> None:
        """Give a command other keys; whoever had one of them loses it. With its own, no choice is kept."""
        chosen = tuple(dict.fromkeys(key for key in keys if key))
        for key in chosen:
            other = self.with_key(key)
            if other is not None and other.id != command:
                self._keep(other, tuple(one for one in other.keys if one != key))
        self._keep(self[command], chosen)
        self._changed.tell()

    def restore_keys(self, command: str | None = None) -> None:
        """Give a command its own keys again, or with None all commands."""
        if command is None:
            self.keys.clear()
            self._changed.tell()
        else:
            self.choose_keys(command, self[command].command.default_keys)

    def _keep(self, offer: Offer, keys: tuple[str, ...]) -> None:
        self.keys.choose(offer.id, None if keys == offer.command.default_keys else keys)

    def _refuse_twins(self, offer: Offer) -> None:
        if offer.id in self._offers:
            reason = f"two commands are called `{offer.id}`"
            raise ValueError(reason)
        for key in offer.command.default_keys:
            twin = self._by_own_key.get(key)
            if twin is not None:
                reason = f"`{offer.id}` and `{twin.id}` share the key {key}"
                raise ValueError(reason)
