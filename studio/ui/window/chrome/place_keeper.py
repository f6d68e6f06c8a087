"""Keeps how the window stands and what is open in it, for the next one, also after one that is killed."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio.app.kept_documents import KeptDocument
from studio.app.settings import Settings
from studio.ids import RunId
from studio.ui.window.docks.docks import Docks
from studio.ui.window.docks.opened_docks import hand_of, hand_text
from studio.ui.window.flow_pages import DocumentKind
from studio.ui.window.tabs.flow_tabs import FlowTabs
from studio.ui.window.tabs.tab_side import Document

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

REST = 1_000
"""Milliseconds without a change after which it is kept."""
_CHANGES = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange})


class PlaceKeeper(QObject):
    """Watches a window's place, its docks and its documents; gives each its place again."""

    def __init__(self, window: QWidget, settings: Settings, docks: Docks, tabs: FlowTabs) -> None:
        super().__init__(window)
        self._window, self._settings, self._docks, self._tabs = window, settings, docks, tabs
        geometry, _, self.kept_docks = settings.window_state.partition(":")
        if geometry:
            window.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        self._before = settings.documents
        """What was open in the last window."""
        self._opened: set[Path] = set()
        """The flows that were opened since: what was open of them came back, once."""
        self._has_docks = False
        docks.hand.update(hand_of(settings.docks, [one.name for one in docks.records]))
        self._resting = QTimer(self, singleShot=True, interval=REST)
        self._resting.timeout.connect(self.keep)
        docks.arranged.connect(self._begin)
        docks.hand_changed.connect(self._keep_hand)
        tabs.turned.connect(self.keep_documents)
        tabs.share_changed.connect(self._begin)
        window.installEventFilter(self)

    def stop(self) -> None:
        """Keep nothing any more."""
        self._resting.stop()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See where the window goes."""
        if event.type() in _CHANGES:
            self._begin()
        return super().eventFilter(watched, event)

    def _begin(self) -> None:
        if self._window.isVisible():
            self._resting.start()

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        """Remember how everything stands."""
        if self._has_docks:
            self.kept_docks = self._docks.save()
        geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
        self._settings.window_state = f"{geometry}:{self.kept_docks}"
        if self._tabs.is_split:
            self._settings.split = self._tabs.share
        self.keep_documents()

    def keep_documents(self) -> None:
        """Remember what is open, also for the window after one that ends by accident."""
        kept = [
            KeptDocument(
                one.flow.work.session.path,
                one.kind,
                number,
                is_shown=one == side.shown,
                is_front=one == self._tabs.shown,
                runs=one.flow.comparison.pair if one.kind == "comparison" else (),
            )
            for number, side in enumerate(self._tabs.sides)
            for one in side.documents
        ]
        unopened = [one for one in self._before if one.kind != "flow" and one.flow not in self._opened]
        self._settings.documents = [*kept, *unopened]

    def _keep_hand(self) -> None:
        """Remember at once which docks a person opened and closed."""
        self._settings.docks = hand_text(self._docks.hand)

    # ---------------------------------------------------------------- what comes back

    def show_docks(self, *, is_shown: bool) -> None:
        """Give docks their place with the first flow, and take them away with the last."""
        if is_shown == self._has_docks:
            return
        if not is_shown:
            self.kept_docks = self._docks.save()
        self._has_docks = is_shown
        if not is_shown:
            self._docks.hide()
        elif self._docks.restore(self.kept_docks):
            self._docks.come_back()
            for kind in self._docks.documents_before:
                if self._tabs.front is not None:
                    self._tabs.add_document(self._tabs.front, kind)
            self._docks.documents_before = []
        else:
            self._docks.arrange()

    def open_documents(self, flow: "OpenFlow") -> None:
        """Open behind a flow that has just been opened what of it was open in the last window."""
        path = flow.work.session.path
        before = [one for one in self._before if one.flow == path and path not in self._opened]
        self._opened.add(path)
        for one in before:
            if one.kind == "comparison" and not flow.comparison.come_back([RunId(run) for run in one.runs]):
                continue
            if one.kind != "flow":
                self._tabs.add_document(flow, cast("DocumentKind", one.kind))

    def arrange_documents(self) -> None:
        """Have the documents of the last window stand as they stood, now that all of its flows are open."""
        places = {(one.flow, one.kind): one for one in self._before}
        rows: list[tuple[Document, int, bool]] = []
        front = self._tabs.shown
        for one in self._tabs.documents:
            kept = places.get((one.flow.work.session.path, one.kind))
            rows.append((one, kept.side if kept else 0, bool(kept and kept.is_shown)))
            if kept is not None and kept.is_front and front is not None and front.flow is one.flow:
                front = one
        if any(side for _, side, _ in rows):
            self._tabs.put_back(rows, front)
            self._tabs.share = self._settings.split
        elif front is not None and front != self._tabs.shown:
            self._tabs.show_document(front.flow, front.kind)
        self.keep_documents()
