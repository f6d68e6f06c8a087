"""Asking where a value comes from: of what is selected, of a card in the inspector, of a port or a wire."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from studio.flow.records import Socket, Wire
from studio.ids import NodeId, PortName, RunId, StepId
from studio.trace.lineage.wire_sources import Spot
from studio.ui.slots import of_text
from studio.ui.viewmodels.run.origin_rows import OriginRows
from studio.ui.viewmodels.run.shown_run import Batch, drawn_flow
from studio.ui.window.workspace import Workspace


class Origins(QObject):
    """Answers for the run that a workspace shows, in its panel."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._run: RunId | None = None
        workspace.origin.step_chosen.connect(workspace.show_step)
        workspace.inspector.values.origin_asked.connect(self.ask)
        workspace.messages.conversation.step_chosen.connect(workspace.show_step)
        workspace.messages.conversation.origin_asked.connect(
            of_text(lambda step: self.ask(step, "output", "answer"))
        )
        self.endings = [workspace.shown.on_batch(self._follow)]

    def ask(self, step: str, side: str, port: str) -> None:
        """Follow one value of a step back."""
        self.show([Spot(StepId(step), "input" if side == "input" else "output", port)])

    def can_ask(self) -> bool:
        """Whether anything has passed where the selection stands."""
        return bool(self.selected())

    def ask_selected(self) -> None:
        """Follow back what passed at what is selected."""
        self.show(self.selected())

    def selected(self) -> list[Spot]:
        """What the selected node's shown step gave, or read where it gave nothing; or the wire's value."""
        selection, shown = self._work.session.selection.now, self._work.shown
        state = shown.state
        if state is None:
            return []
        if selection.only_node is not None:
            step = state.steps.get(selection.step) if selection.step is not None else None
            if step is None or not step.call or step.node != selection.only_node:
                step = shown.shown_step(selection.only_node, selection.step)
            if step is None:
                return []
            if step.call:
                return [Spot(step.id, "output", "answer")]
            if step.outputs:
                return [Spot(step.id, "output", port) for port in step.outputs if port != "kept"]
            return [Spot(step.id, "input", port) for port in step.inputs]
        wire = next(iter(selection.wires), None) if len(selection.wires) == 1 else None
        spot = self.along(wire) if wire is not None else None
        return [spot] if spot is not None else []

    def along(self, wire: Wire) -> Spot | None:
        """What passed along a wire last: what its source gave; off an area's border, what its target read."""
        given = self.at(wire.source, is_output=True)
        return given if given is not None or wire.index is not None else self.at(wire.target, is_output=False)

    def at(self, socket: Socket, *, is_output: bool) -> Spot | None:
        """What the shown step of a node gave or read at a port; None where nothing was."""
        step = self._work.shown.shown_step(socket.node, self._work.session.selection.now.step)
        if step is None or step.call or step.node != socket.node:
            return None
        if socket.port not in (step.outputs if is_output else step.inputs):
            return None
        return Spot(step.id, "output" if is_output else "input", socket.port)

    def add_to(self, menu: QMenu, place: str, *, is_output: bool) -> None:
        """Offer it in the menu of a port, `node.port`."""
        node, _, port = place.partition(".")
        spot = self.at(Socket(NodeId(node), PortName(port)), is_output=is_output)
        if spot is not None:
            menu.addAction(self.tr("Where does this come from?"), lambda: self.show([spot]))

    def show(self, spots: Sequence[Spot]) -> None:
        """Follow these values back, in the panel."""
        work, run = self._work, self._work.shown.run
        state = work.shown.state
        if run is None or state is None or not spots:
            work.told.emit(self.tr("No value has passed here in the shown run."))
            return
        flow = drawn_flow(run, work.session.flow)
        self._run = run.run
        work.origin.show_origin(OriginRows(state, flow, work.shown.library(work.session.registry)), spots)
        work.raise_asked.emit("origin")
        work.origin.tree.setFocus()

    def _follow(self, batch: Batch) -> None:
        run = self._work.shown.run
        if batch.is_fresh and (run.run if run is not None else None) != self._run:
            self._work.origin.clear()
            self._run = None
