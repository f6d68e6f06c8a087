"""The window: joins bar, docks, flows and palette; everything else is in the modules beside it."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from studio.app.compose import Application
from studio.app.documents.session import Session
from studio.app.runs.live_run import waiting_now
from studio.errors import HostError, StepwireError
from studio.ids import NodeId, RunId
from studio.llm.profiles import BUILT_IN
from studio.past.open_runs import waiting_in
from studio.store.reader import RunStore
from studio.ui.bridge import Bridge
from studio.ui.later import later
from studio.ui.layouts import column_layout
from studio.ui.panels.library import LibraryPanel
from studio.ui.panels.project_files import ProjectFilesPanel
from studio.ui.panels.runs.panel import RunsPanel
from studio.ui.panels.widgets.notice import NoticeBar, Remedy
from studio.ui.slots import of_number, of_text
from studio.ui.window.chrome.appearance import Appearance
from studio.ui.window.chrome.breadcrumb import Trails
from studio.ui.window.chrome.command_palette import CommandPalette
from studio.ui.window.chrome.context_menus import ContextMenus
from studio.ui.window.chrome.menus import Menus
from studio.ui.window.chrome.place_keeper import PlaceKeeper
from studio.ui.window.chrome.top_bar import TopBar
from studio.ui.window.commands.catalog import add_commands
from studio.ui.window.commands.flows import TAB_COMMANDS
from studio.ui.window.docks.dock_strips import DockStrips
from studio.ui.window.docks.docks import Docks
from studio.ui.window.experiments.pages import Experiments
from studio.ui.window.front import Front
from studio.ui.window.garbage import set_apart
from studio.ui.window.project.canvas_pictures import Pictures
from studio.ui.window.project.documents import Documents
from studio.ui.window.project.find_replace import FindReplace
from studio.ui.window.project.flow_files import FlowFiles
from studio.ui.window.project.node_rename import NodeRename
from studio.ui.window.project.recovery import Recovery
from studio.ui.window.project.run_bundles import RunBundles, dropped_bundle
from studio.ui.window.project.subflows import Subflows
from studio.ui.window.project.trust import ProjectTrust
from studio.ui.window.runs.attached_runs import RunsFolder, runs_elsewhere
from studio.ui.window.runs.doubts import Doubts
from studio.ui.window.runs.run_words import RUN_MATTER
from studio.ui.window.scripts.exports import Exports
from studio.ui.window.scripts.script_check import ScriptCheck
from studio.ui.window.scripts.script_edits import ScriptEditing
from studio.ui.window.scripts.script_runs import ScriptRuns, dropped_trace
from studio.ui.window.stillness import Stillness
from studio.ui.window.tabs.flow_tabs import FlowTabs
from studio.ui.window.welcome.first_steps import FirstStepsGuide
from studio.ui.window.welcome.gallery import Gallery
from studio.ui.window.welcome.welcome import WelcomePage
from studio.workspace.project import Project

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

SETTLED = 60
"""Milliseconds after which docks stand where they stay."""
WARM = 1_000
"""Milliseconds after which a host for the runs of a flow that was opened is made ready."""
SHARE = 0.92
"""The part of the screen's width and height that a new window takes."""
NARROW = 1366
"""A window no wider than this has docks on one side of the canvas at a time."""
QUESTION_MATTER = "question"
"""The key of notices about a question that waits in a flow behind."""


class MainWindow(QMainWindow):
    """Shows any number of flows, one in front."""

    def __init__(self, app: Application, appearance: Appearance) -> None:
        super().__init__()
        self.app, self.appearance, self.look = app, appearance, appearance.look
        self.setObjectName("main_window")
        self.setWindowTitle("Stepwire")
        self._take_room()
        self.bridge = Bridge(app.runs, self)
        self._notices = NoticeBar(self.look, self)
        self.stillness = Stillness(self)
        self.docks = Docks(self, self.look, self.stillness)
        self.documents = Documents(self, self)
        self.exports = Exports(self, self)
        self.flow_files = FlowFiles(self, self)
        self.subflows = Subflows(self, self)
        self.node_rename = NodeRename(self, self)
        self.recovery = Recovery(self)
        self.scripts = ScriptCheck(self, self)
        self.script_runs = ScriptRuns(self, self)
        self.script_editing = ScriptEditing(self, self)
        self.run_bundles = RunBundles(self, self)
        self.trust = ProjectTrust(self, self)
        self.pictures = Pictures(self, self)
        self.setAcceptDrops(True)
        self.acts = Front(self, self)
        self.tabs = FlowTabs(self.look, self)
        self.trails = Trails(self, self.tabs, self)
        self.find_replace = FindReplace(self, self.tabs, self)
        self.welcome = WelcomePage(self.look, app.registry, self)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(self.tabs)
        self.gallery = Gallery(self, self)
        self.experiments = Experiments(self, self)
        places = self.docks.places
        self.library = LibraryPanel(self.look, app.registry, places["library"])
        self.runs = RunsPanel(self.look, places["runs"])
        self.runs_folder = RunsFolder(self)
        self.files = ProjectFilesPanel(self.look, places["files"])
        for name, panel in (("library", self.library), ("runs", self.runs), ("files", self.files)):
            self.docks[name].pages.addWidget(panel)
        self._fill_centre()
        self.first_steps = FirstStepsGuide(self, self)
        self._offer_commands()
        self._warming = QTimer(self, singleShot=True, interval=WARM)
        self._warming.timeout.connect(app.runs.warm)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._refresh)
        self._join()
        self._is_leaving = False
        self.keeper = PlaceKeeper(self, app.settings, self.docks, self.tabs)
        self._show_front(None)
        self.bridge.start()

    def _offer_commands(self) -> None:
        """Make what lists the commands: menus, bar and palette."""
        self.palette_box = CommandPalette(self.look, self)
        add_commands(self.app.commands, self)
        self.menus = Menus(self.app.commands, self)
        self.menus.add_recent(
            self.menus.groups[self.tr("File")],
            self.menus.action("file.save"),
            lambda: self.app.settings.recent,
            self.documents.open,
        )
        self._nest_menus()
        self.context_menus = ContextMenus(self, self.scripts.check, self.run_bundles.save, TAB_COMMANDS, self)
        self.top_bar = TopBar(self.look, self.app.commands, self.menus, self)
        self.setMenuWidget(self.top_bar)
        self.strips = DockStrips(self, self.docks, self.look)

    def _nest_menus(self) -> None:
        """Put menus into others, so that the bar fits a small screen."""
        self.menus.put_into(self.tr("Run"), self.tr("Debug"))
        panels = self.menus.put_into(self.tr("View"), self.tr("Panels")).addMenu(self.tr("Show or hide"))
        for dock in self.docks.all:
            panels.addAction(dock.toggleViewAction())

    # ---------------------------------------------------------------- flows

    @property
    def front(self) -> "OpenFlow | None":
        """The flow in front, with its widgets."""
        return self.tabs.front

    @property
    def notices(self) -> NoticeBar:
        """Where something is said of what is shown: the flow in front, or the window where none is seen."""
        flow = self.front if self.pages.currentWidget() is self.tabs else None
        return flow.notices if flow is not None else self._notices

    @property
    def session(self) -> Session | None:
        """The flow in front."""
        return self.front.work.session if self.front is not None else None

    def show_session(self, session: Session) -> None:
        """Bring a flow to the front, opening it first where it is new."""
        flow = self.tabs.flow_of(session)
        if flow is None:
            from studio.ui.window.open_flow import OpenFlow

            flow = OpenFlow(self.app, session, self.look, self.bridge, self, self.docks.places)
            self.stillness.add(flow.work.canvas)
            flow.work.raise_asked.connect(of_text(partial(self._raise, flow)))
            flow.work.offered.connect(partial(self._offer, flow))
            flow.work.flow_asked.connect(partial(self.trails.open_called, flow))
            flow.work.told.connect(partial(_say_briefly, flow.notices))
            flow.work.script.save_asked.connect(self.exports.save)
            flow.work.script.apply_asked.connect(self.script_editing.ask)
            flow.work.script.place_asked.connect(self._show_place)
            flow.work.comparison.close_asked.connect(partial(self.tabs.close_document, flow, "comparison"))
            flow.work.comparison.compared.connect(self.keeper.keep_documents)
            flow.work.result.file_asked.connect(self.documents.preview_file)
            flow.work.debugging.breakpoints.called.connect(self._show_place)
            flow.work.canvas.menu_asked.connect(self.context_menus.open_on_canvas)
            flow.work.canvas.port_menu_asked.connect(self.context_menus.open_on_port)
            flow.work.changed.connect(self._later.start)
            flow.view.shown_changed.connect(self._later.start)
            flow.view.shown_changed.connect(self._show_runs_mark)
            flow.controls.runs_changed.connect(self.list_runs)
            flow.controls.session_asked.connect(self._show_run_of)
            flow.controls.answers_asked.connect(partial(self.acts.ask_who_answers, flow))
            flow.controls.trust_asked.connect(self.trust.ask)
            flow.work.inspector.start.profile_wanted.connect(self.acts.add_profile)
            flow.work.problems.counted.connect(of_number(lambda _: self._later.start()))
            flow.work.questions.counted.connect(of_number(lambda _: self._later.start()))
            flow.work.questions.asked.connect(lambda: self._tell_question(flow))
            flow.work.inspector.start.profile_chosen.connect(self._show_answers)
            flow.work.messages.titled.connect(of_text(lambda _: self._later.start()))
            flow.work.origin.titled.connect(of_text(lambda _: self._later.start()))
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.addWidget(panel)
            if session.is_read_only or session.notices:
                remedy = Remedy(self.tr("Save as…"), self.documents.save_as) if session.is_read_only else None
                flow.notices.say(" ".join(session.notices), remedy, tone="held", key="notice")
            self.trust.greet(flow)
            flow.work.history.show_file_changes(
                self.flow_files.changes(session.project), self.flow_files.jump
            )
            self.recovery.begin(flow)
            later(flow.work.canvas, flow.work.canvas.looking.fit_opened, SETTLED)
            QTimer.singleShot(SETTLED, set_apart)
            self._warming.start()
        self.tabs.show_flow(flow)
        self.keeper.open_documents(flow)
        if not session.project.is_bundle:  # its file is remembered
            self.app.settings.remember(session.project.root if session.project.is_folder else session.path)

    def drop(self, session: Session) -> None:
        """Close a flow without asking."""
        flow = self.tabs.flow_of(session)
        if flow is not None:
            flow.controls.let_go()
            self.experiments.leave(flow)
            self.stillness.remove(flow.work.canvas)
            self.tabs.remove(flow)
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.removeWidget(panel)
            flow.close()
        self.app.close_session(session)
        QTimer.singleShot(SETTLED, set_apart)

    def _show_front(self, flow: "OpenFlow | None") -> None:
        self.pages.setCurrentWidget(self.tabs if flow is not None else self.welcome)
        self._watch()
        self.keeper.show_docks(is_shown=flow is not None)
        if flow is None:
            self.welcome.show_recent(self.app.settings.recent)
        else:
            for name, panel in flow.work.panels.items():
                self.docks[name].pages.setCurrentWidget(panel)
            self.files.show_project(flow.work.session.project, flow.work.session.path)
            self.list_runs()
            self._show_answers()
            self.bridge.wake()
        self._refresh()

    def refresh_later(self) -> None:
        """Have titles, menus and buttons say what is true, once all is done."""
        self._later.start()

    def _watch(self) -> None:
        """Tell the docks what is shown now."""
        if self.front is not None:
            shown = self.tabs.shown
            is_table = shown is not None and shown.kind == "experiments"
            self.docks.watch(self.front.stage(is_narrow=self.width() <= NARROW, is_table=is_table))

    def _give_room(self) -> None:
        """Take docks away from beside the gallery, which wants the room."""
        is_gallery = self.pages.currentWidget() is self.gallery.page
        self.keeper.show_docks(is_shown=self.front is not None and not is_gallery)

    def show_welcome(self) -> None:
        """Show the welcome page; the tabs bring flows back."""
        self.welcome.show_recent(self.app.settings.recent)
        self.pages.setCurrentWidget(
            self.welcome if self.pages.currentWidget() is self.tabs or self.front is None else self.tabs
        )

    # ---------------------------------------------------------------- joining

    def _fill_centre(self) -> None:
        """Put what is said where no flow is in front above the pages; each flow has notices of its own."""
        centre = QWidget(self)
        rows = column_layout(centre, 0, 0)
        rows.addWidget(self._notices)
        rows.addWidget(self.pages, 1)
        self.setCentralWidget(centre)

    def _join(self) -> None:
        self._endings = [
            self.bridge.on_frame(self._frame),
            self.app.on_notice(self._notice),
        ]
        self.tabs.turned.connect(self._show_front)
        self.docks.arranged.connect(self.bridge.wake)  # panels that come up read what they missed
        self.tabs.close_asked.connect(self._close_flow)
        self.tabs.menu_asked.connect(self.context_menus.open_on_tab)
        self.pages.currentChanged.connect(of_number(lambda _: self._give_room()))
        self.welcome.opened.connect(self.documents.open)
        self.welcome.new_asked.connect(self.documents.new)
        self.welcome.open_asked.connect(self.documents.open_project)
        self.welcome.guide.steps_asked.connect(self.first_steps.start)
        self.welcome.guide.page_asked.connect(of_text(self.acts.show_guide))
        self.library.chosen.connect(self._add_kind)
        self.runs.chosen.connect(
            of_text(lambda run: self.acts.with_controls(lambda c: c.show_old(RunId(run))))
        )
        self.runs_folder.changed.connect(self.list_runs)
        self.doubts = Doubts(self.app.registry, self)
        self.doubts.changed.connect(self.list_runs)
        self.runs.menu_asked.connect(self.context_menus.open_on_run)
        self.runs.place_chosen.connect(self.acts.open_place)
        self.runs.left.connect(lambda: self.acts.with_controls(lambda c: c.leave_old()))
        self.runs.run_asked.connect(lambda: self.app.commands.run("run.run"))
        self.files.flow_chosen.connect(of_text(lambda path: self.documents.open(Path(path))))
        self.files.file_chosen.connect(of_text(lambda path: self._open_file(Path(path))))
        self.files.act_asked.connect(self._act_on_file)
        self.look.changed.connect(self._restyle)

    def _add_kind(self, kind: str) -> None:
        if self.front is not None:
            self.front.work.add_node(kind)

    def _open_file(self, path: Path) -> None:
        if not self.experiments.open_file(path):
            self.documents.preview_file(path)

    def _act_on_file(self, name: str, path: str) -> None:
        self.flow_files.act(name, Path(path))

    def _frame(self) -> None:
        for flow in self.tabs.flows:
            flow.view.frame()
            flow.results.catch_up()
            flow.chat_place.catch_up()
        if self.front is not None:
            self._show_run(self.front)

    def _show_run(self, flow: "OpenFlow") -> None:
        self.top_bar.show_run(flow.view.state, time.time(), is_read=flow.view.is_read)

    def _refresh(self) -> None:
        """Let titles, menus and buttons say what is true now."""
        self.app.commands.refresh()
        self.find_replace.follow()
        self._watch()
        flow = self.front
        if flow is None:
            self.setWindowTitle("Stepwire")
            self.top_bar.show_document("", "", is_modified=False)
            self.top_bar.show_answers("")
            self.top_bar.show_run(None, 0.0)
            return
        session = flow.work.session
        name = session.title
        self.setWindowTitle(f"{name} – {session.project.name} – Stepwire")
        self.top_bar.show_document(session.project.name, name, is_modified=session.is_modified)
        self._show_run(flow)
        for one in self.tabs.flows:
            self.tabs.rename(one)
        problems = flow.work.problems.count
        questions = flow.work.questions.count
        for dock, title, count in (
            ("problems", self.tr("Problems"), problems),
            ("questions", self.tr("Questions"), questions),
        ):
            self.docks[dock].setWindowTitle(f"{title} {count}" if count else title)
        if flow.work.questions.forms:
            for one in self.tabs.flows:
                one.notices.settle(QUESTION_MATTER)
        self.docks["messages"].header.about.setText(flow.work.messages.title)
        self.docks["origin"].header.about.setText(flow.work.origin.title)
        self._show_runs_mark()

    def _show_answers(self) -> None:
        flow = self.front
        if flow is None:
            return
        project = flow.work.session.project
        name = flow.work.inspector.start.chosen_profile or project.default_profile
        profile = project.profiles.get(name) or BUILT_IN.get(name)
        said = {
            "scripted": self.tr("scripted answers"),
            "simulated": self.tr("simulated solvers"),
            "made-up": self.tr("made-up answers"),
            "person": self.tr("you answer"),
        }
        self.top_bar.show_answers(said.get(profile.provider, "") if profile is not None else "")

    def show_profiles(self, project: Project) -> None:
        """Offer the chat profiles that a project has now, in each of its flows."""
        for flow in self.tabs.flows:
            if flow.work.session.project.root == project.root:
                flow.work.show_profiles()
        self._show_answers()

    def list_runs(self) -> None:
        """List the runs that the project has now."""
        if self.session is not None:
            store = RunStore(self.session.project.private)
            self.runs.search.search_with(lambda words: store.search(words, 500))
            try:
                runs = store.runs()
            except StepwireError as error:
                self._notice(error)
                runs = []
            open_now = waiting_now(run for flow in self.tabs.flows for run in flow.controls.own.going)
            asking = {one.run for one in open_now}
            self.runs.show_runs(runs, runs_elsewhere(runs, self.app.runs), asking)
            if self.front is not None:
                self.front.work.questions.show_live(open_now)
                self.front.work.questions.show_stored(
                    [*waiting_in(store, runs), *self.doubts.of(store, runs)]
                )
            self.runs_folder.watch(self.session.project.private)
        self._show_runs_mark()
        self._later.start()

    def _show_runs_mark(self) -> None:
        flow = self.front
        run = flow.work.shown.run if flow is not None else None
        self.runs.show_shown(
            run.run if run is not None else None,
            is_old=self.acts.shows_old_run(),
            is_other=flow is not None and flow.shows_other_flow,
            is_script=run is not None and run.state.source is not None,
            is_attached=flow is not None and flow.controls.attached.is_attached,
        )

    def _tell_question(self, flow: "OpenFlow") -> None:
        """Bring the questions up; where another flow is in front, say whose they are."""
        if flow is self.front:
            if not flow.chat_place.answers_here:
                self.docks.offer("questions", is_urgent=True)
            return
        session = flow.work.session
        said = self.tr("“{name}” is waiting for you.").format(name=session.title)
        remedy = Remedy(self.tr("Show the question"), lambda: self._show_questions(session))
        self.notices.say(said, remedy, tone="held", key=QUESTION_MATTER)

    def _show_questions(self, session: Session) -> None:
        self.show_session(session)
        self.docks["questions"].bring_up()

    def _raise(self, flow: "OpenFlow", dock: str) -> None:
        """Bring a dock or a document up; what happens in a flow behind disturbs nobody."""
        if flow is not self.front:
            return
        if dock == "comparison":
            self.tabs.show_document(flow, "comparison")
        else:
            self.docks[dock].bring_up()

    def _offer(self, flow: "OpenFlow", dock: str, is_urgent: bool) -> None:  # noqa: FBT001  # a slot
        if flow is self.front:
            self._watch()
            self.docks.offer(dock, is_urgent=is_urgent)

    def _show_run_of(self, session: Session, run: str) -> None:
        """Show a run in the flow in which it goes on."""
        self.show_session(session)
        self.acts.with_controls(lambda controls: controls.show_old(RunId(run)))

    def _show_place(self, name: str, node: str) -> None:
        """Show a node of a flow that the one in front calls."""
        if self.session is not None:
            self.documents.open(self.session.project.root / name)
        if self.front is not None:
            self.front.work.show_node(NodeId(node))

    def _close_flow(self, flow: "OpenFlow") -> None:
        self.tabs.show_flow(flow)
        self.documents.close_current()

    def _notice(self, error: StepwireError) -> None:
        if isinstance(error, HostError) and self.notices.key == RUN_MATTER:
            return  # the run's own notice says it, with the button that mends it
        self.notices.say(str(error))

    def say_briefly(self, text: str) -> None:
        """Say what only explains; it goes by itself."""
        _say_briefly(self.notices, text)

    # ---------------------------------------------------------------- theme, end

    def _restyle(self) -> None:
        for flow in self.tabs.flows:
            flow.work.restyle()

    def _take_room(self) -> None:
        """Take most of the screen, in its middle, until a person says otherwise."""
        screen = self.screen().availableGeometry()
        self.resize(round(screen.width() * SHARE), round(screen.height() * SHARE))
        self.move(screen.center() - self.rect().center())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Go by the width that there is now."""
        super().resizeEvent(event)
        self._watch()
        self.docks.fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a script's trace, and the bundle of a run."""
        if dropped_trace(event.mimeData()) or dropped_bundle(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the trace, or the bundle, that was dropped."""
        trace, bundle = dropped_trace(event.mimeData()), dropped_bundle(event.mimeData())
        if trace is not None:
            event.acceptProposedAction()
            self.script_runs.open(trace)
        elif bundle is not None:
            event.acceptProposedAction()
            self.run_bundles.open(bundle)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about runs, and edits that would not come back; then remember how the window stood."""
        sessions = [flow.work.session for flow in self.tabs.flows]
        unsaved = [one for one in sessions if one.is_modified and not one.keeps_edits]
        running = [flow.work.session for flow in self.tabs.flows if flow.controls.stopped_by_closing]
        if unsaved and not self._is_leaving:
            event.ignore()
            self.documents.ask_unsaved(unsaved, self._close_without_changes)
            return
        if running and not self._is_leaving:
            event.ignore()
            self.documents.ask_running(running, self.leave)
            return
        self.keeper.keep()
        self._end()
        super().closeEvent(event)

    def leave(self) -> None:
        """Close the window without asking, and with it what was not saved and what runs."""
        self._is_leaving = True
        self.close()

    def _close_without_changes(self) -> None:
        for flow in self.tabs.flows:
            flow.work.session.discard()
        self.close()

    def _end(self) -> None:
        self.keeper.stop()
        self.experiments.close()
        self.bridge.stop()
        for end in self._endings:
            end()
        self._endings.clear()


def _say_briefly(notices: NoticeBar, text: str) -> None:
    """Say what only explains."""
    notices.say(text, tone="skipped", key="brief")
