"""Who is told when something happened; subscribing returns the function that unsubscribes."""

from collections.abc import Callable
from typing import Generic, TypeVarTuple

A = TypeVarTuple("A")


class Listeners(Generic[*A]):
    """A list of functions that are called, in order of subscription, with the same arguments."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[*A], None]] = []

    def subscribe(self, listener: Callable[[*A], None]) -> Callable[[], None]:
        """Call `listener` from now on; the returned function ends that, and may be called twice."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def tell(self, *arguments: *A) -> None:
        """Call every listener; one that unsubscribes meanwhile is still called."""
        for listener in tuple(self._listeners):
            listener(*arguments)
