"""One open flow with its canvas and its panels, and the run that they show."""

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.app.compose import Application
from studio.app.documents.breakpoints import call_places
from studio.app.documents.selection import Selected
from studio.app.documents.session import Session
from studio.app.experiments.case_runs import CaseRuns
from studio.app.projects.images import ProjectImages
from studio.app.projects.named_files import finds_files
from studio.app.runs.entry_replay import entries_again
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.checks.check import Problem
from studio.flow.records import Point
from studio.ids import NodeId, StepId
from studio.ui.canvas.hand.recent import RecentKinds
from studio.ui.canvas.view import CanvasView
from studio.ui.editors.make import Surroundings
from studio.ui.look import Look
from studio.ui.panels.cases import CasesPanel
from studio.ui.panels.comparison import ComparisonPanel
from studio.ui.panels.debugger import DebuggerPanel
from studio.ui.panels.growth import GrowthPanel
from studio.ui.panels.history import HistoryPanel
from studio.ui.panels.inspector import Inspector
from studio.ui.panels.log import LogPanel
from studio.ui.panels.memories import MemoriesPanel
from studio.ui.panels.messages import MessagesPanel
from studio.ui.panels.origin import OriginPanel
from studio.ui.panels.outline import OutlinePanel
from studio.ui.panels.problems import ProblemsPanel
from studio.ui.panels.questions import QuestionsPanel
from studio.ui.panels.result import ResultPanel
from studio.ui.panels.script.panel import ScriptPanel
from studio.ui.panels.timeline import TimelinePanel
from studio.ui.panels.widgets.late import LatePlace
from studio.ui.slots import of_text
from studio.ui.viewmodels.flow.canvas_document import SessionDocument
from studio.ui.viewmodels.run.shown_run import ShownRun, node_of
from studio.ui.viewmodels.words.count_words import profile_title
from studio.ui.visibility import is_seen
from studio.workspace.problems import remedy_of
from studio.workspace.profiles import profile_names

PAUSE = 250
"""Milliseconds without an edit after which problems are looked for."""

LOOK = 1_000
"""Milliseconds between two looks at the files of called flows, which others may change."""


class Workspace(QObject):
    """Makes the widgets of a session and joins them; `run_view` feeds them, `run_controls` acts."""

    raise_asked = Signal(str)
    """The dock that somebody wants to look at."""
    offered = Signal(str, bool)
    """A dock that has something to say by itself, and whether a person has to act on it."""
    flow_asked = Signal(object)
    """The file of another flow of the project is to be opened."""
    memory_asked = Signal(str)
    """What the memory that this node lends has kept is to be shown."""
    told = Signal(str)
    """A sentence that explains why nothing happened."""
    paused = Signal()
    """Nothing was edited for a moment: what the edits mean for others can be worked out."""
    _case_told = Signal(str, object)
    changed = Signal()
    """Titles, undo and the like may read differently now."""

    def __init__(
        self,
        app: Application,
        session: Session,
        look: Look,
        parent: QWidget,
        places: Mapping[str, QWidget],
    ) -> None:
        """Make each panel where it belongs, by `places`: to move it there would style all of it once more."""
        super().__init__(parent)
        self.app, self.session, self.look = app, session, look
        self.debugger = app.debugger(session)
        self.shown = ShownRun(entries_again(session.project.private))
        document = SessionDocument(session.history, session.selection, session.registry)
        self.canvas = CanvasView(document, look.theme, places["flow"], app.commands.keys)
        settings = app.settings
        self.canvas.adding.palette.recent = RecentKinds(
            lambda: settings.text("recent_kinds").split(),
            lambda names: settings.set_text("recent_kinds", " ".join(names)),
        )
        around = Surroundings(
            look,
            session.project.root,
            lambda: profile_names(session.project),
            session.registry.flows.names,
        )
        self.inspector = Inspector(
            session,
            self.shown,
            around,
            places["inspector"],
            check=self.debugger.check_edit,
            types=self.debugger.type_of,
            unset=self.debugger.unset_ports,
        )
        self.history = HistoryPanel(look, session.history, places["history"])
        self.outline = OutlinePanel(look, self.canvas, places["outline"])
        self.script = ScriptPanel(look, session, app.scripts, places["script"])
        self.show_profiles()
        self.timeline = TimelinePanel(look, places["timeline"], settings)
        self.debugging = DebuggerPanel(look, session, self.debugger, places["debugger"])
        self.problems = ProblemsPanel(look, places["problems"])
        self.questions = QuestionsPanel(look, places["questions"], ProjectImages(session.project))
        self.log = LogPanel(look, places["log"])
        self.messages = MessagesPanel(look, places["messages"], ProjectImages(session.project))
        self.origin = OriginPanel(look, places["origin"])
        self.result = ResultPanel(
            look, places["result"], ProjectImages(session.project), finds_files(session.project.root)
        )
        self.comparison = ComparisonPanel(look, places["comparison"])
        self.case_runs = CaseRuns(
            session,
            lambda say: app.attend(say),  # noqa: PLW0108  # tests have another one
            lambda kind, message: self._case_told.emit(kind, dict(message)),
        )
        self._case_told.connect(self._take_case)
        self.chat = LatePlace(places["chat"])
        self.cases = CasesPanel(look, self.case_runs, places["cases"])
        self.memories = MemoriesPanel(look, places["memories"])
        self.growth = GrowthPanel(look, places["tree"])
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(session.refresh_problems)
        self._pause.timeout.connect(self.paused)
        self._looking = QTimer(self, interval=LOOK)
        self._looking.timeout.connect(session.look_at_called_flows)
        self._looking.start()
        self._join()
        self._endings: list[Callable[[], None]] = [
            session.history.on_change(self._heard),
            session.on_problems(lambda _: self._show_problems()),
            session.on_saved(self.changed.emit),
            session.selection.on_change(lambda _: self.changed.emit()),
            session.selection.on_change(self._bring_settings),
        ]
        self._show_problems()

    @property
    def panels(self) -> dict[str, QWidget]:
        """The panels that belong to this flow, by the name of their dock."""
        return {
            "inspector": self.inspector,
            "timeline": self.timeline,
            "debugger": self.debugging,
            "problems": self.problems,
            "questions": self.questions,
            "log": self.log,
            "messages": self.messages,
            "origin": self.origin,
            "result": self.result,
            "chat": self.chat,
            "cases": self.cases,
            "memories": self.memories,
            "tree": self.growth,
            "history": self.history,
            "outline": self.outline,
        }

    def close(self) -> None:
        """Stop listening and let the widgets go."""
        for end in self._endings:
            end()
        self._pause.stop()
        self._looking.stop()
        self.shown.show(None)
        self.canvas.close_document()
        self.inspector.close_session()
        self.debugging.close_session()
        self.script.close_session()
        self.history.close_history()
        self.cases.close_cases()
        self.case_runs.close()
        self.outline.close_canvas()
        for widget in (self.canvas, self.script, self.comparison, *self.panels.values()):
            widget.hide()  # to take it from its parent would style it anew
            widget.deleteLater()
        self.deleteLater()

    def _take_case(self, kind: str, message: dict[str, Any]) -> None:
        self.case_runs.take(kind, message)

    def restyle(self) -> None:
        """Show the canvas in the theme that is in use now."""
        self.canvas.set_theme(self.look.theme)

    def add_node(self, kind: str) -> None:
        """Add a node in the middle of what is seen, and select it."""
        found = self.session.registry.get(kind)
        if found is None:
            return
        middle = self.canvas.rect().center()
        board = self.canvas.board
        x, y = board.free_point(*board.camera.to_scene(middle.x(), middle.y()))
        at = Point(round(x / 8) * 8, round(y / 8) * 8)
        node, change = edits.add_node(self.session.flow, kind, found.title, at)
        self.session.history.do(change)
        self.session.selection.select([node])
        self.canvas.reveal(node)

    def show_profiles(self) -> None:
        """Offer the chat profiles that the project has now."""
        project = self.session.project
        self.inspector.start.show_profiles(profile_names(project), project.default_profile)
        self._show_models()
        self.inspector.show_settings_anew()
        self.script.refresh()

    def _show_models(self) -> None:
        """Say on cards what answers: the language model of a profile, else what the profile is called."""
        project = self.session.project
        models = {name: profile_title(name) for name in profile_names(project)}
        models.update({name: one.llm for name, one in project.profiles.items() if one.llm})
        self.canvas.show_models({**models, "": models.get(self.inspector.start.chosen_profile, "")})

    def offer(self, dock: str, *, is_urgent: bool = False) -> None:
        """Tell of a dock with something to say; where that `is_urgent`, a person has to act on it."""
        self.offered.emit(dock, is_urgent)

    def show_node(self, node: NodeId) -> None:
        """Select a node and bring it into sight."""
        if node in self.session.flow.nodes:
            self.session.selection.select([node])
            self.canvas.reveal(node)

    def show_step(self, step: str, *, by_hand: bool = True) -> None:
        """Show a step everywhere, its node selected and in sight; `by_hand` with all of its round."""
        self.shown.looked_at = StepId(step) if by_hand else None
        node = node_of(StepId(step))
        known = node in self.session.flow.nodes
        self.session.selection.show_step(StepId(step), node if known else None)
        if known:
            self.canvas.reveal(node)

    def look_at(self, step: StepId | None) -> None:
        """Show a step of the run everywhere, with all of its round; None: go along with the run again."""
        self.shown.looked_at = step
        self.session.selection.show_step(step)

    def _join(self) -> None:
        self.canvas.refused.connect(self.told)
        self.canvas.told.connect(self.told)
        self.canvas.request_open.connect(self._open_node)
        self.inspector.step_chosen.connect(self.show_step)
        self.inspector.start.profile_chosen.connect(self._show_models)
        self.timeline.view.step_chosen.connect(self.show_step)
        self.debugging.node_chosen.connect(of_text(lambda node: self.show_node(NodeId(node))))
        self.debugging.step_chosen.connect(self.show_step)
        self.script.node_shown.connect(of_text(lambda node: self.canvas.reveal(NodeId(node))))
        self.problems.chosen.connect(self._show_problem)
        self.problems.mended.connect(self._mend)

    def _bring_settings(self, selected: Selected) -> None:
        """Bring the settings of a node that is chosen on the canvas in front of the result."""
        if selected.only_node is not None and self.canvas.hasFocus() and is_seen(self.result):
            self.offer("inspector")

    def _open_node(self, node: str) -> None:
        record = self.session.flow.nodes.get(NodeId(node))
        called = self.session.registry.called_name(record) if record is not None else ""
        place = self.session.project.place_of(called) if called else None
        if place is not None and place.is_file() and self.session.project.has(place):
            self.flow_asked.emit(place)
            return
        self.show_node(NodeId(node))
        self.inspector.turn_to_settings()
        if self.lends_memory(NodeId(node)):
            self.memory_asked.emit(node)
            return
        self.raise_asked.emit("inspector")
        self.inspector.focus_first()

    def lends_memory(self, node: NodeId) -> bool:
        """Whether a node is one that lends a memory."""
        record = self.session.flow.nodes.get(node)
        kind = self.session.registry.get(record.kind) if record is not None else None
        lent = kind.outputs if kind is not None and kind.form == "binding" else ()
        return any(port.type.base == "memory" for port in lent)

    def _show_problem(self, problem: Problem) -> None:
        if problem.wires:
            self.session.selection.select([problem.node] if problem.node else [], problem.wires)
        if problem.node is not None:
            if not problem.wires:
                self.session.selection.select([problem.node])
            self.canvas.reveal(problem.node)

    def _mend(self, change: Change) -> None:
        self.session.history.do(change)
        self.session.refresh_problems()

    def _heard(self, change: Change) -> None:
        self.changed.emit()
        if change.touches_logic:
            self._pause.start()
            if change.nodes:
                self.debugging.rename()

    def _show_problems(self) -> None:
        flow, registry = self.session.flow, self.session.registry

        def hint(problem: Problem) -> str:
            return remedy_of(problem, flow, registry)

        self.problems.show_problems(flow, self.session.problems, hint)
        self.canvas.show_problems(self.session.problems, hint)
        self.changed.emit()

    def call_places(self) -> list[str]:
        """Where a run can be held in the calls that the one selected node makes."""
        node = self.session.selection.now.only_node
        record = self.session.flow.nodes.get(node) if node is not None else None
        kind = self.session.registry.get(record.kind) if record is not None else None
        return call_places(str(node), kind) if kind is not None else []
