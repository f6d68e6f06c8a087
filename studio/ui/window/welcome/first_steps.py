"""The first steps in the window: the strip above the example, what ticks them off, where they are done."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QRect, QRectF
from PySide6.QtWidgets import QWidget

from studio import places
from studio.ui.later import later
from studio.ui.viewmodels.help.first_steps import EXAMPLE, FirstStep, FirstSteps, done_in, place_to_pause
from studio.ui.visibility import is_seen
from studio.ui.window.docks.docks import Docks
from studio.ui.window.roles import HasApp, HasDocuments, HasFront, HasLook

if TYPE_CHECKING:
    from studio.ui.panels.first_steps import FirstStepsCard
    from studio.ui.viewmodels.run.shown_run import Batch
    from studio.ui.window.chrome.top_bar import TopBar
    from studio.ui.window.front import Front
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.tabs.flow_tabs import FlowTabs

STANDS = 120
"""Milliseconds after which a panel that was brought up stands where it stays."""


class Window(HasApp, HasFront, HasLook, HasDocuments, Protocol):
    """What this asks of the window."""

    @property
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...

    @property
    def tabs(self) -> "FlowTabs":
        """The open flows."""
        ...

    @property
    def top_bar(self) -> "TopBar":
        """The bar with the run's buttons."""
        ...

    @property
    def acts(self) -> "Front":
        """Opens pages to read."""
        ...


class FirstStepsGuide(QObject):
    """Shows the first steps above the example while they are open, and watches what is done there."""

    def __init__(self, window: Window, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window
        self.steps = FirstSteps(window.app.settings)
        self.card: FirstStepsCard | None = None
        self._watched: dict[OpenFlow, Callable[[], None]] = {}
        self.steps.on_change(self._follow)
        window.tabs.turned.connect(self._turn)
        window.docks.arranged.connect(self._see_result)

    def start(self) -> None:
        """Show them on the example, which is opened where another flow is in front."""
        self.steps.open()
        if not self._is_on_example():
            self._window.documents.open(places.projects() / EXAMPLE)

    def show_place(self, step: FirstStep) -> None:
        """Bring up where a step is done, and point at it; nothing is done."""
        flow = self._window.front
        if flow is None:
            return
        match step:
            case FirstStep.RUN:
                self._point_at_run()
            case FirstStep.RESULT:
                self._point_at_panel("result", flow.work.result)
            case FirstStep.PAUSE:
                self._point_at_node(flow)
            case FirstStep.EDIT if flow.controls.is_held and flow.controls.held.chosen is not None:
                flow.controls.held.edit()
                self._point_at_panel("inspector", flow.work.inspector.held)
            case FirstStep.EDIT if flow.work.session.breakpoints.enabled:
                self._point_at_run()
            case FirstStep.EDIT:
                self._point_at_node(flow)
            case FirstStep.BACK if flow.work.shown.run is None:
                self._point_at_panel("timeline", flow.work.timeline)
            case FirstStep.BACK:
                view = flow.work.timeline.view
                self._point_at_panel("timeline", view.viewport(), view.ruler)

    def _turn(self, flow: "OpenFlow | None") -> None:
        if flow is not None:
            self.steps.offer(flow.work.session.project.name)
        self._follow()

    def _follow(self) -> None:
        """Show the card where it belongs, and watch the flows above which it stands."""
        is_shown = self.steps.is_open and self._is_on_example()
        if is_shown and self.card is None:
            self._make_card()
        if self.card is not None:
            self.card.setVisible(is_shown)
        flow = self._window.front
        if is_shown and flow is not None and flow not in self._watched:
            self._watched[flow] = flow.work.shown.on_batch(lambda batch: self._see(flow, batch))
        for one in [
            one for one in self._watched if not self.steps.is_open or one not in self._window.tabs.flows
        ]:
            self._watched.pop(one)()

    def _make_card(self) -> None:
        from studio.ui.panels.first_steps import FirstStepsCard

        window, commands = self._window, self._window.app.commands
        self.card = FirstStepsCard(window.look, self.steps, lambda name: commands[name].shortcut, window.tabs)
        self.card.place_asked.connect(self.show_place)
        self.card.guide_asked.connect(lambda: window.acts.show_guide())  # noqa: PLW0108  # not the signal's own
        window.tabs.put_over(self.card)

    def _is_on_example(self) -> bool:
        session = self._window.session
        return session is not None and session.project.name == EXAMPLE

    def _see(self, flow: "OpenFlow", batch: "Batch") -> None:
        shown = flow.work.shown
        is_own = shown.run is not None and flow.controls.is_own(shown.run)
        self.steps.tick(*done_in(batch, shown.live_state, shown.moment, is_own=is_own))
        self._see_result()

    def _see_result(self) -> None:
        """Tick the result off when it is in sight."""
        flow = self._window.front
        if flow is None or flow not in self._watched or FirstStep.RUN not in self.steps.done:
            return
        state = flow.work.shown.state
        if state is not None and state.status.is_final and state.outputs and is_seen(flow.work.result):
            self.steps.tick(FirstStep.RESULT)

    def _point_at_run(self) -> None:
        self._point(self._window.top_bar.button("run.run"))

    def _point_at_panel(self, dock: str, panel: QWidget, part: QRect | None = None) -> None:
        self._window.docks[dock].bring_up()
        later(self, lambda: self._point(panel, part), STANDS)

    def _point_at_node(self, flow: "OpenFlow") -> None:
        node = place_to_pause(flow.work.session.flow)
        if node is None:
            return
        self._window.tabs.show_flow(flow)
        flow.work.show_node(node)
        canvas = flow.work.canvas

        def point() -> None:
            if node in canvas.board.scene.row:
                rect, camera = canvas.board.scene.rect(node), canvas.board.camera
                x, y = camera.to_widget(rect.x, rect.y)
                wide, high = rect.width * camera.scale, rect.height * camera.scale
                self._point(canvas, QRectF(x, y, wide, high).toRect())

        later(self, point, STANDS)

    def _point(self, place: QWidget, part: QRect | None = None) -> None:
        from studio.ui.panels.widgets.spotlight import Spotlight

        if is_seen(place):
            Spotlight(self._window.look, place, part)
