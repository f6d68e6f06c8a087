"""Commands as rows of a table: each says what it is called, what it does, by which keys and when."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command, always

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Menu:
    """The menu that the commands of a table stand in; call it to make one of them.

    `name` is None for commands that neither a menu nor the palette has.
    """

    name: str | None

    def __call__(
        self,
        id: str,  # noqa: A002  (as `Command` has it)
        title: str,
        act: Callable[[T], object],
        keys: str = "",
        can: Callable[[T], bool] = always,
        help: str = "",  # noqa: A002  (as `Command` has it)
        *,
        words: str = "",
        on: Iterable[str] = (),
        also: tuple[str, ...] = (),
        begins: bool = False,
        is_wide: bool = False,
    ) -> Command[T]:
        """Make a command, its texts in the language of the window: call it when translations are installed.

        `on` says what the context menus of the canvas offer it on; the others are fields of `Command`.
        """
        return Command(
            id,
            _said(title),
            self.name,
            act,
            keys,
            can,
            _said(help),
            frozenset(on),
            also,
            begins,
            _said(words),
            is_wide,
        )


def _said(text: str) -> str:
    # Qt gives for an empty text what a file of translations says of itself.
    return QCoreApplication.translate("actions", text) if text else ""
