"""The places around the canvas: docks that move, tab, float, and hold one panel for each open flow."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from studio.ui.look import Look
from studio.ui.slots import of_flag
from studio.ui.visibility import is_seen
from studio.ui.window.docks.dock import Dock
from studio.ui.window.docks.dock_records import Stage, dock_records
from studio.ui.window.docks.dock_sides import DockSides
from studio.ui.window.docks.opened_docks import OpenedDocks
from studio.ui.window.flow_pages import DocumentKind
from studio.ui.window.stillness import Stillness

LAYOUT = 2
"""The version of saved layouts. Before 1, docks did not come and go; before 2, documents were docks."""
CLOSED_BEFORE = frozenset({"chat"})
"""The docks that were not open in every new window, or not there, in layouts of version 0."""
DOCKS_BEFORE: Mapping[str, DocumentKind] = {"script": "script", "comparison": "comparison"}
"""What was a dock in layouts before version 2, and is a document now."""


class Docks(QObject):
    """All docks of a window, by name: where they stand, and which of them are open."""

    arranged = Signal()
    hand_changed = Signal()
    """A person opened or closed one against what the window would have done."""

    def __init__(self, window: QMainWindow, look: Look, stillness: Stillness) -> None:
        super().__init__(window)
        self._window, self._look, self._stillness = window, look, stillness
        self.documents_before: list[DocumentKind] = []
        """What stood open as a dock in a layout that was taken over, and is a document now."""
        self._is_away = True
        self._is_alone = False
        self._mates: dict[str, frozenset[str]] = {}
        """The docks that share a place with each, itself included."""
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._settle)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._keep_shares)
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.records = dock_records()
        self._opened = OpenedDocks(self.records)
        self._docks = {record.name: Dock(look, record.name, record.title, window) for record in self.records}
        for name, dock in self._docks.items():
            dock.dockLocationChanged.connect(self.settle)
            dock.topLevelChanged.connect(self.settle)
            dock.visibilityChanged.connect(self.settle)
            dock.closed.connect(partial(self._close, name))
            dock.wanted.connect(partial(self.ask, name))
            dock.toggleViewAction().triggered.connect(
                of_flag(lambda is_open, name=name: self._toggle(name, is_open=is_open))
            )
        window.tabifiedDockWidgetActivated.connect(self.settle)
        stillness.over.connect(self._come)
        window.installEventFilter(self)
        self._sides = DockSides(window, self.all, look)
        self._place_all()

    def __getitem__(self, name: str) -> Dock:
        return self._docks[name]

    @property
    def all(self) -> list[Dock]:
        """The docks in their order."""
        return list(self._docks.values())

    @property
    def places(self) -> Mapping[str, QWidget]:
        """Where the panels of each dock belong, by its name."""
        return {name: dock.pages for name, dock in self._docks.items()}

    # ---------------------------------------------------------------- which are open

    @property
    def hand(self) -> dict[str, bool]:
        """What a person opened (True) or closed against what the window would have done."""
        return self._opened.hand

    @property
    def is_bare(self) -> bool:
        """Whether nothing stands around what is shown: the canvas alone, or no flow."""
        return self._is_alone or self._is_away

    @property
    def waiting(self) -> frozenset[str]:
        """What comes as soon as no hand is on the canvas."""
        return frozenset(name for name in self._seen() if self._docks[name].isHidden())

    def watch(self, stage: Stage) -> None:
        """Open and close what goes by what is shown; while a hand is on the canvas, that waits."""
        if stage != self._opened.stage:
            self._opened.stage = stage
            self._come()

    def ask(self, name: str) -> None:
        """Bring a dock up that somebody wants to look at, in front of those that share its place."""
        self._is_alone = False
        self._opened.ask(name, self._place_of(name))
        self._apply()
        self._docks[name].raise_()

    def offer(self, name: str, *, is_urgent: bool = False) -> None:
        """Bring a dock up that has something to say, unless a person closed it and it is not urgent."""
        if self._opened.offer(name, self._place_of(name), is_urgent=is_urgent):
            self._come()
            if not self._docks[name].isHidden():
                self._docks[name].raise_()

    def fit(self) -> None:
        """Go by a window that is larger or smaller now, as soon as all stands in it."""
        self._fitting.start()

    def press(self, name: str) -> None:
        """A person opens a dock or brings it to the front; there, it is closed with what shares its place."""
        dock = self._docks[name]
        if not is_seen(dock):
            self._toggle(name, is_open=True)
            return
        for one in self._place_of(name):
            if not self._docks[one].isHidden():
                self._opened.close_by_hand(one)
        self._apply()
        self.hand_changed.emit()

    def turn_alone(self) -> None:
        """Take everything away from around the canvas, or bring it back."""
        self._is_alone = not self._is_alone
        self._apply()

    def hide(self) -> None:
        """Take every dock away, until `come_back`."""
        self._is_away = True
        self._apply()

    def come_back(self) -> None:
        """Show what is to be open."""
        self._is_away = False
        self._apply()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the sizes that a hand has just dragged docks to."""
        if event.type() == QEvent.Type.MouseButtonRelease and watched is self._window:
            self._sides.note(is_dragged=True)
        return super().eventFilter(watched, event)

    def _keep_shares(self) -> None:
        if not self.is_bare:
            self._sides.keep_shares()

    def _toggle(self, name: str, *, is_open: bool) -> None:
        """A person opened it; what they close tells so itself."""
        if is_open:
            self._is_alone = False
            self._opened.open_by_hand(name, self._place_of(name))
            self._apply()
            self._docks[name].raise_()
            self.hand_changed.emit()

    def _close(self, name: str) -> None:
        if not self._is_away:
            self._opened.close_by_hand(name)
            self._apply()
            self.hand_changed.emit()

    def _come(self) -> None:
        """Show what is to be open; what would move the canvas waits as long as a hand is on it."""
        seen = self._seen()
        self._apply(self._unmoved(seen) if self._stillness.is_wanted else seen)

    def _unmoved(self, seen: AbstractSet[str]) -> frozenset[str]:
        """What of it leaves each side of the canvas open or closed, as it is."""
        shown = {name for name, dock in self._docks.items() if not dock.isHidden()}
        before = {self._side_of(name) for name in shown}
        after = {self._side_of(name) for name in seen}
        come = {name for name in seen if self._side_of(name) in before}
        return frozenset(come | {name for name in shown if self._side_of(name) not in after})

    def _side_of(self, name: str) -> Qt.DockWidgetArea:
        dock = self._docks[name]
        return Qt.DockWidgetArea.NoDockWidgetArea if dock.isFloating() else self._window.dockWidgetArea(dock)

    def _apply(self, seen: AbstractSet[str] | None = None) -> None:
        """Show what is to be open, and nothing else; each side as large as it was."""
        seen = self._seen() if seen is None else seen
        changed = [dock for name, dock in self._docks.items() if dock.isHidden() == (name in seen)]
        if changed:
            before = self._sides.seen
            self._sides.note()
            for dock in changed:
                dock.setVisible(dock.isHidden())
            self._raise_latest(changed)
            self._sides.give(self._sides.seen - before)
            self.fit()
        self.settle()

    def _seen(self) -> frozenset[str]:
        if self._is_away or self._is_alone:
            return frozenset()
        areas = Qt.DockWidgetArea
        beside = {
            name: str(area.name)
            for name in self._docks
            if (area := self._side_of(name)) in {areas.LeftDockWidgetArea, areas.RightDockWidgetArea}
        }
        return self._opened.seen(self._places(), beside)

    def _place_of(self, name: str) -> frozenset[str]:
        """The docks that share a place with one, itself included."""
        return frozenset({name}) if self._docks[name].isFloating() else self._mates[name]

    def _learn_places(self) -> None:
        """Note which docks a hand put together; Qt knows it only of those that were shown."""
        for name, dock in self._docks.items():
            found = {one.objectName() for one in self._window.tabifiedDockWidgets(dock)}
            if found:
                self._mates[name] = frozenset({name, *found})
            elif not dock.isHidden():
                others = self._mates[name] - {name}
                apart = {one for one in others if not self._docks[one].isHidden()}
                self._mates[name] -= apart
                for one in apart:
                    self._mates[one] -= {name}

    def _places(self) -> list[frozenset[str]]:
        return list(dict.fromkeys(self._place_of(name) for name in self._docks))

    def _raise_latest(self, changed: list[Dock]) -> None:
        """Of docks that came up in one place, show the one that was asked for last."""
        came = {dock.objectName() for dock in changed if not dock.isHidden()}
        for place in self._places():
            if place & came:
                shown = [name for name in place if not self._docks[name].isHidden()]
                if len(shown) > 1:
                    self._docks[self._opened.latest(shown)].raise_()

    # ---------------------------------------------------------------- where they stand

    def save(self) -> str:
        """Where all docks stand, and how large their sides are, as the settings keep it."""
        self._sides.note()
        state = bytes(self._window.saveState(LAYOUT).toBase64().data()).decode()
        return f"{state}:{self._sides.text}"

    def restore(self, kept: str) -> bool:
        """Put all docks where they stood; tells whether that could be done."""
        text, _, sizes = kept.partition(":")
        state = QByteArray.fromBase64(text.encode())
        self._sides.read(sizes)
        if not text:
            return False
        return self._window.restoreState(state, LAYOUT) or self._restore_before(state)

    def _restore_before(self, state: QByteArray) -> bool:
        """Take over a layout of an earlier version; what was a dock there is to be opened as a document."""
        gone = {name: QDockWidget(self._window) for name in DOCKS_BEFORE}
        for name, dock in gone.items():
            dock.setObjectName(name)
            self._window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        version = next((one for one in (1, 0) if self._window.restoreState(state, one)), None)
        self.documents_before = [
            DOCKS_BEFORE[name] for name, dock in gone.items() if version is not None and not dock.isHidden()
        ]
        for dock in gone.values():
            self._window.removeDockWidget(dock)
            dock.deleteLater()
        if version == 0:
            self._take_over()
        return version is not None

    def _take_over(self) -> None:
        """Keep of a layout from before docks came and went what a person had made of it."""
        self._sides.take_over()
        for record in self.records:
            dock = self._docks[record.name]
            if dock.isHidden() and record.name not in CLOSED_BEFORE:
                self._opened.hand[record.name] = False
            elif dock.isFloating() and not dock.isHidden():
                self._opened.hand[record.name] = True
        self.hand_changed.emit()

    def arrange(self) -> None:
        """Put every dock where it stands at first, and open those that are open then."""
        self._place_all()
        self._is_away = self._is_alone = False
        self._opened.forget()
        self._apply()
        self._sides.forget()
        self.hand_changed.emit()

    def _place_all(self) -> None:
        window, docks = self._window, self._docks
        areas = Qt.DockWidgetArea
        for dock in docks.values():
            dock.setFloating(False)
        first = {"left": "library", "right": "inspector", "below": "timeline", "below_right": "messages"}
        window.addDockWidget(areas.LeftDockWidgetArea, docks["library"])
        window.addDockWidget(areas.RightDockWidgetArea, docks["inspector"])
        window.addDockWidget(areas.BottomDockWidgetArea, docks["timeline"])
        window.splitDockWidget(docks["timeline"], docks["messages"], Qt.Orientation.Horizontal)
        for record in self.records:
            if record.name not in first.values():
                window.tabifyDockWidget(docks[first[record.home]], docks[record.name])
        for dock in docks.values():
            dock.hide()
        for record in self.records:
            mates = (one.name for one in self.records if one.home == record.home)
            self._mates[record.name] = frozenset(mates)

    def settle(self, *_: object) -> None:
        """Show titles only where no tab has the same words, once all docks stand where they stay."""
        self._settling.start()

    def _settle(self) -> None:
        self._learn_places()
        for dock in self._docks.values():
            shares = any(not one.isHidden() for one in self._window.tabifiedDockWidgets(dock))
            dock.show_header(is_shown=dock.isFloating() or not shares)
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(self.tr("Panels"))
            bar.setExpanding(False)
            bar.setDrawBase(False)
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            bar.setFixedHeight(self._look.length("size.button") + self._look.length("space.tight"))
        self.arranged.emit()
