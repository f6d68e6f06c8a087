"""The kinds of nodes that were added last, which the palette offers first."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from studio.ui.canvas.document import KindLook

MOST = 8
K = TypeVar("K", bound=KindLook)


class RecentKinds:
    """Reads and writes the names wherever they are kept, the latest first; on its own, for this session."""

    def __init__(
        self,
        read: Callable[[], Sequence[str]] | None = None,
        write: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self._own: Sequence[str] = ()
        self._read = read or (lambda: self._own)
        self._write = write or self._keep

    @property
    def names(self) -> Sequence[str]:
        """The kinds, the latest first."""
        return self._read()

    def use(self, kind: str) -> None:
        """Put a kind that was added at the head."""
        names = [kind, *(name for name in self.names if name != kind)][:MOST]
        if names != list(self.names):
            self._write(names)

    def sorted(self, looks: Iterable[K], first: Sequence[str] = ()) -> list[K]:
        """The looks, those of `first` at the head, then the recent ones; the others keep their order."""
        names = dict.fromkeys((*first, *self.names))
        ranks = {name: rank for rank, name in enumerate(names)}
        return sorted(looks, key=lambda look: ranks.get(look.kind, len(ranks)))

    def _keep(self, names: Sequence[str]) -> None:
        self._own = names
