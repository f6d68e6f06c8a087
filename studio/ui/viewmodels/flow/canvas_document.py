"""A session as the canvas knows it."""

from collections.abc import Iterable, Sequence

from studio.app.documents.history import History
from studio.app.documents.selection import Selection
from studio.app.ready_parts import ready_parts
from studio.flow.records import Flow, Library
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.ui.canvas.document import KindLook
from studio.ui.viewmodels.flow.library_rows import category_rank, category_title

PART = "part."
"""What the kinds of ready parts begin with."""


class SessionDocument:
    """Implements `CanvasDocument` over a history, a selection and the node library."""

    def __init__(self, history: History, selection: Selection, registry: Registry) -> None:
        self._history, self._selection, self._registry = history, selection, registry
        in_order = sorted(registry, key=lambda one: category_rank(one.category))
        self._kinds = (*(_look(one) for one in in_order), *_parts())

    @staticmethod
    def of_flow(flow: Flow, registry: Registry) -> "SessionDocument":
        """A document to look at: a thumbnail's, with a history and a selection of its own."""
        return SessionDocument(History(flow), Selection(), registry)

    @property
    def history(self) -> History:
        """The flow, and the way to edit it."""
        return self._history

    @property
    def library(self) -> Library:
        """The ports of every node."""
        return self._registry

    @property
    def selection(self) -> Selection:
        """What is selected."""
        return self._selection

    def describe(self, kind: str) -> KindLook | None:
        """How a kind presents itself."""
        found = self._registry.get(kind)
        return _look(found) if found is not None else None

    def kinds(self) -> Sequence[KindLook]:
        """Every kind that can be added, and the ready parts."""
        return self._kinds

    def part(self, kind: str) -> Flow | None:
        """The flow that a ready part is made of."""
        return ready_parts().get(kind.removeprefix(PART)) if kind.startswith(PART) else None


def lending_kinds(types: Iterable[NodeType]) -> frozenset[str]:
    """The kinds whose nodes are never steps of their own."""
    return frozenset(one.kind for one in types if one.form == "binding")


def _parts() -> Sequence[KindLook]:
    group = category_title(PART.rstrip("."))
    return [
        KindLook(f"{PART}{name}", flow.name, PART.rstrip("."), flow.description, (), group)
        for name, flow in ready_parts().items()
    ]


def _look(one: NodeType) -> KindLook:
    return KindLook(
        one.kind, one.title, one.category, one.summary, one.keywords, category_title(one.category)
    )
