"""An open flow: all that it imports, canvas and panels with them, is imported with the first one."""

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from studio.app.compose import Application
from studio.app.documents.session import Session
from studio.ids import RunId
from studio.ui.bridge import Bridge
from studio.ui.look import Look
from studio.ui.panels.widgets.late import LatePlace
from studio.ui.panels.widgets.notice import NoticeBar
from studio.ui.slots import of_text
from studio.ui.window.canvas_marks.breakpoints import FlowBreakpoints
from studio.ui.window.canvas_marks.pins import FlowPins
from studio.ui.window.canvas_marks.value_sheets import ValueSheets
from studio.ui.window.cases.cases import Cases
from studio.ui.window.chats.chat_place import ChatPlace
from studio.ui.window.docks.dock_records import Stage
from studio.ui.window.flow_pages import FlowPages
from studio.ui.window.memories.memories import Memories
from studio.ui.window.past.fork_edits import ForkEdits
from studio.ui.window.past.message_differences import Differences
from studio.ui.window.past.run_comparison import RunComparison
from studio.ui.window.runs.growth import FlowGrowth
from studio.ui.window.runs.origins import Origins
from studio.ui.window.runs.results import Results
from studio.ui.window.runs.run_controls import RunControls
from studio.ui.window.runs.run_places import RunPlaces
from studio.ui.window.runs.run_view import RunView
from studio.ui.window.workspace import Workspace


class OpenFlow:
    """A flow in the window: its widgets, what shows its run, and what acts on it."""

    def __init__(
        self,
        app: Application,
        session: Session,
        look: Look,
        bridge: Bridge,
        parent: QWidget,
        places: Mapping[str, QWidget],
    ) -> None:
        """Make it within the window, its panels within the `places` that docks have for them."""
        self.began_blank = not session.flow.nodes
        """Whether there was nothing in it when it was opened."""
        self._was_chosen = False
        self.pages = FlowPages(parent)
        self.work = Workspace(app, session, look, parent, {**places, **self.pages.places})
        notices = self.notices = NoticeBar(look)
        self.breakpoints = FlowBreakpoints(self.work)
        self.pins = FlowPins(self.work)
        self.values = ValueSheets(self.work)
        self.origins = Origins(self.work)
        self.differences = Differences(self.work)
        self.work.paused.connect(self.pins.show)
        self.work.paused.connect(self.breakpoints.part.refresh)
        self.pins.show()
        self.view = RunView(self.work)
        self.experiments = LatePlace(self.pages["experiments"])
        documents = {
            "script": self.work.script,
            "comparison": self.work.comparison,
            "experiments": self.experiments,
        }
        self.pages.fill(self.work.canvas, documents, notices, self.view.playhead.badge)
        self.view.playhead.moved.connect(bridge.wake)
        refusals = (self.pins.refuse, self.breakpoints.refuse)
        self.controls = RunControls(self.work, self.view, bridge, notices, refusals)
        self.comparison = RunComparison(self.work, self.controls.show_old)
        self.results = Results(self.work, self.comparison.before, self.origins)
        self.work.result.compare_asked.connect(self.comparison.compare_with_before)
        self.fork_edits = ForkEdits(self.work)
        self.cases = Cases(self.work, notices)
        self.chat_place = ChatPlace(self.work, self.controls, self.cases, self.origins, notices)
        self._unlisten = self.work.case_runs.on_change(self.controls.runs_changed.emit)
        self.cases.trust_asked.connect(self.controls.trust_asked)
        self.cases.run_chosen.connect(of_text(lambda run: self.controls.show_old(RunId(run))))
        self.memories = Memories(self.work, notices)
        self.growth = FlowGrowth(self.work)
        self.places = RunPlaces(self.work, self.controls.show_old, self.view.playhead.leave)
        self.controls.earlier.place_asked.connect(self.places.open_at)
        self.work.debugging.held_chosen.connect(self.places.open_at)
        self.work.debugging.origin_asked.connect(self.origins.ask)

    def stage(self, *, is_narrow: bool, is_table: bool) -> Stage:
        """What the docks go by while this flow is in front."""
        shown = self.work.shown
        state = shown.live_state
        has_result = state is not None and state.status.is_final and bool(state.outputs)
        self._was_chosen = self._was_chosen or not self.work.session.selection.now.is_empty
        blank, was_chosen = self.began_blank, self._was_chosen
        return Stage(shown.run is not None, has_result, blank, was_chosen, is_narrow, is_table)

    @property
    def shows_old(self) -> bool:
        """Whether the shown run does not happen now and is not the last one started here."""
        shown = self.work.shown.run
        return shown is not None and not self.controls.is_own(shown)

    @property
    def shows_other_flow(self) -> bool:
        """Whether the flow was edited since the shown run, or that is a run of another flow."""
        shown, flow = self.work.shown.run, self.work.session.flow
        if shown is None or not shown.flow.nodes or shown.state.source is not None:
            return False
        return shown.flow.nodes != flow.nodes or shown.flow.wires != flow.wires

    def close(self) -> None:
        """Let everything go."""
        self._unlisten()
        self.places.close()
        self.comparison.close()
        self.results.close()
        self.chat_place.close()
        self.fork_edits.close()
        self.memories.close()
        self.growth.close()
        self.controls.close()
        self.view.close()
        for one in (self.breakpoints, self.pins, self.values, self.origins, self.differences):
            for end in one.endings:
                end()
        self.work.close()
        self.pages.close()
