"""Breakpoints in one workspace: marked on the canvas, set and edited there, and checked before a run."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QRectF
from PySide6.QtWidgets import QMenu, QWidget

from studio.app.documents.breakpoints import Breakpoint, Row, place_parts
from studio.ids import NodeId
from studio.runtime.gates.condition_names import faults_of
from studio.runtime.gates.value_edits import HeldTypes
from studio.ui.canvas.document import BreakpointMark
from studio.ui.canvas.scene.geometry import HEADER
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_flag
from studio.ui.viewmodels.words.breakpoint_advice import Advice
from studio.ui.viewmodels.words.breakpoint_words import break_detail, break_title, mark_of
from studio.ui.window.canvas_marks.breakpoint_hits import BreakpointHits
from studio.ui.window.canvas_marks.breakpoint_sheet import BreakSheet
from studio.ui.window.workspace import Workspace

translate = QCoreApplication.translate
FIRST = 2
"""Entries of a node's menu that are about its breakpoint; more of that stands beneath them."""


class FlowBreakpoints(QObject):
    """Sets, edits, marks and checks the breakpoints of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work, self._session = workspace, workspace.session
        self._breakpoints = workspace.session.breakpoints
        board = workspace.canvas.board
        self.part = workspace.debugging.breakpoints
        self.part.breakpoints_of = partial(workspace.app.breakpoints, workspace.session)
        workspace.canvas.breakpoint_toggled.connect(self.toggle)
        self.endings: list[Callable[[], None]] = [
            self._breakpoints.on_change(self.show),
            board.condition_asked.subscribe(self.edit),
        ]
        self.hits = BreakpointHits(workspace)
        self.endings += self.hits.endings
        self.show()

    @property
    def has_some(self) -> bool:
        """Whether the flow has breakpoints or catches of its own."""
        return bool(self._breakpoints.rows)

    def show_list(self) -> None:
        """Put the keyboard into the list of breakpoints."""
        self._work.raise_asked.emit("debugger")
        self._work.debugging.go_to_breakpoints()

    def ask_for_catch(self) -> None:
        """Offer what a run can be held for, beside the place where it is listed then."""
        self._work.raise_asked.emit("debugger")
        self._work.debugging.bring_up_breakpoints()
        self.part.ask_for_catch()

    def show(self) -> None:
        """Mark nodes and ports; those at the calls of a node, and those that wait for it, mark the node."""
        marks: dict[str, BreakpointMark] = {}
        tips: dict[str, str] = {}
        for row in sorted(self._breakpoints.rows, key=_by_weight):
            one, mark = row.breakpoint, mark_of(row.breakpoint, is_on=row.is_on)
            node, call, _ = place_parts(one.place)
            if one.on == "step" and not call:
                marks[one.place] = mark
                tips[one.place] = break_detail(one)
            elif node:
                marks.setdefault(node, mark)
                said = (tips.get(node, ""), break_title(self._session.flow, one), break_detail(one))
                tips[node] = "\n".join(part for part in said if part)
        shown = self._work.canvas.board.cards.shown
        if (marks, tips) != (shown.breakpoints, shown.break_tips):
            self._work.canvas.set_breakpoints(marks, tips)

    def toggle(self, place: str) -> None:
        """Set the breakpoint of a node or port; again: off; again: gone. At ports it says what that did."""
        self._breakpoints.cycle(place)
        if not place_parts(place)[2]:
            return
        title = break_title(self._session.flow, Breakpoint(place))
        match self._breakpoints.state(place):
            case True:
                said = self.tr("Breakpoint set at {title}. Click again to disable it.")
            case False:
                said = self.tr("The breakpoint at {title} is disabled. Click again to remove it.")
            case None:
                said = self.tr("The breakpoint at {title} has been removed.")
        self._work.told.emit(said.format(title=title))

    def edit(self, place: str) -> None:
        """Show the fields of the breakpoint of a node or port, which is set once they are left with Enter."""
        canvas, flow = self._work.canvas, self._session.flow
        one = self._breakpoints.get(place) or Breakpoint(place)
        advice = Advice(one, flow, self._session.registry)
        sheet = BreakSheet(self._work.look, break_title(flow, one), one, advice, self._place(place), canvas)
        sheet.kept.connect(self._keep)
        sheet.removed.connect(lambda: self._breakpoints.set(place, state=None))
        sheet.entered.connect(lambda: self._set_new(place))
        canvas.asking.open(sheet)

    def refuse(self, notices: NoticeBar, key: str) -> bool:
        """Say which breakpoint cannot be used as it stands, with what mends it; gives whether one cannot."""
        called = self._session.called_flows()
        for name, flow in {"": self._session.flow, **called}.items():
            found = self._breakpoints.elsewhere([name]) if name else self._breakpoints.rows
            rows = [row for row in found if row.is_on and not row.breakpoint.is_plain]
            types = HeldTypes(flow, self._session.registry) if rows else None
            for row in rows:
                fault = next(iter(faults_of(row.breakpoint, flow, self._session.registry, types)), None)
                if fault is not None:
                    self._say_unfit(notices, key, row, break_title(flow, row.breakpoint), fault.message, name)
                    return True
        return False

    def _say_unfit(self, notices: NoticeBar, key: str, row: Row, title: str, fault: str, called: str) -> None:
        owner = self.part.breakpoints_of(called) if called else self._breakpoints
        remedies = [
            Remedy(self.tr("Edit it"), partial(self.show_fields, row.key, called)),
            Remedy(self.tr("Disable it"), partial(owner.set, row.key, state=False)),
        ]
        words = self.tr("The breakpoint “{title}” is not valid: {fault}")
        notices.say(words.format(title=title, fault=fault), remedies, key=key)

    def show_fields(self, key: str, called: str = "") -> None:
        """Show the fields of a breakpoint or catch in the debugger; `called` is another flow that has it."""
        self._work.raise_asked.emit("debugger")
        self._work.debugging.bring_up_breakpoints()
        self.part.edit_key(key, called)

    def port_menu(self, place: str, parent: QWidget, *, is_output: bool) -> QMenu:
        """Make the menu for a port, `node.port`: whether a run is held when a value is there, and when."""
        menu = QMenu(parent)
        leaves, arrives = self.tr("Break when this value is sent"), self.tr("Break when this value arrives")
        self._add_switch(menu, leaves if is_output else arrives, place)
        menu.addAction(self.tr("Breakpoint with a condition…")).triggered.connect(lambda: self.edit(place))
        if self._breakpoints.state(place) is not None:
            remove = menu.addAction(self.tr("Remove the breakpoint"))
            remove.triggered.connect(lambda: self._breakpoints.set(place, state=None))
        menu.addSeparator()
        return menu

    def add_to_node(self, menu: QMenu) -> None:
        """Offer in a node's menu whether a run is held at the calls that it makes, and when it fails."""
        node = self._session.selection.now.only_node
        if node is None:
            return
        inner = QMenu(self.tr("Pause here"), menu)
        beneath = menu.actions()[FIRST:]
        menu.insertMenu(beneath[0], inner) if beneath else menu.addMenu(inner)
        for place in self._work.call_places():
            self._add_switch(inner, _call_words(place), place)
        self._add_switch(inner, self.tr("On error"), Breakpoint(str(node), on="error"))
        rows = [row for row in self._breakpoints.rows if place_parts(row.breakpoint.place)[0] == node]
        if rows:
            inner.addSeparator()
        for row in rows:
            title = break_title(self._session.flow, row.breakpoint)
            action = inner.addAction(self.tr("Condition of “{title}”…").format(title=title))
            action.triggered.connect(partial(self.show_fields, row.key))

    def _add_switch(self, menu: QMenu, said: str, at: str | Breakpoint) -> None:
        """Offer to set a breakpoint or catch; unticked, it is removed."""
        one = Breakpoint(at) if isinstance(at, str) else at
        action = menu.addAction(said)
        action.setCheckable(True)
        action.setChecked(self._breakpoints.state(one.key) is True)

        def switch(is_on: bool) -> None:  # noqa: FBT001  # a slot
            if is_on:
                self._breakpoints.put(self._breakpoints.get(one.key) or one)
            else:
                self._breakpoints.set(one.key, state=None)

        action.toggled.connect(of_flag(switch))

    def _keep(self, one: object) -> None:
        if isinstance(one, Breakpoint):
            self._breakpoints.put(one)

    def _set_new(self, place: str) -> None:
        if self._breakpoints.state(place) is None:
            self._breakpoints.set(place, state=True)

    def _place(self, place: str) -> QRectF:
        """The head of the node, or where its port is, in the scene."""
        scene = self._work.canvas.board.scene
        node, _, port = place_parts(place)
        rect = scene.rect(NodeId(node))
        spot = next((one for one in scene.spots(NodeId(node)) if one.port == port), None)
        if spot is None:
            return QRectF(rect.x, rect.y, rect.width, HEADER)
        return QRectF(rect.x + spot.x, rect.y + spot.y - 9, 1, 18)


def _by_weight(row: Row) -> tuple[bool, bool, str]:
    """What stands at a node or port itself first, then what is on."""
    return row.breakpoint.on != "step" or "#" in row.breakpoint.place, not row.is_on, row.key


def _call_words(place: str) -> str:
    """What of a node's calls a place is."""
    _, call, port = place_parts(place)
    if call == "chat":
        return translate("breaks", "After each chat") if port else translate("breaks", "Before each chat")
    if port:
        return translate("breaks", "After each tool call")
    return translate("breaks", "Before each tool call")
