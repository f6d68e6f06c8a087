"""Signals carry their values untyped; these say what a slot is given."""

from collections.abc import Callable


def of_text(act: Callable[[str], object]) -> Callable[[str], None]:
    """A slot that is given a text."""

    def slot(text: str) -> None:
        act(text)

    return slot


def of_number(act: Callable[[int], object]) -> Callable[[int], None]:
    """A slot that is given a whole number."""

    def slot(number: int) -> None:
        act(number)

    return slot


def of_flag(act: Callable[[bool], object]) -> Callable[[bool], None]:
    """A slot that is given yes or no."""

    def slot(flag: bool) -> None:  # noqa: FBT001  # Qt gives it by position
        act(flag)

    return slot


def of_any(act: Callable[[], object]) -> Callable[[object], None]:
    """A slot that is given something that it does not look at."""

    def slot(_value: object) -> None:
        act()

    return slot
