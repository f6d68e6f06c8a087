"""Pinning from the canvas: what a node gave, or another value; runs of this window then take it as it is."""

from collections.abc import Callable, Collection

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from studio.flow.records import title_of
from studio.ids import NodeId, own_step
from studio.runtime.plans.pinned_plan import misfit, why_unpinnable
from studio.trace.events.values import Shown, Values
from studio.trace.fold.steps import StepState, StepStatus
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_flag
from studio.ui.window.canvas_marks.pin_editor import PinEditor
from studio.ui.window.workspace import Workspace


class FlowPins(QObject):
    """Pins and unpins for one workspace, and marks what is pinned."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work, self._session = workspace, workspace.session
        board = workspace.canvas.board
        self.endings: list[Callable[[], None]] = [
            self._session.pins.on_change(self.show),
            board.pin_asked.subscribe(self.toggle),
            board.pin_edit_asked.subscribe(self.edit),
        ]

    def show(self) -> None:
        """Mark the pinned nodes, and those whose pin does not fit any more."""
        pins, session = self._session.pins, self._session
        wrong = pins.misfits(session.flow, session.registry) if pins.all else {}
        marks = {node: wrong.get(node, "") for node in pins.all}
        if marks != self._work.canvas.board.cards.shown.pins:
            self._work.canvas.set_pins(marks)

    def toggle(self, nodes: Collection[NodeId]) -> None:
        """Pin what these nodes gave in the run that is shown; where all are pinned, unpin them."""
        pins = self._session.pins
        if all(pins.of(node) is not None for node in nodes):
            pins.unpin(nodes)
            return
        reasons = [reason for node in sorted(nodes) if (reason := self._pin(node))]
        if reasons:
            self._work.told.emit(reasons[0])

    def refuse(self, notices: NoticeBar, key: str) -> bool:
        """Say which pin stops a run, with the button that takes it away; gives whether one does."""
        session = self._session
        wrong = session.pins.misfits(session.flow, session.registry) if session.pins.all else {}
        for node, reason in wrong.items():
            words = self.tr("The value pinned to “{title}” no longer fits: {reason}.")
            title = title_of(session.flow, node)
            unpin = Remedy(self.tr("Unpin"), lambda: session.pins.unpin(tuple(wrong)))
            notices.say(words.format(title=title, reason=reason), unpin, key=key)
            return True
        return False

    def edit(self, node: NodeId) -> None:
        """Ask for another value of a node, and pin it."""
        session = self._session
        signature = session.registry.signature(session.flow.nodes[node])
        reason = why_unpinnable(session.flow.nodes[node], signature)
        if reason or signature is None:
            self._work.told.emit(self._refusal(node, reason))
            return
        step = self._step(node)
        before = session.pins.of(node)
        known: Values = step.outputs if step is not None else dict[str, Shown]()
        known = before.values if before is not None else known
        ports = [str(port.name) for port in signature.outputs if not port.type.is_binding]
        dialog = PinEditor(
            self._work.look,
            title_of(session.flow, node),
            {port: known.get(port) for port in ports},
            lambda values: misfit(session.flow, session.registry, node, values),
            self._work.canvas.window(),
        )
        dialog.accepted.connect(lambda: session.pins.put(node, dialog.values()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def add_to(self, menu: QMenu, place: str) -> None:
        """Offer in the menu of an output, `node.port`, to pin what the node gave, or to unpin it."""
        node = NodeId(place.partition(".")[0])
        action = menu.addAction(self.tr("Pin this value for runs in this window"))
        action.setCheckable(True)
        action.setChecked(self._session.pins.of(node) is not None)
        action.toggled.connect(of_flag(lambda _is_on: self.toggle([node])))
        menu.addAction(self.tr("Pin another value…")).triggered.connect(of_flag(lambda _: self.edit(node)))

    def _pin(self, node: NodeId) -> str:
        """Pin what a node gave; gives why that is not possible, if so."""
        session, run = self._session, self._work.shown.run
        record = session.flow.nodes[node]
        reason = why_unpinnable(record, session.registry.signature(record))
        if reason:
            return self._refusal(node, reason)
        step = self._step(node)
        if run is None or step is None or step.status is not StepStatus.DONE or not step.outputs:
            return self._refusal(node, self.tr("it has no output in the shown run"))
        reason = misfit(session.flow, session.registry, node, step.outputs)
        if reason:
            return self._refusal(node, reason)
        session.pins.pin_step(run.run, step)
        return ""

    def _step(self, node: NodeId) -> StepState | None:
        """The node's own step that is shown."""
        state = self._work.shown.state
        step = self._work.shown.shown_step(node, self._session.selection.now.step)
        own = state.steps.get(own_step(step.id)) if state is not None and step is not None else None
        return own if own is not None and own.node == node else None

    def _refusal(self, node: NodeId, reason: str) -> str:
        title = title_of(self._session.flow, node)
        return self.tr("Nothing can be pinned to “{title}”: {reason}.").format(title=title, reason=reason)
